// Fills what the report says of quality from the sentences' texts: scores of models and of single
// sentences, intervals, paired tests, breakdowns.
//
//   NMT_RETURN_IF_ERROR(SummarizeQuality(comparison));   // needs models, sentences with references
//   comparison.breakdowns.push_back(BreakdownByLength(comparison, {1, 6, 11, 16, 21}));
//   comparison.breakdowns.push_back(BreakdownByFrequency(comparison, counts, {0, 1, 10, 100}));
#ifndef NMT_REPORT_QUALITY_SUMMARY_H_
#define NMT_REPORT_QUALITY_SUMMARY_H_

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/metrics/significance.h"
#include "nmt/report/comparison.h"

namespace nmt {

struct QualityOptions {
  BootstrapOptions bootstrap;          // of the intervals
  RandomizationOptions randomization;  // of the tests
  // Pairs (model, baseline) to test; not given: every further model against the first.
  std::optional<std::vector<std::pair<int64_t, int64_t>>> pairs;
};

// BLEU, chrF and TER with the default options of nmt/metrics, of every model and every sentence, with
// intervals, signatures and approximate randomisation; appends to `tests`. A data error when a sentence
// has not as many translations as there are models.
absl::Status SummarizeQuality(Comparison& comparison, const QualityOptions& options = {});

// Appends to `tests` the permutation of seeds of every further group (ModelResult::group) against the first,
// for BLEU, chrF, TER and AER, and the BLEU of each of `parts`; `model` and `baseline` are then the first runs of the groups. Groups of one run
// take part where the other has several; of two single runs there is no test.
void TestAcrossSeeds(Comparison& comparison);

// Sentences of bounds[i] to bounds[i + 1] - 1 source words, the last part without an end; parts without
// sentences are left out. `bounds` rise.
Breakdown BreakdownByLength(const Comparison& comparison, const std::vector<int64_t>& bounds);

// How often each word stands in some lines, as BreakdownByFrequency cuts them (BLEU's 13a).
using WordCounts = std::unordered_map<std::string, int64_t>;
void CountWords(const std::string& line, WordCounts& counts);

// Words by how often they stand in the training text, as BreakdownByLength cuts it. Each part has the
// F-score of its words, each counted in a sentence as often as both texts have it:
//   P = matches / words of the translations,   R = matches / words of the references,   F = 2 P R / (P + R)
Breakdown BreakdownByFrequency(const Comparison& comparison, const WordCounts& training,
                               const std::vector<int64_t>& bounds);

}  // namespace nmt

#endif  // NMT_REPORT_QUALITY_SUMMARY_H_
