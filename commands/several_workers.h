// What the commands that several processes can share have in common: --workers, the launchers' variables, the machine's
// parts, and errors of one worker that end all.
#ifndef NMT_COMMANDS_SEVERAL_WORKERS_H_
#define NMT_COMMANDS_SEVERAL_WORKERS_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "nmt/base/status.h"
#include "nmt/distributed/process_group.h"

namespace nmt {

struct WorkerArguments {
  int64_t workers = 1;
  double timeout = GroupOptions().timeout;
};

// `--workers N` and `--worker-timeout SECONDS`; `meaning` says what the workers do.
void AddWorkerOptions(CLI::App& command, const std::string& meaning, WorkerArguments& arguments);

// What a command does as each worker, or as a process alone, on its device. A worker's work is over with
// Workers::Leave(); worker 0 may go on after it.
using WorkerCommand = std::function<absl::Status(Workers&, const WorkerPlace&, torch::Device)>;

// Runs `command` alone, or with other workers where a launcher started this one; with --workers starts
// that many processes of the same command line instead, and waits for them. Workers of a machine share
// `threads` (0: the cores) and have a GPU each.
absl::Status RunAsWorker(const WorkerArguments& arguments, int64_t threads,
                         const std::string& device, const WorkerCommand& command);

}  // namespace nmt

#endif  // NMT_COMMANDS_SEVERAL_WORKERS_H_
