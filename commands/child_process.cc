#include "commands/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace nmt {
namespace {

absl::Status ProcessError(const std::string& what) {
  return DataError(fmt::format("{}: {}", what, std::strerror(errno)));
}

// In the child, between fork and exec: nothing but system calls, as another thread may have held a lock.
[[noreturn]] void Become(char* const* words, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGINT);
  if (getppid() != parent) _exit(1);  // it died before the line above
  if (output >= 0) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
  }
  if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) dup2(nothing, STDIN_FILENO);
  execv("/proc/self/exe", words);
  _exit(127);
}

}  // namespace

absl::StatusOr<ChildProcess> ChildProcess::Start(const std::vector<std::string>& arguments,
                                                 const std::filesystem::path& output) {
  std::vector<std::string> words{"nmt"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  int file = -1;
  if (!output.empty()) {
    file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return ProcessError(output.string());
  }
  // Who started this program may have ignored it, which hides the end of children.
  std::signal(SIGCHLD, SIG_DFL);
  const pid_t parent = getpid(), id = fork();
  if (id == 0) Become(pointers.data(), file, parent);
  const absl::Status failed = id < 0 ? ProcessError("cannot start a process") : absl::OkStatus();
  if (file >= 0) close(file);
  if (!failed.ok()) return failed;
  return ChildProcess(id);
}

void ChildProcess::Stop() const { kill(id_, SIGINT); }

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
