// From a model's attention to the heatmaps of nmt/report: shared by align and compare.
#ifndef NMT_COMMANDS_PICTURES_H_
#define NMT_COMMANDS_PICTURES_H_

#include <string>
#include <vector>

#include "nmt/alignment/selection.h"
#include "nmt/report/heatmap.h"

namespace nmt {

// "GRU, additive attention"
std::string ModelTitle(const ModelOptions& options);

// Whether sentence i can be drawn: words on both sides, and not more than a picture holds.
bool CanDraw(const AlignedPair& pair);

// The words of sentence i, with the weight of </s> as the last column; gold links outlined if
// given.
Heatmap WordHeatmap(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice,
                    const std::string& source, const std::string& target, const std::string& title,
                    const Links& gold);

}  // namespace nmt

#endif  // NMT_COMMANDS_PICTURES_H_
