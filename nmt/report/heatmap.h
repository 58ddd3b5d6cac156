// Pictures of attention: which source words each target word looked at.
//
//   Heatmap heatmap{.title = "GRU, additive attention", .source_labels = {"das", "Haus"},
//                   .target_labels = {"the", "house"}, .weights_TS = {0.9f, 0.1f, 0.2f, 0.8f}};
//   NMT_ASSIGN_OR_RETURN(PictureNotes notes,
//                        WriteHeatmaps({heatmap}, PictureFormat::kPdf, "line1.pdf"));
//   std::fputs(DrawHeatmapInTerminal(heatmap, TerminalColors::kNone, 80).c_str(), stdout);
//
// Rows are target words (down), columns source words (across). Several panels lie side by side in
// one picture, or all layers and heads in a grid, and share one colour scale, which always runs from
// 0 to 1. The first word of a sentence is left or on top in every script: columns are the order in
// which a model reads, and letters of a label run as its script does.
#ifndef NMT_REPORT_HEATMAP_H_
#define NMT_REPORT_HEATMAP_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

// A gold alignment link; 0-based word indices.
struct HeatmapCell {
  int64_t source = 0, target = 0;
  bool possible = false;  // a P link; otherwise a sure one
  // How many columns and rows the link spans: where labels are pieces, those of its words.
  int64_t sources = 1, targets = 1;
};

// One attention matrix with its words.
struct Heatmap {
  std::string title;                       // e.g. "GRU, additive attention"
  std::vector<std::string> source_labels;  // any bytes; what cannot be shown is replaced
  std::vector<std::string> target_labels;
  std::vector<float> weights_TS;  // row-major, T rows of S values in [0, 1]; each row sums to 1
  std::vector<HeatmapCell> gold;  // outlined; possible links with dashes
  // Whether the last label stands for the end-of-sentence symbol. It is then drawn as a grey,
  // slanted ⟨/s⟩, unlike the text "</s>" that a user may type.
  bool source_ends_with_end_symbol = false;
  bool target_ends_with_end_symbol = false;
};

// Matrices of the same words, one for each layer (down) and head (across).
struct HeatmapGrid {
  std::string title;
  std::vector<Heatmap> cells;  // row by row; with titles of their own, as "layer 2, head 3"
  int64_t columns = 1;         // cells in a row
};

// What a picture could not show as written.
struct PictureNotes {
  std::vector<char32_t> missing_glyphs;  // drawn as "U+6708"; sorted, each once
};

enum class PictureFormat {
  kPng,  // 192 dpi
  kSvg,  // text stays text, so nothing is replaced: the reader's machine finds the font
  kPdf,  // one page with embedded fonts, to be placed in a paper
};

// Writes `panels` side by side with one legend. The file is complete or absent.
//
// Errors name `path` and: no panel; weights that are not T x S or not in [0, 1] (within 0.001); a
// gold link outside the matrix; more than 1,000 words on a side; no font on the machine; a place
// that cannot be written to.
absl::StatusOr<PictureNotes> WriteHeatmaps(const std::vector<Heatmap>& panels, PictureFormat format,
                                           const std::filesystem::path& path);

// Writes a grid with one legend. Labels stand on its outer edge, left and above, where the cells are
// large enough for them. Errors are those of WriteHeatmaps(), and: cells of different words; a last
// row that is not full; more than 1,000 cells or 1,000,000 weights.
absl::StatusOr<PictureNotes> WriteHeatmapGrid(const HeatmapGrid& grid, PictureFormat format,
                                              const std::filesystem::path& path);

// Short for two formats.
absl::StatusOr<PictureNotes> WriteHeatmapPng(const std::vector<Heatmap>& panels,
                                             const std::filesystem::path& path);
absl::Status WriteHeatmapSvg(const std::vector<Heatmap>& panels, const std::filesystem::path& path);

// One line for the user about missing glyphs, empty if there are none: "no installed font has
// U+6708, U+4EAE: drawn as code points; ...".  Several pictures: join their lists, so that it is
// said once; a character that is in the list twice is named once.
std::string MissingGlyphsMessage(const std::vector<char32_t>& missing_glyphs);

enum class TerminalColors {
  kNone,       // shades " .:-=+*#%@"
  kAnsi256,    // the 256 colours of xterm
  kTrueColor,  // 24-bit colours
};

// The heatmap as lines of text, each at most `columns` wide (24 at least); a wide matrix continues
// in further blocks below. Gold links stand in brackets: [ ] sure, ( ) possible. A heatmap that
// WriteHeatmapPng refuses gives one line that says why.
std::string DrawHeatmapInTerminal(const Heatmap& heatmap, TerminalColors colors, int columns);

// The checks that all of them make.
absl::Status CheckHeatmap(const Heatmap& heatmap);
absl::Status CheckHeatmapGrid(const HeatmapGrid& grid);

}  // namespace nmt

#endif  // NMT_REPORT_HEATMAP_H_
