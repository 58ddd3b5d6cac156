// The edits of the translation edit rate, as the program Tercom counts them (Snover et al., 2006), with the
// choices of sacreBLEU 2.6.0, which decide the last digit.
//
//   CountEditsWithShifts({1, 2, 3, 4}, {3, 4, 1, 2});   // 1: "1 2" moves behind "3 4"
//
// The fewest edits with shifts are too costly to find (the problem is NP-complete), so shifts are
// sought greedily: as long as one lowers the edit distance (insertions, deletions, substitutions),
// the one that lowers it most is taken. A shift is tried only for
//
// - words in a row that stand in the reference too, at most 10, at most 50 positions away;
// - where the alignment by edit distance has an error in them, and one at their place in the
//   reference.
//
// After 1,000 shifts tried for a sentence no other is taken. The edit distance is sought in a beam of
// 25 positions on either side of the diagonal.
#ifndef NMT_METRICS_TERCOM_H_
#define NMT_METRICS_TERCOM_H_

#include <cstdint>
#include <vector>

namespace nmt {

// Insertions, deletions, substitutions and shifts that turn the hypothesis into the reference. Words
// are given as numbers.
int64_t CountEditsWithShifts(const std::vector<int32_t>& hypothesis,
                             const std::vector<int32_t>& reference);

}  // namespace nmt

#endif  // NMT_METRICS_TERCOM_H_
