// Two directions merged into one: an aligner from source to target gives links A, one from target
// to source gives B, and each errs where the other need not.
//
//   NMT_ASSIGN_OR_RETURN(const Symmetrization method, ParseSymmetrization("grow-diag-final-and"));
//   const Links merged = Symmetrize(forward, ReversedLinks(backward), method);
//
// Both sides are sets of links, source first; the merged links are within A u B, contain A n B, and
// are sorted as by ParseLinks. Marks of possible links do not matter, and merged links have none.
//
// The growing methods (Och and Ney, 2003; Koehn et al., 2003) start from A n B. A word is covered
// when a merged link holds it.
//
//   grow: pass over the merged links, and add each neighbour (the eight cells around a link) that
//         is in A u B, unless its words are covered; again until a pass adds nothing
//   final: pass over A, then over B, and add each link unless its words are covered
//
//   name                  links are added where                          scan
//   intersection          -                                              -
//   union                 -                                              -
//   grow-diag             grow: one word or both are uncovered           target by target
//   grow-diag-final       as grow-diag; final: one word or both are      target by target
//   grow-diag-final-and   as grow-diag; final: both words are            target by target
//   lilt-grow-diag        grow: both words are uncovered                 source by source
//   lilt-grow-diag-final  as lilt-grow-diag; final: both words are       source by source
//
// A link that is added covers its words at once, so the order decides: merged links are visited in
// the order of the scan, those added ahead of it within the same pass. The first five are those of
// Moses (mosesdecoder, symal/symal.cpp), which tries a link's neighbours as (target, source)
// offsets (-1,0) (0,-1) (1,0) (0,1) (-1,-1) (-1,1) (1,-1) (1,1). The last two are those of the
// scripts that the published outputs for the gold sets were merged with (lilt/alignment-scripts,
// combine_bidirectional_alignments.py). That script takes its offsets in the order of a Python set.
// Only diagonal ones can have two uncovered words, and the (source, target) order (-1,1) (-1,-1)
// (1,-1) (1,1) gives the published files link for link.
//
// atools of fast_align adds on Moses' conditions, but it scans the links still to add, source by
// source, for a merged neighbour: of A = {2-2, 3-1, 3-2} and B = {2-2} it leaves out 3-2. On the
// published outputs it ends with other links than Moses in 386 of 2,406 sentences.
#ifndef NMT_ALIGNMENT_SYMMETRIZE_H_
#define NMT_ALIGNMENT_SYMMETRIZE_H_

#include <string>
#include <string_view>
#include <vector>

#include "nmt/alignment/links.h"
#include "nmt/base/status.h"

namespace nmt {

enum class Symmetrization {
  kIntersection,
  kUnion,
  kGrowDiag,
  kGrowDiagFinal,
  kGrowDiagFinalAnd,
  kLiltGrowDiag,
  kLiltGrowDiagFinal,
};

// The names above, in their order.
std::vector<std::string> SymmetrizationNames();

// A usage error with the known names when `name` is none of them.
absl::StatusOr<Symmetrization> ParseSymmetrization(std::string_view name);

// Both source first: ReversedLinks() turns what an aligner from target to source wrote.
Links Symmetrize(const Links& forward, const Links& backward, Symmetrization method);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_SYMMETRIZE_H_
