// Ends this process, with one line that names the worker, when another one is dead, hangs or has
// failed. A thread of its own, which writes and reads a board that all workers share (the store).
//
//   Watch watch(board, {.rank = 1, .names = names, .timeout = 300});
//   watch.CountCall();             // before each call that waits for others
//
// Every worker gives a sign a second: how many calls it has begun. Worker 0 reads the signs and, when
// one is missing, writes the verdict, which every worker reads; the others watch worker 0. So the work
// is linear in the number of workers.
//
//   what                                                  is noticed after
//   a worker has failed (ReportFailure)                   a second
//   a connection broke (ReportBroken): a process died     silence
//   no sign: the process is stopped, the machine is gone  timeout
//   no answer from the board: so is worker 0's            timeout
//   no call is begun while others wait in a later one     timeout
#ifndef NMT_DISTRIBUTED_WATCH_H_
#define NMT_DISTRIBUTED_WATCH_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace nmt {

// Texts under names, shared by all workers. Both may throw when the board cannot be reached.
struct Board {
  std::function<void(const std::string& name, const std::string& text)> write;
  std::function<std::optional<std::string>(const std::string& name)> read;
};

// "worker 1 of 3 (host, process 4711)"
std::string DescribeWorker(int64_t rank, const std::vector<std::string>& names);

struct WatchOptions {
  int64_t rank = 0;
  std::vector<std::string> names;  // of all workers
  double timeout = 300;            // seconds
  double silence = 4;   // seconds without a sign that are enough where a connection broke
  double interval = 1;  // seconds between two signs
  // What is done with the line that says why; does not return outside tests.
  std::function<void(const std::string& line)> end;
};

class Watch {
 public:
  Watch(Board board, WatchOptions options);
  ~Watch() { Stop(); }

  void CountCall() { ++calls_; }

  // This worker ends with an error; the others are to know why.
  void ReportFailure(const std::string& why);
  // A call threw, because of another worker or of this one: who it was, worker 0 finds out.
  void ReportBroken(const std::string& what);
  // No more signs, and none expected: all workers leave together.
  void Stop();

 private:
  using Seconds = double;
  struct Seen {
    std::string sign;
    int64_t calls = 0;
    Seconds when = 0;
  };

  void Run();
  void Guard();
  void End(const std::string& line);
  std::optional<std::string> Look(Seconds now);
  void ReadSign(int64_t rank, Seconds now);
  std::optional<std::string> FindSilent(Seconds now) const;
  std::optional<std::string> FindHung(Seconds now) const;

  const Board board_;
  const WatchOptions options_;
  std::atomic<int64_t> calls_{0};
  std::vector<int64_t> watched_;  // the ranks whose signs are missed here
  std::vector<Seen> seen_;        // by rank
  Seconds last_call_ = 0;         // when any worker was seen to have begun one
  std::optional<Seconds> broken_since_;
  std::string broken_what_;
  std::atomic<Seconds> answered_;  // when the board did last
  std::atomic<bool> ended_ = false;
  bool stopped_ = false, unguarded_ = false;
  std::mutex mutex_;  // of these two
  std::condition_variable wake_;
  std::thread thread_;
  std::thread guard_;  // where a call to the board does not come back
};

}  // namespace nmt

#endif  // NMT_DISTRIBUTED_WATCH_H_
