// The program `nmt`: parses the command line, runs one command, prints one line when it fails.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <torch/torch.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "commands/command.h"
#include "nmt/config/nearest.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

// Keeps freed memory in the process: tensors of a step are freed and asked for again thousands of
// times, and giving the pages back to the kernel each time costs an eighth of a training step.
void KeepMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2000 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
}

// c10::Error prints a backtrace in what(); the first line says what is wrong.
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// A message may quote a file: nothing in it speaks to the terminal.
std::string Printable(const std::string& message) {
  std::string printable;
  for (const std::string& line : SplitLines(message))
    printable += (printable.empty() ? "" : "\n") + CleanLine(line);
  return printable;
}

// What is wrong with the first word, if it should be a command.
std::string UnknownCommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const std::string word = argv[1];
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return "";
  const std::string_view meant = Nearest(word, {names.begin(), names.end()});
  return Printable(fmt::format("unknown command \"{}\", {}", word,
                               meant.empty()
                                   ? "expected one of " + fmt::format("{}", fmt::join(names, ", "))
                                   : fmt::format("did you mean \"{}\"?", std::string(meant))));
}

int Main(int argc, char** argv) {
  KeepMemory();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error, not a sudden death
  CLI::App app{
      "nmt trains, aligns and compares two neural translators: a GRU encoder-decoder with additive "
      "attention and a "
      "transformer with scaled dot-product attention.",
      "nmt"};
  app.set_version_flag("--version", Version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Run run;
  AddTrainCommand(app, run);
  AddAverageCommand(app, run);
  AddTranslateCommand(app, run);
  AddAlignCommand(app, run);
  AddCompareCommand(app, run);
  AddExperimentCommand(app, run);
  AddScoreCommand(app, run);
  AddAerCommand(app, run);
  AddLabCommand(app, run);
  AddDataCommand(app, run);
  AddInfoCommand(app, run);
  AddConfigCommand(app, run);
  if (const std::string fault = UnknownCommand(app, argc, argv); !fault.empty()) {
    fmt::print(stderr, "nmt: {}\n", fault);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  absl::Status status;
  try {
    status = run();
  } catch (const c10::Error& error) {
    status = DataError(FirstLine(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    status = DataError(FirstLine(error.what()));
  }
  if (std::fflush(stdout) != 0 && status.ok())
    status = DataError("cannot write to the standard output");
  if (!status.ok()) fmt::print(stderr, "nmt: {}\n", Printable(std::string(status.message())));
  return ExitCode(status);
}

}  // namespace

std::string Version() { return std::string("nmt 0.1.0, LibTorch ") + TORCH_VERSION; }

}  // namespace nmt

int main(int argc, char** argv) { return nmt::Main(argc, argv); }
