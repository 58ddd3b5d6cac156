// Two directions' attention merged before links are read off it: a link needs weight from both.
//
//   const SoftMatrix product_TS = ProductMerge(forward_TS, backward_ST);
//   const Links links = LinksAbove(product_TS, 0.25);   // where both give half, say
//
// As Liang et al. (2006, "Alignment by Agreement") multiply the posteriors of two aligners.
// symmetrize.h merges links instead.
#ifndef NMT_ALIGNMENT_SOFT_MERGE_H_
#define NMT_ALIGNMENT_SOFT_MERGE_H_

#include "nmt/alignment/soft_matrix.h"
#include "nmt/corpus/links.h"

namespace nmt {

// T x S, without </s>: p_ts = f_ts b_st. Rows do not sum to 1. `forward_TS` is T x (S + 1) and
// `backward_ST` is S x (T + 1), attention as soft_matrix.h has it; other sizes are a programmer's
// error and throw std::invalid_argument.
SoftMatrix ProductMerge(const SoftMatrix& forward_TS, const SoftMatrix& backward_ST);

// The words whose product is at least the threshold, which must be above 0.
Links LinksAbove(const SoftMatrix& product_TS, double threshold);

// Each target word with the source word of its largest product, of equal ones the first. A target
// word whose products are all 0 has no link.
Links LinksOfLargest(const SoftMatrix& product_TS);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_SOFT_MERGE_H_
