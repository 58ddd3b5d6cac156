#include "nmt/report/report_quality.h"

#include <algorithm>
#include <cmath>

namespace nmt {

Histogram HistogramOf(const std::vector<double>& values, int bins) {
  std::vector<double> numbers;
  std::copy_if(values.begin(), values.end(), std::back_inserter(numbers),
               [](double value) { return std::isfinite(value); });
  if (numbers.empty()) return {};
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  Histogram histogram{.low = *low, .high = *high, .counts = std::vector<int64_t>(bins, 0)};
  for (const double value : numbers) {
    const double share = *high > *low ? (value - *low) / (*high - *low) : 0;
    ++histogram.counts[std::min(bins - 1, static_cast<int>(share * bins))];
  }
  return histogram;
}

}  // namespace nmt
