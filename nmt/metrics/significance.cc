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

}  // namespace nmt
