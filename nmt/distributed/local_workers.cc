#include "nmt/distributed/local_workers.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include "nmt/base/file.h"
#include "nmt/distributed/launch.h"
#include "nmt/distributed/sockets.h"

extern char** environ;

namespace nmt {
namespace {

constexpr const char* kProgram = "/proc/self/exe";
constexpr const char* kAddress = "127.0.0.1";

struct Child {
  pid_t pid;
  int64_t rank;
  std::optional<int> ended;  // as waitpid() says
};

// Signals are waited for instead of handled, while one of these lives.
class SignalQueue {
 public:
  SignalQueue() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&signals_, signal);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~SignalQueue() { Restore(); }
  void Restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  // The next one; 0 when none came for `seconds`.
  int Next(double seconds) const {
    timespec time{};
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
    return std::max(0, sigtimedwait(&signals_, nullptr, &time));
  }

 private:
  sigset_t signals_, before_;
};

std::vector<std::string> Environment(int64_t rank, int64_t workers, const BoundSocket& socket) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  const auto set = [&](const std::string& name, const std::string& value) {
    variables.push_back(name + "=" + value);
  };
  set("RANK", std::to_string(rank));
  set("LOCAL_RANK", std::to_string(rank));
  set("WORLD_SIZE", std::to_string(workers));
  set("LOCAL_WORLD_SIZE", std::to_string(workers));
  set("MASTER_ADDR", kAddress);
  set("MASTER_PORT", std::to_string(socket.port));
  if (rank == 0) set(kListeningSocket, std::to_string(socket.fd));
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

absl::StatusOr<Child> Start(int64_t rank, int64_t workers, std::vector<std::string> arguments,
                            const BoundSocket& socket, const SignalQueue& signals) {
  std::vector<std::string> variables = Environment(rank, workers, socket);
  const std::vector<char*> argument_list = Pointers(arguments);
  const std::vector<char*> variable_list = Pointers(variables);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return DataError(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  if (pid > 0) return Child{pid, rank, std::nullopt};
  // Ctrl-C reaches a whole process group: the workers get theirs from this process alone, once.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  if (rank > 0) close(socket.fd);
  signals.Restore();
  execve(kProgram, argument_list.data(), variable_list.data());
  _exit(127);
}

int ExitStatus(int ended) { return WIFEXITED(ended) ? WEXITSTATUS(ended) : 1; }

// Notes which children have ended. A death by a signal is said if it is the first failure.
void Reap(std::vector<Child>* children, int* exit_status) {
  int ended = 0;
  for (pid_t pid; (pid = waitpid(-1, &ended, WNOHANG)) > 0;) {
    for (Child& child : *children) {
      if (child.pid != pid) continue;
      child.ended = ended;
      if (WIFSIGNALED(ended) && *exit_status == 0) {
        fmt::print(stderr, "nmt: worker {} of {} was killed by signal {} ({})\n", child.rank,
                   children->size(), WTERMSIG(ended), strsignal(WTERMSIG(ended)));
      }
      *exit_status = std::max(*exit_status, ExitStatus(ended));
    }
  }
}

void SendToAll(const std::vector<Child>& children, int signal) {
  for (const Child& child : children) {
    if (!child.ended) kill(child.pid, signal);
  }
}

int AwaitAll(std::vector<Child>* children, const SignalQueue& signals, double grace_seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr double kLookSeconds = 1;
  int exit_status = 0;
  Clock::time_point failed_at;
  while (std::any_of(children->begin(), children->end(),
                     [](const Child& child) { return !child.ended; })) {
    const int signal = signals.Next(kLookSeconds);
    if (signal > 0 && signal != SIGCHLD) SendToAll(*children, signal);
    if (exit_status == 0) failed_at = Clock::now();
    Reap(children, &exit_status);
    if (exit_status != 0 &&
        std::chrono::duration<double>(Clock::now() - failed_at).count() > grace_seconds) {
      SendToAll(*children, SIGKILL);
    }
  }
  return exit_status;
}

}  // namespace

absl::StatusOr<int> RunLocalWorkers(int64_t workers, const std::vector<std::string>& arguments,
                                    double grace_seconds) {
  NMT_ASSIGN_OR_RETURN(const BoundSocket socket, BindSocket(kAddress, /*port=*/0));
  std::vector<std::string> all{"nmt"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const SignalQueue signals;
  std::vector<Child> children;
  absl::Status status;
  for (int64_t rank = 0; status.ok() && rank < workers; ++rank) {
    const auto child = Start(rank, workers, all, socket, signals);
    status = child.status();
    if (child.ok()) children.push_back(*child);
  }
  close(socket.fd);
  if (!status.ok()) SendToAll(children, SIGKILL);
  const int exit_status = AwaitAll(&children, signals, grace_seconds);
  if (!status.ok()) return status;
  return exit_status;
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
