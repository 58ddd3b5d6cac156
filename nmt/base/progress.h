// A progress bar on a terminal; elsewhere nothing, so that logs hold plain lines only.
//
//   ProgressBar bar("training", /*total=*/1200);
//   bar.Update(42, "loss 3.1, 5,210 tokens/s");   // redraws at most ten times a second
//   bar.Clear();                                  // before another line is printed
#ifndef NMT_BASE_PROGRESS_H_
#define NMT_BASE_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace nmt {

class ProgressBar {
 public:
  // `total` of 0: unknown, only the count is shown.
  ProgressBar(std::string_view name, int64_t total);
  ~ProgressBar() { Clear(); }

  // `done` may exceed `total`; `note` stands behind the bar. Time left is shown from the rate so
  // far.
  void Update(int64_t done, std::string_view note);
  bool is_visible() const { return is_terminal_; }
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_;
  int64_t total_;
  int64_t first_done_ = -1;
  bool is_terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_drawn_{};
};

// "1 h 04 min", "3 min 20 s", "12 s".
std::string FormatDuration(double seconds);

// "12,345"
std::string WithThousands(int64_t value);

}  // namespace nmt

#endif  // NMT_BASE_PROGRESS_H_
