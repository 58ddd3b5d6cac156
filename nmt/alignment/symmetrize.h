// Two directions merged into one: an aligner from source to target gives links A, one from target
// to source gives B, and each errs where the other need not.
//
//   NMT_ASSIGN_OR_RETURN(const Symmetrization method, ParseSymmetrization("grow-diag-final-and"));
//   const Links merged = Symmetrize(forward, backward, method);
//
// Both sides are sets of links, source first; the merged links are within A u B, contain A n B, and
// are sorted as by ParseLinks. Marks of possible links do not matter, and merged links have none.
//
// The growing methods (Och and Ney, 2003; Koehn et al., 2003) start from A n B. A word is covered
// when a merged link holds it.
//
//   grow: add each link of A u B that has a merged one as neighbour (in the eight cells around it),
//         unless its words are covered; pass after pass, until one adds nothing
//   final: pass over A, then over B, and add each link unless its words are covered
//
//   name                  links are added where
//   intersection          -
//   union                 -
//   grow-diag             grow: one word or both are uncovered
//   grow-diag-final       as grow-diag; final: one word or both are
//   grow-diag-final-and   as grow-diag; final: both words are
//   atools-grow-diag, atools-grow-diag-final, atools-grow-diag-final-and: as above
//   lilt-grow-diag        grow: both words are uncovered
//   lilt-grow-diag-final  as lilt-grow-diag; final: both words are
//
// A link that is added covers its words at once, so the order decides, and it tells the families
// apart:
//
//   grow-diag*   Moses (mosesdecoder, symal/symal.cpp). A pass visits the merged links target by
//                target, those that it adds ahead of itself too, and tries their neighbours, as
//                (target, source) offsets (-1,0) (0,-1) (1,0) (0,1) (-1,-1) (-1,1) (1,-1) (1,1).
//   atools-*     atools of fast_align (clab/fast_align, src/atools.cc). A pass visits the links of
//                A u B source by source, and looks for a merged neighbour.
//   lilt-*       the scripts that merged the published outputs for the gold sets
//                (lilt/alignment-scripts, combine_bidirectional_alignments.py). A pass visits the
//                merged links source by source. It takes the offsets in the order of a Python set;
//                only diagonal ones can have two uncovered words, and the (source, target) order
//                (-1,1) (-1,-1) (1,-1) (1,1) gives the published files link for link.
//
// On the published outputs Moses and atools end with other links in 386 of 2,406 sentences; of
// A = {2-2, 3-1, 3-2} and B = {2-2}, say, atools leaves out 3-2. Within a pass of "final" any order
// that keeps to that of the words gives the same links.
#ifndef NMT_ALIGNMENT_SYMMETRIZE_H_
#define NMT_ALIGNMENT_SYMMETRIZE_H_

#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/corpus/links.h"

namespace nmt {

enum class Symmetrization {
  kIntersection,
  kUnion,
  kGrowDiag,
  kGrowDiagFinal,
  kGrowDiagFinalAnd,
  kAtoolsGrowDiag,
  kAtoolsGrowDiagFinal,
  kAtoolsGrowDiagFinalAnd,
  kLiltGrowDiag,
  kLiltGrowDiagFinal,
};

// The names above, in their order.
std::vector<std::string> SymmetrizationNames();

// A usage error with the known names when `name` is none of them.
absl::StatusOr<Symmetrization> ParseSymmetrization(std::string_view name);

// Both source first: what an aligner from target to source wrote is read with
// LinkOrder::kTargetFirst.
Links Symmetrize(const Links& forward, const Links& backward, Symmetrization method);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_SYMMETRIZE_H_
