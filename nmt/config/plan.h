// The plan of an experiment: which runs, in which variants, with which seeds, and what they are compared on.
//
//   out: ../../runs/attention              # run directories and report
//   seeds: [1, 2, 3]
//   set: {threads: 1}                      # keys for all runs
//   runs:
//     - config: ../demo-gru.yaml           # one run for each of the scores, or for each combination of lists
//       set: {model.attention: [additive, dot]}
//     - config: ../demo-transformer.yaml
//       name: transformer                  # else the name of the config's file
//   test: {source: test.en, reference: test.de, gold: test.links}     # else data.test of the first run
//   parts:
//     unseen: {source: unseen.en, reference: unseen.de}
//
// Paths are relative to the plan's file, but for those in `set`, which are the config's. Several keys with lists make every
// combination.
#ifndef NMT_CONFIG_PLAN_H_
#define NMT_CONFIG_PLAN_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/config/options.h"

namespace nmt {

struct PlannedRun {
  std::string name;                    // "demo-gru-dot-seed2", which is its folder in `out`
  std::filesystem::path config;        // absolute
  std::vector<std::string> overrides;  // "key=value", run_dir and seed among them
  Options options;                     // what they come to
};

struct PlannedTest {
  std::string name;
  std::string source, reference, gold;  // absolute paths; gold may be empty
};

struct Plan {
  std::filesystem::path out;
  size_t seeds = 1;              // of each config
  std::vector<PlannedRun> runs;  // seeds of one config side by side
  PlannedTest test;
  std::vector<PlannedTest> parts;
};

// UsageError with one line a fault: the plan's own, with its line, and those of the configs under their
// overrides, with the line of the run's entry. Names of runs are told apart.
absl::StatusOr<Plan> ReadPlan(const std::filesystem::path& yaml_file);

}  // namespace nmt

#endif  // NMT_CONFIG_PLAN_H_
