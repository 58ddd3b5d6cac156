#include "nmt/metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace nmt {
namespace {

double Mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.) / values.size();
}

PairedTest WithDifferences(double difference, std::vector<double> system_scores,
                           std::vector<double> baseline_scores) {
  PairedTest test{.difference = difference,
                  .p_value = 1,
                  .system_scores = std::move(system_scores),
                  .baseline_scores = std::move(baseline_scores),
                  .differences = {}};
  test.differences.reserve(test.system_scores.size());
  for (size_t r = 0; r < test.system_scores.size(); ++r) {
    test.differences.push_back(test.system_scores[r] - test.baseline_scores[r]);
  }
  return test;
}

std::vector<double> Absolute(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

}  // namespace

ScoreInterval EstimateInterval(std::vector<double> scores) {
  if (scores.empty()) return {};
  std::sort(scores.begin(), scores.end());
  const size_t outside = scores.size() / 40;
  return {.mean = Mean(scores),
          .half_width = 0.5 * (scores[scores.size() - outside - 1] - scores[outside])};
}

double PValue(double difference, const std::vector<double>& statistics) {
  const double observed = std::abs(difference);
  const auto is_zero = [](double t) { return t == 0; };
  if (observed == 0 && std::all_of(statistics.begin(), statistics.end(), is_zero)) return 1;
  const int64_t larger = std::count_if(statistics.begin(), statistics.end(),
                                       [observed](double t) { return t > observed; });
  return static_cast<double>(larger + 1) / (statistics.size() + 1);
}

PairedTest BootstrapTest(double difference, std::vector<double> system_scores,
                         std::vector<double> baseline_scores) {
  PairedTest test =
      WithDifferences(difference, std::move(system_scores), std::move(baseline_scores));
  std::vector<double> statistics = Absolute(test.differences);
  const double mean = Mean(statistics);
  for (double& statistic : statistics) statistic -= mean;
  test.p_value = PValue(difference, statistics);
  return test;
}

PairedTest RandomizationTest(double difference, std::vector<double> system_scores,
                             std::vector<double> baseline_scores) {
  PairedTest test =
      WithDifferences(difference, std::move(system_scores), std::move(baseline_scores));
  test.p_value = PValue(difference, Absolute(test.differences));
  return test;
}

PairedTest SeedPermutation(const std::vector<double>& system, const std::vector<double>& baseline) {
  PairedTest test;
  if (system.empty() || baseline.empty()) return test;
  std::vector<double> scores = system;
  scores.insert(scores.end(), baseline.begin(), baseline.end());
  std::vector<char> taken(scores.size(), false);  // by the system
  std::fill(taken.begin(), taken.begin() + static_cast<int64_t>(system.size()), true);
  const auto add = [&] {
    double sums[2] = {0, 0};
    for (size_t i = 0; i < scores.size(); ++i) sums[taken[i] ? 0 : 1] += scores[i];
    test.system_scores.push_back(sums[0] / static_cast<double>(system.size()));
    test.baseline_scores.push_back(sums[1] / static_cast<double>(baseline.size()));
    test.differences.push_back(test.system_scores.back() - test.baseline_scores.back());
  };
  add();  // the way that was found; from it, downwards, all others
  test.difference = test.differences[0];
  constexpr size_t kMostWays = 200'000, kDrawn = 10'000;
  while (test.differences.size() <= kMostWays && std::prev_permutation(taken.begin(), taken.end()))
    add();
  if (test.differences.size() > kMostWays) {
    SplitMix64 random(RandomizationOptions().seed);
    for (auto* drawn : {&test.system_scores, &test.baseline_scores, &test.differences})
      drawn->resize(1);
    while (test.differences.size() < kDrawn) {
      for (size_t i = taken.size(); i > 1; --i) std::swap(taken[i - 1], taken[random.Below(i)]);
      add();
    }
  }
  // Ways that are equal but for the order of a sum count as equal.
  const double least = std::abs(test.difference) * (1 - 1e-9) - 1e-12;
  const auto as_far = std::count_if(test.differences.begin(), test.differences.end(),
                                    [&](double d) { return std::abs(d) >= least; });
  test.p_value = static_cast<double>(as_far) / static_cast<double>(test.differences.size());
  return test;
}

}  // namespace nmt
