// Sums what the report says of attention over the test set, sentence by sentence.
//
//   AttentionSummary summary(comparison.models.size());
//   for each sentence:  summary.Add(forced_TS, record);   // fills the record's measures
//   summary.Finish(comparison);                           // fills the models' measures and `agreements`
#ifndef NMT_REPORT_ATTENTION_SUMMARY_H_
#define NMT_REPORT_ATTENTION_SUMMARY_H_

#include <utility>
#include <vector>

#include "nmt/alignment/aer.h"
#include "nmt/alignment/soft_matrix.h"
#include "nmt/alignment/soft_measures.h"
#include "nmt/report/comparison.h"

namespace nmt {

class AttentionSummary {
 public:
  // Which models are compared with each other; Finish() lists them in this order.
  using Pairs = std::vector<std::pair<size_t, size_t>>;
  AttentionSummary(size_t models, Pairs pairs);
  // All pairs: (0, 1), (0, 2), ..., (1, 2), ...
  explicit AttentionSummary(size_t models) : AttentionSummary(models, AllPairs(models)) {}
  static Pairs AllPairs(size_t models);

  // `forced_TS`: each model's weights between the words of source and reference, with its
  // alignment_choice. Needs the record's source, gold and reference_links; fills its aer, entropy,
  // coverage and divergence. Call it once a sentence; one without words on a side adds nothing, nor do
  // words that a model did not read (zero rows).
  void Add(const std::vector<SoftMatrix>& forced_TS, SentenceRecord& record);

  // Sets aer, precision, recall (where there was gold), the means of `alignment` and `agreements`.
  void Finish(Comparison& comparison) const;

 private:
  struct OfModel {
    AerCounts aer;
    WordSum gold_mass, entropy, coverage, end_mass, punctuation_mass;
  };
  struct OfPair {
    size_t a = 0, b = 0;
    WordSum links, divergence, rank_correlation;
  };

  std::vector<OfModel> models_;
  std::vector<OfPair> pairs_;
  bool has_gold_ = false;
};

}  // namespace nmt

#endif  // NMT_REPORT_ATTENTION_SUMMARY_H_
