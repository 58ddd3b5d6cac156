// Ctrl-C, SIGTERM and a closed terminal as a wish to end, which work looks at between two steps.
//
//   const StopSignals signals("\nstopping after this update; once more to stop without saving\n");
//   while (!StopRequested() && Step()) {}
#ifndef NMT_BASE_STOP_SIGNALS_H_
#define NMT_BASE_STOP_SIGNALS_H_

#include <atomic>

namespace nmt {

// Signals ask for an end while one of these lives: the first prints `message`, which must outlive it, a second
// one ends the program at once.
class StopSignals {
 public:
  explicit StopSignals(const char* message);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

// Whether an end was asked for since the start of the program.
const std::atomic<bool>& StopRequested();

}  // namespace nmt

#endif  // NMT_BASE_STOP_SIGNALS_H_
