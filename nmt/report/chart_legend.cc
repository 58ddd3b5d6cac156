#include "nmt/report/chart_legend.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "nmt/report/picture_style.h"

namespace nmt {
namespace {

// Lengths in pixels.
constexpr double kKeyWidth = 30, kKeyGap = 7, kColumnGap = 22, kRowGap = 3;
constexpr double kBandHeight = 10;
constexpr double kMarkerRadius = 3.5;
constexpr size_t kManyPoints = 500;  // a noisy curve; a wide line would blur it

const std::vector<double> kSolid[] = {{}, {9, 3, 2, 3}, {2, 2}};
const std::vector<double> kDashed[] = {{6, 4}, {12, 4}, {6, 3, 2, 3, 2, 3}};
const std::vector<double> kLevelDashes[] = {{5, 4}, {2, 3}, {10, 4}, {8, 3, 2, 3}};
constexpr Color kLevelColor{.red = 0x5f, .green = 0x66, .blue = 0x70};

// The columns' widths if the entries stand in `count` of them, row by row.
std::vector<double> ColumnWidths(const std::vector<LegendEntry>& entries, size_t count) {
  std::vector<double> widths(count);
  for (size_t i = 0; i < entries.size(); ++i) {
    double& width = widths[i % count];
    width = std::max(width, kKeyWidth + kKeyGap + entries[i].name.width);
  }
  return widths;
}

double Total(const std::vector<double>& widths) {
  double total = -kColumnGap;
  for (const double width : widths) total += width + kColumnGap;
  return total;
}

// Regular shapes of about one area.
Shape MarkerShape(Marker marker, const Vertex& at, Color color, std::string tooltip) {
  const double r = kMarkerRadius;
  std::vector<Vertex> points;
  switch (marker) {
    case Marker::kCircle:
      return Circle{.x = at.x,
                    .y = at.y,
                    .radius = r,
                    .fill = color,
                    .stroke = kWhite,
                    .tooltip = std::move(tooltip)};
    case Marker::kSquare:
      points = {{-0.9 * r, -0.9 * r}, {0.9 * r, -0.9 * r}, {0.9 * r, 0.9 * r}, {-0.9 * r, 0.9 * r}};
      break;
    case Marker::kTriangle:
      points = {{0, -1.3 * r}, {1.2 * r, 0.8 * r}, {-1.2 * r, 0.8 * r}};
      break;
    case Marker::kDiamond:
      points = {{0, -1.3 * r}, {1.3 * r, 0}, {0, 1.3 * r}, {-1.3 * r, 0}};
      break;
  }
  for (Vertex& point : points) point = {at.x + point.x, at.y + point.y};
  return Polygon{
      .points = std::move(points), .fill = color, .stroke = kWhite, .tooltip = std::move(tooltip)};
}

}  // namespace

CurveStyle StyleOfSeries(const Chart& chart, size_t index) {
  constexpr size_t kColors = std::size(kSeriesColors);
  const ChartSeries& series = chart.series[index];
  const size_t round = index / kColors % std::size(kSolid);
  CurveStyle style{.color = kSeriesColors[index % kColors],
                   .width = series.x.size() > kManyPoints ? 1.25 : 1.75,
                   .dashes = series.dashed ? kDashed[round] : kSolid[round],
                   .has_band = !series.low.empty()};
  if (series.markers || series.x.size() == 1) style.marker = static_cast<Marker>(index % 4);
  return style;
}

CurveStyle StyleOfLevel(size_t index) {
  return {.color = kLevelColor,
          .width = 1.25,
          .dashes = kLevelDashes[index % std::size(kLevelDashes)],
          .marker = {}};
}

Shape MarkerAt(const Vertex& point, const CurveStyle& style, std::string tooltip) {
  return MarkerShape(style.marker.value_or(Marker::kCircle), point, style.color,
                     std::move(tooltip));
}

ChartLegend LegendOf(const Chart& chart, double width, LabelMaker& labels) {
  ChartLegend legend;
  const auto list = [&](const std::string& name, CurveStyle style) {
    TextBlock block = Wrapped(name, kLegendStyle, width - kKeyWidth - kKeyGap, labels);
    if (block.lines.empty()) return;
    legend.entries.push_back({.style = std::move(style), .name = std::move(block)});
  };
  for (size_t i = 0; i < chart.series.size(); ++i) {
    list(chart.series[i].name, StyleOfSeries(chart, i));
  }
  for (size_t i = 0; i < chart.levels.size(); ++i) list(chart.levels[i].name, StyleOfLevel(i));
  if (legend.entries.empty()) return legend;

  size_t columns = legend.entries.size();
  while (columns > 1 && Total(ColumnWidths(legend.entries, columns)) > width) --columns;
  const std::vector<double> widths = ColumnWidths(legend.entries, columns);
  for (size_t row = 0; row < legend.entries.size(); row += columns) {
    double x = 0, height = 0;
    for (size_t i = row; i < std::min(row + columns, legend.entries.size()); ++i) {
      legend.entries[i].x = x;
      legend.entries[i].y = legend.height;
      x += widths[i - row] + kColumnGap;
      height = std::max(height, legend.entries[i].name.Height());
    }
    legend.height += height + kRowGap;
  }
  legend.height -= kRowGap;
  return legend;
}

std::vector<Shape> ShapesOf(const ChartLegend& legend, double x, double y) {
  std::vector<Shape> shapes;
  for (const LegendEntry& entry : legend.entries) {
    const CurveStyle& style = entry.style;
    const double left = x + entry.x;
    double baseline = y + entry.y + entry.name.ascent;
    const double middle = baseline - 0.36 * kLegendStyle.size;
    if (style.has_band) {
      shapes.push_back(Polygon{.points = {{left, middle - kBandHeight / 2},
                                          {left + kKeyWidth, middle - kBandHeight / 2},
                                          {left + kKeyWidth, middle + kBandHeight / 2},
                                          {left, middle + kBandHeight / 2}},
                               .fill = style.color,
                               .opacity = kBandOpacity,
                               .stroke = {},
                               .tooltip = {}});
    }
    shapes.push_back(Polyline{.points = {{left, middle}, {left + kKeyWidth, middle}},
                              .color = style.color,
                              .width = style.width,
                              .dashes = style.dashes,
                              .tooltip = {}});
    if (style.marker) shapes.push_back(MarkerAt({left + kKeyWidth / 2, middle}, style, ""));
    for (const Label& line : entry.name.lines) {
      shapes.push_back(Text{.x = left + kKeyWidth + kKeyGap,
                            .y = baseline,
                            .color = kInk,
                            .style = line.style,
                            .text = line.text});
      baseline += entry.name.line_height;
    }
  }
  return shapes;
}

}  // namespace nmt
