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
#include "nmt/report/chart_curve.h"
#include "nmt/report/drawing.h"
#include "nmt/report/heatmap_layout.h"

namespace nmt {

// Where a chart's points lie.
struct ChartPlot {
  PlotArea area;
  Axis x, y;

  // In pixels; outside `area` where the value is beyond the axis.
  Vertex At(double x_value, double y_value) const;
};

struct ChartLayout {
  Drawing drawing;
  std::vector<ChartPlot> plots;  // one a panel
};

// `panels` is not empty and each passes CheckChart().
ChartLayout LayOutCharts(const std::vector<Chart>& panels, const TextShaper& shaper,
                         MissingGlyphs missing);

}  // namespace nmt

#endif  // NMT_REPORT_CHART_LAYOUT_H_
