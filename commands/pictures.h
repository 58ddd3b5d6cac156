// From a model's attention to the heatmaps of nmt/report: shared by align and compare.
#ifndef NMT_COMMANDS_PICTURES_H_
#define NMT_COMMANDS_PICTURES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "nmt/alignment/selection.h"
#include "nmt/report/heatmap.h"

namespace nmt {

// Says which lines of a text are longer than the model reads: words behind have no links.
void WarnOfCuts(const std::vector<AlignedPair>& pairs, size_t first_line, const TrainedModel& model,
                const std::string& text);

// Whether sentence i can be drawn: words on both sides, and not more than a picture holds.
bool CanDraw(const AlignedPair& pair);

// The words of sentence i, with the weight of </s> as the last column; gold links outlined if
// given.
Heatmap WordHeatmap(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice,
                    const std::string& source, const std::string& target, const std::string& title,
                    const Links& gold);

// The pieces of sentence i as the model reads and writes them, </s> last on both sides; gold links
// outlined over the pieces of their words.
Heatmap PieceHeatmap(const CorpusAttention& attention, size_t i, const AttentionChoice& choice,
                     const Tokenizers& tokenizers, const Links& gold);

// Which sentences are drawn, and how.
struct PictureOptions {
  std::string folder;
  std::vector<std::string> formats;  // png, svg, pdf, term (on stderr)
  std::string labels = "words";      // or pieces
  bool grid = false;                 // all layers and heads in one picture
  std::vector<int64_t> lines;        // counted from 1; empty: the first `most`
  int64_t most = 10;
};

// Draws the sentences that were asked for, as they come by.
class Pictures {
 public:
  // `trained` must outlive this.
  Pictures(PictureOptions options, const AlignmentChoice& choice, const TrainedModel& trained)
      : options_(std::move(options)), choice_(choice), trained_(trained) {}

  // Sentence i of the part is line `line` of the file, counted from 1.
  absl::Status Draw(const CorpusAttention& attention, size_t i, int64_t line,
                    const std::string& source, const std::string& target, const Links& gold);
  // Says what was drawn, and which characters no font has.
  void Conclude() const;

 private:
  bool Wanted(int64_t line) const;
  absl::Status Write(const HeatmapGrid& grid, const std::string& format,
                     const std::filesystem::path& path);

  const PictureOptions options_;
  const AlignmentChoice choice_;
  const TrainedModel& trained_;
  int64_t drawn_ = 0;
  std::vector<char32_t> missing_;
};

}  // namespace nmt

#endif  // NMT_COMMANDS_PICTURES_H_
