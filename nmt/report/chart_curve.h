// The curves of a chart cut to the plot, in pixels.
//
//   for (std::vector<Vertex>& piece : VisiblePieces(points, plot)) ...   // a Polyline each
//   std::vector<Vertex> area = VisibleArea(band, plot);                  // a Polygon
#ifndef NMT_REPORT_CHART_CURVE_H_
#define NMT_REPORT_CHART_CURVE_H_

#include <vector>

#include "nmt/report/drawing.h"

namespace nmt {

// Where a plot lies in its picture.
struct PlotArea {
  double left = 0, top = 0, right = 0, bottom = 0;

  // With a hundredth of a pixel for rounding.
  bool Contains(const Vertex& point) const;
};

// The parts of the line through `points` that lie inside; each has two points at least.
std::vector<std::vector<Vertex>> VisiblePieces(const std::vector<Vertex>& points,
                                               const PlotArea& plot);

// The part of a polygon that lies inside; empty if none does. Where a hollow polygon falls into
// parts, edges along the border join them.
std::vector<Vertex> VisibleArea(std::vector<Vertex> polygon, const PlotArea& plot);

// A line that looks the same at two pixels a unit: of consecutive points within half a unit in x,
// the first, the lowest, the highest and the last. A loss curve of a million updates stays small.
std::vector<Vertex> Thinned(const std::vector<Vertex>& points);

}  // namespace nmt

#endif  // NMT_REPORT_CHART_CURVE_H_
