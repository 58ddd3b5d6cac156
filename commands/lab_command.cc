#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.h"
#include "nmt/base/file.h"
#include "nmt/lab/experiments.h"

namespace nmt {
namespace {

// Lines of the terminal that prose may fill.
constexpr int kColumns = 100;

struct LabCommandOptions {
  std::string experiment;
  std::filesystem::path out = "runs/lab";
  LabOptions lab;
  int64_t threads = 0;
};

absl::Status Lab(const LabCommandOptions& options) {
  if (options.out.empty()) return UsageError("--out: found an empty name, expected a folder");
  if (options.threads > 0) at::set_num_threads(static_cast<int>(options.threads));
  const auto images = options.out / "images";
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(images));
  const bool all = options.experiment.empty();
  std::vector<LabReport> reports;
  int64_t checks = 0, failures = 0;
  for (const Experiment& experiment : Experiments()) {
    if (!all && experiment.name != options.experiment) continue;
    LabReport& report = reports.emplace_back(experiment.name, experiment.title);
    experiment.run(options.lab, report);
    fmt::print("{}",
               ReportForTerminal(report, all ? LabDetail::kChecks : LabDetail::kAll, kColumns));
    // A reader that has gone ends the work now, not after it.
    if (std::fflush(stdout) != 0) return DataError("cannot write to the standard output");
    NMT_RETURN_IF_ERROR(WriteLabPlots(report, images));
    checks += report.checks();
    failures += report.failures();
  }
  const std::filesystem::path document = options.out / "lab.md";
  if (all) NMT_RETURN_IF_ERROR(WriteFileAtomically(document, LabDocument(reports, options.lab)));
  fmt::print("{} of {} checks passed; plots in {}{}\n", checks - failures, checks, images.string(),
             all ? ", the whole as a document in " + document.string() : std::string());
  if (failures > 0) return DataError(fmt::format("lab: {} of {} checks failed", failures, checks));
  return absl::OkStatus();
}

}  // namespace

void AddLabCommand(CLI::App& app, Run& run) {
  const auto options = std::make_shared<LabCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "lab", "Experiments that show what attention does, expected values beside measured ones");
  std::vector<std::string> names;
  std::string list = "Experiments:\n";
  for (const Experiment& experiment : Experiments()) {
    names.push_back(experiment.name);
    list += fmt::format("  {:<16} {}\n", experiment.name, experiment.title);
  }
  command->add_option("experiment", options->experiment, "One of those below; all if left out")
      ->check(CLI::IsMember(names).description(""))
      ->type_name("NAME");
  command
      ->add_option("--out", options->out,
                   "Folder for images/ (each plot as SVG and PNG) and, if all run, lab.md")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_option("--seed", options->lab.seed, "Seed of all random numbers")
      ->check(CLI::Range(int64_t{0}, int64_t{4294967295}))
      ->capture_default_str();
  SetUpThreadsOption(*command, options->threads);
  command->footer(list + "Example:\n  nmt lab scaling");
  command->callback([options, &run] { run = [options] { return Lab(*options); }; });
}

}  // namespace nmt
