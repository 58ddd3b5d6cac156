// nmt compare: quality, attention, alignments and cost of several runs on one test set, side by side.
#include <memory>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/compare_runs.h"

namespace nmt {
namespace {

struct CompareArguments {
  CompareOptions options;
  std::vector<std::string> parts;
};

absl::Status Compare(CompareArguments arguments) {
  arguments.options.test.name = "the test set";
  for (const std::string& part : arguments.parts) {
    NMT_ASSIGN_OR_RETURN(arguments.options.parts.emplace_back(), ParseTestFiles(part));
  }
  return CompareRuns(arguments.options);
}

}  // namespace

void AddCompareCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<CompareArguments>();
  CompareOptions& options = arguments->options;
  CLI::App* command = app.add_subcommand(
      "compare", "Compare runs: quality, attention, alignments and cost, as a page to read");
  command->add_option("RUN", options.runs, "Run directories of nmt train")
      ->required()
      ->option_text("...")
      ->expected(1, 100);
  command
      ->add_option("--source", options.test.source, "Source sentences of the test set, one a line")
      ->required();
  command->add_option("--reference", options.test.reference, "Their reference translations")
      ->required();
  command->add_option("--gold", options.test.gold,
                      "Gold links between the two (s-t, from 0), for the alignment error rate");
  command
      ->add_option("--part", arguments->parts,
                   "A further test set, reported apart: NAME=SOURCE,REFERENCE[,LINKS]")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--out", options.out,
                   "Folder for index.html, report.json, report.md and heatmaps")
      ->required();
  command->add_flag("--seeds", options.seeds,
                    "Runs that differ in the seed alone are a group: mean and deviation, and tests "
                    "across the seeds");
  command->add_option("--lines", options.lines, "Sentences to show in report.md, counted from 1")
      ->delimiter(',');
  command->add_option("--samples", options.samples, "Without --lines: show so many")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--device", options.device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  SetUpThreadsOption(*command, options.threads);
  command->footer(
      "Example:\n  nmt compare runs/demo/gru runs/demo/transformer --source "
      "runs/demo/data/test_seen.en \\\n"
      "    --reference runs/demo/data/test_seen.de --gold runs/demo/data/test_seen.links --out "
      "runs/demo/report");
  command->callback([arguments, &run] { run = [arguments] { return Compare(*arguments); }; });
}

}  // namespace nmt
