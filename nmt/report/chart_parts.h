// The parts of a chart but its axes: titles and labels, how each curve looks, the legend that says so.
//
//   LabelMaker labels(shaper, MissingGlyphs::kAsCodePoints);
//   TextBlock title = Wrapped("A long title", kTitleStyle, /*width=*/60, labels);   // "A long", "title"
//   AddText(title, x, y, Anchor::kStart, drawing.shapes);
//   CurveStyle style = StyleOfSeries(chart, 0);                                     // blue, solid
//   y += AddLegend(chart, x, y, /*width=*/440, labels, drawing.shapes);
#ifndef NMT_REPORT_CHART_PARTS_H_
#define NMT_REPORT_CHART_PARTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "nmt/report/chart.h"
#include "nmt/report/drawing.h"
#include "nmt/report/heatmap_labels.h"

namespace nmt {

struct TextBlock {
  std::vector<Label> lines;                  // none for an empty text
  double width = 0, ascent = 0, height = 0;  // of the widest line, of the first, of all
};

// Broken at blanks. A word wider than `width`, and a very long text, end in "…".
TextBlock Wrapped(std::string_view raw, const TextStyle& style, double width, LabelMaker& labels);

// From (x, y): downwards, or, for upright text, which reads upwards, to the right.
void AddText(const TextBlock& block, double x, double y, Anchor anchor, std::vector<Shape>& shapes,
             bool is_upright = false);

// Okabe and Ito's colours ("Color universal design", 2008) as far as they stand out from white by
// 3 to 1 and more. Five further series take them again, told apart by dashes.
inline constexpr Color kSeriesColors[] = {{.red = 0x00, .green = 0x72, .blue = 0xb2},
                                          {.red = 0xd5, .green = 0x5e, .blue = 0x00},
                                          {.red = 0x00, .green = 0x9e, .blue = 0x73},
                                          {.red = 0x1a, .green = 0x1a, .blue = 0x1a},
                                          {.red = 0xcc, .green = 0x79, .blue = 0xa7}};

enum class Marker { kCircle, kSquare, kTriangle, kNone };

struct CurveStyle {
  Color color;
  double width = 1.75;
  std::vector<double> dashes;  // as Polyline::dashes
  Marker marker = Marker::kNone;
  bool has_band = false;
};

// A series of one point has a marker always: nothing else of it would show.
CurveStyle StyleOfSeries(const Chart& chart, size_t index);
CurveStyle StyleOfLevel(size_t index);

Polyline LineOf(std::vector<Vertex> points, const CurveStyle& style, std::string tooltip);
Polygon BandOf(std::vector<Vertex> points, const CurveStyle& style);
// Rimmed with white, so that it stands out from its line. Not for kNone.
Shape MarkerAt(const Vertex& point, const CurveStyle& style, std::string tooltip);

// The legend of series and levels that have a name, in as many columns as `width` has room for, with
// its upper left corner at (x, y). Returns its height.
double AddLegend(const Chart& chart, double x, double y, double width, LabelMaker& labels,
                 std::vector<Shape>& shapes);

}  // namespace nmt

#endif  // NMT_REPORT_CHART_PARTS_H_
