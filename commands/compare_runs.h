// Runs on one test set, side by side: what nmt compare does, and nmt experiment at its end.
//
//   NMT_RETURN_IF_ERROR(CompareRuns({.runs = {"runs/demo/gru", "runs/demo/transformer"},
//                                    .test = {.source = "test.en", .reference = "test.de"},
//                                    .out = "report"}));
#ifndef NMT_COMMANDS_COMPARE_RUNS_H_
#define NMT_COMMANDS_COMPARE_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "commands/test_set.h"

namespace nmt {

struct CompareOptions {
  std::vector<std::string> runs;
  TestFiles test;
  std::vector<TestFiles> parts;  // further test sets, reported apart
  std::string out;               // takes index.html, report.json, report.md and heatmaps/
  bool seeds = false;  // runs of one config are a group: mean, deviation, tests across seeds
  std::vector<int64_t> lines;  // shown in report.md, from 1; empty: `samples` of them
  int64_t samples = 5;
  std::string device = "auto";
  int64_t threads = 0;  // 0: all cores
};

absl::Status CompareRuns(const CompareOptions& options);

}  // namespace nmt

#endif  // NMT_COMMANDS_COMPARE_RUNS_H_
