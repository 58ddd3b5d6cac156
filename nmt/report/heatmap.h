// Pictures of attention: which source words each target word looked at.
//
//   Heatmap heatmap{.title = "GRU, additive attention", .source_labels = {"das", "Haus"},
//                   .target_labels = {"the", "house"}, .weights_TS = {0.9f, 0.1f, 0.2f, 0.8f}};
//   NMT_ASSIGN_OR_RETURN(PictureNotes notes, WriteHeatmapPng({heatmap}, "line1.png"));
//   std::fputs(DrawHeatmapInTerminal(heatmap, TerminalColors::kNone, 80).c_str(), stdout);
//
// Rows are target words (down), columns source words (across). Several panels lie side by side in
// one picture and share one colour scale, which always runs from 0 to 1.
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

// What a picture could not show as written.
struct PictureNotes {
  std::vector<char32_t> missing_glyphs;  // drawn as "U+6708"; sorted, each once
};

// Writes `panels` side by side with one legend. The file is complete or absent.
//
// Errors name `path` and: no panel; weights that are not T x S or not in [0, 1] (within 0.001); a
// gold link outside the matrix; more than 1,000 words on a side; no font on the machine; a place
// that cannot be written to.
absl::StatusOr<PictureNotes> WriteHeatmapPng(const std::vector<Heatmap>& panels,
                                             const std::filesystem::path& path);

// As WriteHeatmapPng. Text stays text, so nothing is replaced: the reader's machine finds the font.
absl::Status WriteHeatmapSvg(const std::vector<Heatmap>& panels, const std::filesystem::path& path);

// One line for the user about missing glyphs, empty if there are none: "no installed font has
// U+6708, U+4EAE: drawn as code points; ...".  Several pictures: join their lists, so that it is
// said once.
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

// The checks that all three make.
absl::Status CheckHeatmap(const Heatmap& heatmap);

}  // namespace nmt

#endif  // NMT_REPORT_HEATMAP_H_
