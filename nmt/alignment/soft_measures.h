// What attention says before links are read off it, and how far two of its kind agree.
// docs/alignment-measures.md has the formulas with worked examples.
//
//   WordSum gold_mass, entropy;
//   for (size_t i = 0; i < weights_TS.size(); ++i) {
//     gold_mass += GoldMass(weights_TS[i], gold[i]);
//     entropy += RowEntropy(weights_TS[i]);
//   }
//   gold_mass.Mean();   // over all target words of the corpus that have gold links
//
// Matrices are those of soft_matrix.h: a_ts is the weight that target word t gives source word s,
// and the last column is </s>. Matrices or links that do not fit each other are a programmer's
// error and throw std::invalid_argument.
#ifndef NMT_ALIGNMENT_SOFT_MEASURES_H_
#define NMT_ALIGNMENT_SOFT_MEASURES_H_

#include <cstdint>
#include <optional>
#include <span>

#include "nmt/alignment/soft_matrix.h"
#include "nmt/corpus/links.h"

namespace nmt {

// A measure of one sentence pair, or of any set of them: the sum. A corpus' mean weighs words, not
// sentences.
struct WordSum {
  double sum = 0;
  int64_t count = 0;

  WordSum& operator+=(const WordSum& other);
  std::optional<double> Mean() const;  // nothing where nothing was counted
  bool operator==(const WordSum&) const = default;
};

// The share of a target word's attention that lies on its gold sources, sure or possible: 0 to 1.
// Counts the target words that have gold links.
//   mass_t = sum of a_ts over the s that gold links to t
WordSum GoldMass(const SoftMatrix& weights_TS, const Links& gold);

// How spread out attention is, in nats: 0 for all on one column, ln(columns) when uniform; </s> is
// a column as the others. Counts the target words that have attention: those beyond what a model reads
// have none.
//   H_t = - sum_s a_ts ln a_ts,   0 ln 0 = 0
WordSum RowEntropy(const SoftMatrix& weights_TS);

// How far the attention that a source word receives is from one word's worth. The sum over t is the
// coverage of the GNMT paper (Wu et al., 2016, equation 14), which holds only what is below 1
// against a translation; here too much counts as well. Counts the source words, without </s>.
//   d_s = | 1 - sum_t a_ts |
// With all mass on </s> each d_s is 1. A target shorter than its source cannot reach 0.
WordSum CoverageDeviation(const SoftMatrix& weights_TS);

// Of two sets of links, 0 to 1: 2 |A n B| / (|A| + |B|), the Dice coefficient. As a WordSum, so
// that a corpus is judged by its sums; two empty sets have no Mean(). Marks of possible links do not
// matter.
WordSum LinkAgreement(const Links& a, const Links& b);

// Of both directions' attention over the words (</s> is left out), 0 to 1: the trace bonus that
// Cohn et al. (2016) train for, over its largest value.
//   sum_ts f_ts b_st / min(T, S)
// 1 needs each word of the shorter side to be linked, with all weight and both ways, to one of the
// other. `forward_TS` is T x (S + 1), `backward_ST` is S x (T + 1).
WordSum DirectionAgreement(const SoftMatrix& forward_TS, const SoftMatrix& backward_ST);

// The Jensen-Shannon divergence (Lin, 1991) of the rows of two attention matrices of one shape, in
// nats: 0 for equal rows, ln 2 for rows without a common column. Counts the rows that have attention in both.
//   m = (p + q) / 2,   JS = (sum_s p_s ln(p_s / m_s) + sum_s q_s ln(q_s / m_s)) / 2
WordSum JensenShannon(const SoftMatrix& p_TS, const SoftMatrix& q_TS);

// Spearman's rank correlation of two rows of weights, -1 to 1: Pearson's correlation of the ranks,
// equal weights sharing the mean of theirs. Nothing where a row has no two different weights (one
// column, say).
std::optional<double> RankCorrelation(std::span<const float> a, std::span<const float> b);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_SOFT_MEASURES_H_
