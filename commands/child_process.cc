#include "commands/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

extern char** environ;

namespace nmt {

absl::StatusOr<ChildProcess> ChildProcess::Start(const std::vector<std::string>& arguments,
                                                 const std::filesystem::path& output) {
  std::vector<std::string> words{"nmt"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!output.empty()) {
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  }
  pid_t id = 0;
  const int error =
      posix_spawn(&id, "/proc/self/exe", &files, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return DataError(fmt::format("cannot start a process for `nmt {}`: {}", arguments.at(0),
                                 std::strerror(error)));
  return ChildProcess(id);
}

void ChildProcess::Stop() const { kill(id_, SIGINT); }

EndedChild WaitForChild() {
  constexpr useconds_t kMoment = 50'000;
  int status = 0;
  const pid_t id = waitpid(-1, &status, WNOHANG);
  if (id <= 0) {
    usleep(kMoment);
    return {};
  }
  return {id, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)};
}

}  // namespace nmt
