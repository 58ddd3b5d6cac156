// Titles, axis labels and names of a chart: text from outside in as many lines as it needs.
//
//   LabelMaker labels(shaper, MissingGlyphs::kAsCodePoints);
//   TextBlock title = Wrapped("A long title", kTitleStyle, /*width=*/60, labels);   // "A long", "title"
#ifndef NMT_REPORT_CHART_TEXT_H_
#define NMT_REPORT_CHART_TEXT_H_

#include <string_view>
#include <vector>

#include "nmt/report/heatmap_labels.h"

namespace nmt {

// Texts longer than this many columns end in "…".
inline constexpr int kMaxChartTextColumns = 300;

struct TextBlock {
  std::vector<Label> lines;  // none for an empty text
  double width = 0;
  double ascent = 0;       // of the first line
  double line_height = 0;  // from baseline to baseline

  double Height() const { return static_cast<double>(lines.size()) * line_height; }
};

// Broken at blanks, and inside a word that is wider than `width` alone.
TextBlock Wrapped(std::string_view raw, const TextStyle& style, double width, LabelMaker& labels);

}  // namespace nmt

#endif  // NMT_REPORT_CHART_TEXT_H_
