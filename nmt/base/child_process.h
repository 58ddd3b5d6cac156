// This program again, as a child: one command with its own memory, which can fail or be stopped alone.
//
//   NMT_ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Start({"train", "run.yaml"}, {.output = "train.log"}));
//   NMT_ASSIGN_OR_RETURN(const EndedChild ended, WaitForChild());   // ended.id == child.id() when it has
#ifndef NMT_BASE_CHILD_PROCESS_H_
#define NMT_BASE_CHILD_PROCESS_H_

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

class ChildProcess {
 public:
  struct Surroundings {
    std::filesystem::path
        output;  // all it prints is appended here; empty: where this process prints
    std::vector<std::string> environment;  // "NAME=value", besides this process's own variables
    bool reads_input = false;              // the input of this process; else it has none
  };
  // The child is in a group of its own, so that Ctrl-C reaches it through Stop() alone, and it is asked to end
  // when this process dies.
  static absl::StatusOr<ChildProcess> Start(const std::vector<std::string>& arguments,
                                            const Surroundings& surroundings);

  pid_t id() const { return id_; }
  void Stop() const;  // asks it to end, as Ctrl-C does
  void Kill() const;  // ends it at once

 private:
  explicit ChildProcess(pid_t id) : id_(id) {}
  pid_t id_;
};

// Waits for any child, at most a moment. `exit_status` is -signal for one that a signal ended.
struct EndedChild {
  pid_t id = 0;  // 0: none has ended yet
  int exit_status = 0;
};
// An error where there is no child to wait for.
absl::StatusOr<EndedChild> WaitForChild();

}  // namespace nmt

#endif  // NMT_BASE_CHILD_PROCESS_H_
