// The alignment error rate (Och and Ney, 2003): how far hypothesised links A are from the links of
// human annotators, who mark sure ones S and possible ones P (which take in S).
//
//   absl::StatusOr<AerScore> score = CorpusAer(hypothesis_links, gold_links);
//   fmt::print("AER {:.2f} %\n", 100 * score->aer);
//
//   precision = |A n P| / |A|,   recall = |A n S| / |S|
//   AER = 1 - (|A n S| + |A n P|) / (|A| + |S|)
//   F   = 2 precision recall / (precision + recall)
//
// F is the balanced F-measure (Fraser and Marcu, 2007, alpha 0.5): precision is over the possible
// links, recall over the sure ones. Where all gold links are sure, AER = 1 - F.
//
// Over a corpus the counts are summed first. What has nothing to get wrong is perfect: precision is
// 1 without hypothesised links, recall is 1 without sure ones, AER is 0 without either.
#ifndef NMT_ALIGNMENT_AER_H_
#define NMT_ALIGNMENT_AER_H_

#include <cstdint>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/corpus/links.h"

namespace nmt {

// What AER needs to know of a sentence, or of any set of sentences: the sum.
struct AerCounts {
  int64_t hypothesis = 0;        // |A|
  int64_t sure = 0;              // |S|
  int64_t possible = 0;          // |P|
  int64_t matched_sure = 0;      // |A n S|
  int64_t matched_possible = 0;  // |A n P|

  AerCounts& operator+=(const AerCounts& other);
  bool operator==(const AerCounts&) const = default;
};

struct AerScore {
  double aer = 0;        // 0 to 1, less is better
  double precision = 1;  // 0 to 1
  double recall = 1;
  double f_measure = 1;  // 0 where precision and recall are
  AerCounts counts;
};

// The counts of one sentence pair. Both sides are sets: order and repetition do not matter. Whether
// a hypothesised link is marked as possible does not either.
AerCounts CountAer(const Links& hypothesis, const Links& gold);

AerScore ComputeAer(const AerCounts& counts);

// ComputeAer of the summed counts. A data error with both counts when the numbers of sentences
// differ.
absl::StatusOr<AerScore> CorpusAer(const std::vector<Links>& hypotheses,
                                   const std::vector<Links>& golds);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_AER_H_
