// How each curve of a chart looks, and the legend that says so.
//
//   CurveStyle style = StyleOfSeries(chart, 0);                  // blue, solid
//   ChartLegend legend = LegendOf(chart, /*width=*/440, labels);
//   for (Shape& shape : ShapesOf(legend, x, y)) ...
#ifndef NMT_REPORT_CHART_LEGEND_H_
#define NMT_REPORT_CHART_LEGEND_H_

#include <optional>
#include <string>
#include <vector>

#include "nmt/report/chart.h"
#include "nmt/report/chart_text.h"
#include "nmt/report/drawing.h"

namespace nmt {

// Okabe and Ito's colours ("Color universal design", 2008) as far as they stand out from white by
// 3 to 1 and more. Further series take them again, told apart by dashes and the shape of markers.
inline constexpr Color kSeriesColors[] = {{.red = 0x00, .green = 0x72, .blue = 0xb2},
                                          {.red = 0xd5, .green = 0x5e, .blue = 0x00},
                                          {.red = 0x00, .green = 0x9e, .blue = 0x73},
                                          {.red = 0x1a, .green = 0x1a, .blue = 0x1a},
                                          {.red = 0xcc, .green = 0x79, .blue = 0xa7}};

enum class Marker { kCircle, kSquare, kTriangle, kDiamond };

struct CurveStyle {
  Color color;
  double width = 1.75;
  std::vector<double> dashes;  // as Polyline::dashes
  std::optional<Marker> marker;
  bool has_band = false;
};

// A series of one point has a marker always: nothing else of it would show.
CurveStyle StyleOfSeries(const Chart& chart, size_t index);
CurveStyle StyleOfLevel(size_t index);

// Rimmed with white, so that it stands out from its line.
Shape MarkerAt(const Vertex& point, const CurveStyle& style, std::string tooltip);

struct LegendEntry {
  double x = 0, y = 0;  // of its upper left corner, from that of the legend
  CurveStyle style;
  TextBlock name;
};

struct ChartLegend {
  std::vector<LegendEntry> entries;  // of series and levels that have a name, in their order
  double height = 0;
};

// In as many columns as `width` has room for.
ChartLegend LegendOf(const Chart& chart, double width, LabelMaker& labels);

// With the legend's upper left corner at (x, y).
std::vector<Shape> ShapesOf(const ChartLegend& legend, double x, double y);

inline constexpr double kBandOpacity = 0.2;

}  // namespace nmt

#endif  // NMT_REPORT_CHART_LEGEND_H_
