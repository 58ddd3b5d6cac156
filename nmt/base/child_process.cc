#include "nmt/base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace nmt {
namespace {

absl::Status ProcessError(const std::string& what) {
  return DataError(fmt::format("{}: {}", what, std::strerror(errno)));
}

constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

// What a child becomes; all made before the fork.
struct Program {
  char* const* words;
  char* const* variables;
  int output;  // of all it prints; below 0: as this process
  bool reads_input;
  pid_t parent;
  sigset_t signals_before;
};

// In the child, between fork and exec: nothing but system calls, as another thread may have held a lock.
[[noreturn]] void Become(const Program& program) {
  for (const int signal : kStopSignals) {  // what is ignored, as SIGHUP under nohup, stays so
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  sigprocmask(SIG_SETMASK, &program.signals_before, nullptr);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGINT);
  if (getppid() != program.parent) _exit(1);  // it died before the line above
  if (program.output >= 0) {
    dup2(program.output, STDOUT_FILENO);
    dup2(program.output, STDERR_FILENO);
  }
  if (!program.reads_input) {
    if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) dup2(nothing, STDIN_FILENO);
  }
  execve("/proc/self/exe", program.words, program.variables);
  _exit(127);
}

// The list that exec takes: ends with a null. Points into `texts`.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

absl::StatusOr<ChildProcess> ChildProcess::Start(const std::vector<std::string>& arguments,
                                                 const Surroundings& surroundings) {
  std::vector<std::string> words{"nmt"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = surroundings.environment;  // of one name the first counts
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  const std::vector<char*> word_list = Pointers(words), variable_list = Pointers(variables);

  int file = -1;
  if (const std::filesystem::path& output = surroundings.output; !output.empty()) {
    file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return ProcessError(output.string());
  }
  // Who started this program may have ignored it, which hides the end of children.
  std::signal(SIGCHLD, SIG_DFL);
  // A signal between fork and exec would only reach the handler that exec throws away.
  sigset_t stops, before;
  sigemptyset(&stops);
  for (const int signal : kStopSignals) sigaddset(&stops, signal);
  sigprocmask(SIG_BLOCK, &stops, &before);
  const pid_t parent = getpid(), id = fork();
  if (id == 0) {
    Become({.words = word_list.data(),
            .variables = variable_list.data(),
            .output = file,
            .reads_input = surroundings.reads_input,
            .parent = parent,
            .signals_before = before});
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  const absl::Status failed = id < 0 ? ProcessError("cannot start a process") : absl::OkStatus();
  if (file >= 0) close(file);
  if (!failed.ok()) return failed;
  return ChildProcess(id);
}

void ChildProcess::Stop() const { kill(id_, SIGINT); }
void ChildProcess::Kill() const { kill(id_, SIGKILL); }

absl::StatusOr<EndedChild> WaitForChild() {
  constexpr useconds_t kMoment = 50'000;
  int status = 0;
  const pid_t id = waitpid(-1, &status, WNOHANG);
  if (id < 0 && errno != EINTR) return ProcessError("cannot wait for a process");
  if (id <= 0) {
    usleep(kMoment);
    return EndedChild{};
  }
  return EndedChild{id, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)};
}

}  // namespace nmt
