// What the commands share: how one is added to the program.
#ifndef NMT_COMMANDS_COMMAND_H_
#define NMT_COMMANDS_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "nmt/base/status.h"

namespace nmt {

// The work of the command that the user named; set by that command's callback.
using Run = std::function<absl::Status()>;

// "nmt 0.1.0, LibTorch 2.11.0"
std::string Version();

// Each adds one subcommand to `app`, and sets `run` when the command line names it.
void AddTrainCommand(CLI::App& app, Run& run);
void AddAverageCommand(CLI::App& app, Run& run);
void AddTranslateCommand(CLI::App& app, Run& run);
void AddAlignCommand(CLI::App& app, Run& run);
void AddScoreCommand(CLI::App& app, Run& run);
void AddAerCommand(CLI::App& app, Run& run);
void AddCompareCommand(CLI::App& app, Run& run);
void AddExperimentCommand(CLI::App& app, Run& run);
void AddLabCommand(CLI::App& app, Run& run);
void AddDataCommand(CLI::App& app, Run& run);
void AddInfoCommand(CLI::App& app, Run& run);
void AddConfigCommand(CLI::App& app, Run& run);

// `--threads N`: for the commands that compute.
inline void SetUpThreadsOption(CLI::App& command, int64_t& threads) {
  command.add_option("--threads", threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 1024));
}

}  // namespace nmt

#endif  // NMT_COMMANDS_COMMAND_H_
