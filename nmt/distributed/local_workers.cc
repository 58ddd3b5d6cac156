#include "nmt/distributed/local_workers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>

#include "nmt/base/child_process.h"
#include "nmt/base/file.h"
#include "nmt/base/stop_signals.h"
#include "nmt/distributed/launch.h"
#include "nmt/distributed/sockets.h"

namespace nmt {
namespace {

constexpr const char* kAddress = "127.0.0.1";

std::vector<std::string> Environment(int64_t rank, int64_t workers, const BoundSocket& socket) {
  std::vector<std::string> variables{fmt::format("RANK={}", rank),
                                     fmt::format("LOCAL_RANK={}", rank),
                                     fmt::format("WORLD_SIZE={}", workers),
                                     fmt::format("LOCAL_WORLD_SIZE={}", workers),
                                     fmt::format("MASTER_ADDR={}", kAddress),
                                     fmt::format("MASTER_PORT={}", socket.port)};
  if (rank == 0) variables.push_back(fmt::format("{}={}", kListeningSocket, socket.fd));
  return variables;
}

// The workers that run, and what became of those that ended.
class LocalWorkers {
 public:
  LocalWorkers(int64_t size, double grace_seconds) : size_(size), grace_seconds_(grace_seconds) {}
  ~LocalWorkers() { Kill(); }

  absl::Status Start(const std::vector<std::string>& arguments) {
    NMT_ASSIGN_OR_RETURN(const BoundSocket socket, BindSocket(kAddress, /*port=*/0));
    absl::Status status = StartOne(0, arguments, socket);
    close(socket.fd);  // worker 0 alone has it now
    for (int64_t rank = 1; status.ok() && rank < size_; ++rank)
      status = StartOne(rank, arguments, socket);
    return status;
  }

  // The largest exit status.
  absl::StatusOr<int> AwaitAll() {
    for (bool stopped = false; !running_.empty();) {
      if (StopRequested() && !stopped) {
        for (const auto& [id, worker] : running_) worker.process.Stop();
        stopped = true;
      }
      NMT_ASSIGN_OR_RETURN(const EndedChild ended, WaitForChild());
      if (ended.id != 0) Note(ended);
      if (exit_status_ != 0 && Clock::now() - failed_at_ > grace_seconds_) Kill();
    }
    return exit_status_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    ChildProcess process;
    int64_t rank;
  };

  absl::Status StartOne(int64_t rank, const std::vector<std::string>& arguments,
                        const BoundSocket& socket) {
    NMT_ASSIGN_OR_RETURN(
        const ChildProcess process,
        ChildProcess::Start(
            arguments,
            {.output = "", .environment = Environment(rank, size_, socket), .reads_input = true}));
    running_.emplace(process.id(), Worker{process, rank});
    return absl::OkStatus();
  }

  // A death by a signal is said if it is the first failure: the workers say the rest themselves.
  void Note(const EndedChild& ended) {
    const auto worker = running_.find(ended.id);
    if (worker == running_.end()) return;
    const int signal = -ended.exit_status;
    if (signal > 0 && exit_status_ == 0) {
      fmt::print(stderr, "nmt: worker {} of {} was killed by signal {} ({})\n", worker->second.rank,
                 size_, signal, strsignal(signal));
    }
    if (ended.exit_status != 0 && exit_status_ == 0) failed_at_ = Clock::now();
    exit_status_ = std::max(exit_status_, signal > 0 ? 1 : ended.exit_status);
    running_.erase(worker);
  }

  void Kill() const {
    for (const auto& [id, worker] : running_) worker.process.Kill();
  }

  const int64_t size_;
  const std::chrono::duration<double> grace_seconds_;
  std::map<pid_t, Worker> running_;
  int exit_status_ = 0;
  Clock::time_point failed_at_;
};

}  // namespace

absl::StatusOr<int> RunLocalWorkers(int64_t workers, const std::vector<std::string>& arguments,
                                    double grace_seconds) {
  const StopSignals signals("");  // worker 0 says what it does
  LocalWorkers group(workers, grace_seconds);
  NMT_RETURN_IF_ERROR(group.Start(arguments));
  return group.AwaitAll();
}

absl::StatusOr<std::vector<std::string>> ArgumentsWithout(const std::string& option) {
  NMT_ASSIGN_OR_RETURN(const std::string line, ReadFile("/proc/self/cmdline"));
  std::vector<std::string> arguments;
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = line.find('\0', begin);
    arguments.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  arguments.erase(arguments.begin());
  std::vector<std::string> kept;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == option) {
      ++i;  // its value
    } else if (!arguments[i].starts_with(option + "=")) {
      kept.push_back(arguments[i]);
    }
  }
  return kept;
}

}  // namespace nmt
