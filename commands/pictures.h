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

// Which sentences are drawn, and how.
struct PictureOptions {
  std::string folder;
  std::vector<std::string> formats;  // png, svg, term (on stderr)
  std::vector<int64_t> lines;        // counted from 1; empty: the first `most`
  int64_t most = 10;
};

// Draws the sentences that were asked for, as they come by.
class Pictures {
 public:
  Pictures(PictureOptions options, AlignmentChoice choice, std::string title)
      : options_(std::move(options)), choice_(choice), title_(std::move(title)) {}

  // Sentence i of the part is line `line` of the file, counted from 1.
  absl::Status Draw(const CorpusAttention& attention, size_t i, int64_t line,
                    const std::string& source, const std::string& target, const Links& gold);
  // Says what was drawn, and which characters no font has.
  void Conclude() const;

 private:
  bool Wanted(int64_t line) const;

  const PictureOptions options_;
  const AlignmentChoice choice_;
  const std::string title_;
  int64_t drawn_ = 0;
  std::vector<char32_t> missing_;
};

}  // namespace nmt

#endif  // NMT_COMMANDS_PICTURES_H_
