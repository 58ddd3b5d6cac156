// What the report says of quality beyond one score a model: paired tests with the distribution of
// the resampled difference, and scores of groups of sentences or words.
//
//   const PairedTest test = ApproximateRandomization(system, baseline, score);
//   comparison.tests.push_back({.model = 1, .metric = "BLEU", .difference = test.difference,
//                               .p_value = test.p_value,
//                               .samples = int64_t(test.differences.size()),
//                               .differences = HistogramOf(test.differences)});
#ifndef NMT_REPORT_REPORT_QUALITY_H_
#define NMT_REPORT_REPORT_QUALITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nmt/metrics/significance.h"

namespace nmt {

// Bin i holds the values from low + i * (high - low) / bins on; the last one `high` as well.
struct Histogram {
  double low = 0, high = 0;
  std::vector<int64_t> counts;

  bool operator==(const Histogram&) const = default;
};

// From the least value to the largest; values that are no number are left out. Without any value
// there are no bins.
Histogram HistogramOf(const std::vector<double>& values, int bins = 41);

// Is the difference of two models more than chance? docs/metrics.md says how to read it.
struct PairedResult {
  int64_t model = 0, baseline = 0;  // indices into Comparison::models
  std::string metric;               // "BLEU"
  std::string test;                 // "approximate randomization", "paired bootstrap"
  std::string over = "sentences";   // what is exchanged or drawn: "sentences", "seeds"
  double difference = 0;            // the model's score minus the baseline's
  double p_value = 1;
  int64_t samples = 0;
  Histogram differences;  // of the samples
};

// Scores of a part of the test set, e.g. "unseen combinations" or "1 to 10 words". One entry a
// model, in the order of Comparison::models; missing entries are shown as absent.
struct PartResult {
  std::string part;
  int64_t sentences = 0;
  std::vector<double> bleu, chrf;
  std::vector<std::optional<double>> aer;
  std::vector<std::optional<double>> ter;
  // Of the words that belong to the part (word frequency), where a sentence belongs to several: how
  // many there are in the references, and the F-score of finding them, 0 to 1.
  int64_t words = 0;
  std::vector<std::optional<double>> word_f;
};

// The test set cut into parts by one property.
struct Breakdown {
  std::string by;    // "source length"
  std::string note;  // how it was counted: "words of the source line, cut at blanks"
  std::vector<PartResult> parts;
};

}  // namespace nmt

#endif  // NMT_REPORT_REPORT_QUALITY_H_
