// Where everything in a picture of attention matrices lies, from measured text.
//
//   NMT_ASSIGN_OR_RETURN(TextShaper shaper, TextShaper::Create());
//   HeatmapLayout layout = LayOutHeatmaps(panels, shaper, MissingGlyphs::kAsCodePoints);
//   NMT_ASSIGN_OR_RETURN(std::string png, PngOf(layout.drawing, shaper));
//
//   +--------------------------------------------+
//   | title                  title               |
//   |          source words            source ...|   level, rising or upright, whichever fits
//   |  target  [][][][]        target  [][][][]  |
//   |   words  [][][][]         words  [][][][]  |
//   | attention weight 0 [      ] 1   gold link  |   one legend
//   +--------------------------------------------+
//
//   +--------------------------------------------+
//   | title of the grid                          |
//   |          layer 1, head 1   layer 1, head 2 |
//   |          source words      source words    |   if cells are large enough for labels
//   |  target  [][][][]          [][][][]        |
//   |   words  [][][][]          [][][][]        |
//   |          layer 2, head 1   layer 2, head 2 |
//   |  target  [][][][]          [][][][]        |
//   |   words  [][][][]          [][][][]        |
//   | attention weight 0 [      ] 1   gold link  |
//   +--------------------------------------------+
#ifndef NMT_REPORT_HEATMAP_LAYOUT_H_
#define NMT_REPORT_HEATMAP_LAYOUT_H_

#include <string>
#include <vector>

#include "nmt/report/drawing.h"
#include "nmt/report/heatmap.h"

namespace nmt {

// What becomes of a character that no font on this machine has.
enum class MissingGlyphs {
  kAsCodePoints,  // "U+6708", for pixels
  kAsWritten,     // for text that another machine will draw
};

struct HeatmapLayout {
  Drawing drawing;
  std::vector<char32_t> missing_glyphs;  // replaced ones; sorted, each once
};

// The outline of gold links: vermillion, distinct from every blue to colour-blind readers too.
inline constexpr Color kGoldColor{.red = 0xd5, .green = 0x5e, .blue = 0x00};

// What the end-of-sentence symbol is drawn as: mathematical brackets, which nobody types by chance.
inline constexpr const char* kEndSymbol = "⟨/s⟩";

// Labels longer than this many columns (nmt/report/printable.h) end in "…".
inline constexpr int kMaxLabelColumns = 60;

// `panels` is not empty and each passes CheckHeatmap().
HeatmapLayout LayOutHeatmaps(const std::vector<Heatmap>& panels, const TextShaper& shaper,
                             MissingGlyphs missing);

// `grid` passes CheckHeatmapGrid().
HeatmapLayout LayOutHeatmapGrid(const HeatmapGrid& grid, const TextShaper& shaper,
                                MissingGlyphs missing);

}  // namespace nmt

#endif  // NMT_REPORT_HEATMAP_LAYOUT_H_
