// Runs of one config with different seeds: what they have in common.
//
//   for (const SeedGroup& group : SeedGroups(comparison.models)) Print(group.name, group.bleu->mean);
#ifndef NMT_REPORT_SEED_GROUPS_H_
#define NMT_REPORT_SEED_GROUPS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "nmt/report/comparison.h"

namespace nmt {

struct MeanAndDeviation {
  double mean = 0;
  std::optional<double> deviation;  // of the sample (divided by runs - 1); none of a single run
  size_t runs = 0;                  // that have the value
};
// Values that are no number are left out; without any there is none.
std::optional<MeanAndDeviation> MeanOf(const std::vector<std::optional<double>>& values);

struct SeedGroup {
  std::string name;            // ModelResult::group
  std::vector<size_t> models;  // indices, rising
  std::optional<MeanAndDeviation> bleu, chrf, ter, aer;
  struct Part {
    std::optional<MeanAndDeviation> bleu, aer;
  };
  std::vector<Part> parts;  // one for each of Comparison::parts
};

// In the order of their first runs; runs that name no group are in none. Empty where each has one run.
std::vector<SeedGroup> SeedGroups(const Comparison& comparison);

}  // namespace nmt

#endif  // NMT_REPORT_SEED_GROUPS_H_
