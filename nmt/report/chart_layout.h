// Where everything in a picture of line charts lies, from measured text.
//
//   NMT_ASSIGN_OR_RETURN(TextShaper shaper, TextShaper::Create());
//   ChartLayout layout = LayOutCharts(panels, shaper, MissingGlyphs::kAsCodePoints);
//   NMT_ASSIGN_OR_RETURN(std::string png, PngOf(layout.drawing, shaper));
//
//   +------------------------------------------------+
//   |    title                    title              |
//   |    +---------------+        +---------------+  |
//   | y  |               |     y  |               |  |   plots of one size
//   |    +---------------+        +---------------+  |
//   |            x                        x          |
//   |    -- GRU  -- LSTM          -- GRU  -- LSTM    |   a legend each, below the data
//   +------------------------------------------------+
#ifndef NMT_REPORT_CHART_LAYOUT_H_
#define NMT_REPORT_CHART_LAYOUT_H_

#include <vector>

#include "nmt/report/chart.h"
#include "nmt/report/chart_axis.h"
#include "nmt/report/chart_parts.h"
#include "nmt/report/drawing.h"
#include "nmt/report/heatmap_layout.h"

namespace nmt {

// One chart: its parts, measured and placed.
struct ChartPanel {
  const Chart* chart = nullptr;
  ChartPlot plot;
  TextBlock title, x_label, y_label;
  double tick_width = 0;  // of the y axis' labels
  double legend_height = 0;
};

// Between parts, in pixels.
inline constexpr double kTitleGap = 10, kLabelGap = 8, kLegendGap = 14;

// Draws it (chart_panel.cc).
void AddPanel(const ChartPanel& panel, LabelMaker& labels, std::vector<Shape>& shapes);

struct ChartLayout {
  Drawing drawing;
  std::vector<ChartPlot> plots;  // one a panel
};

// `charts` is not empty and each passes CheckChart().
ChartLayout LayOutCharts(const std::vector<Chart>& charts, const TextShaper& shaper,
                         MissingGlyphs missing);

}  // namespace nmt

#endif  // NMT_REPORT_CHART_LAYOUT_H_
