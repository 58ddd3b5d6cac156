#include "nmt/report/chart_parts.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <sstream>
#include <utility>

#include "nmt/report/picture_style.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

// Lengths in pixels.
constexpr double kKeyWidth = 30, kKeyGap = 7, kColumnGap = 22, kRowGap = 3;
constexpr double kBandHeight = 10, kMarkerRadius = 3.5;

// For the first and for the second five series.
const std::vector<double> kSolid[] = {{}, {9, 3, 2, 3}}, kDashed[] = {{6, 4}, {12, 4}};
const std::vector<double> kLevelDashes[] = {{5, 4}, {2, 3}};
constexpr Color kLevelColor{.red = 0x5f, .green = 0x66, .blue = 0x70};

struct LegendEntry {
  CurveStyle style;
  TextBlock name;
};

// The columns' widths, gaps included, if the entries stand in `count` of them, row by row.
std::vector<double> ColumnWidths(const std::vector<LegendEntry>& entries, size_t count) {
  std::vector<double> widths(count);
  for (size_t i = 0; i < entries.size(); ++i) {
    const double width = kKeyWidth + kKeyGap + entries[i].name.width + kColumnGap;
    widths[i % count] = std::max(widths[i % count], width);
  }
  return widths;
}

// A short piece of the curve, as wide as the key.
void AddKey(const CurveStyle& style, double left, double middle, std::vector<Shape>& shapes) {
  const double right = left + kKeyWidth, high = middle - kBandHeight / 2, low = high + kBandHeight;
  if (style.has_band) {
    shapes.push_back(BandOf({{left, high}, {right, high}, {right, low}, {left, low}}, style));
  }
  shapes.push_back(LineOf({{left, middle}, {right, middle}}, style, ""));
  if (style.marker == Marker::kNone) return;
  shapes.push_back(MarkerAt({(left + right) / 2, middle}, style, ""));
}

}  // namespace

TextBlock Wrapped(std::string_view raw, const TextStyle& style, double width, LabelMaker& labels) {
  constexpr int kMaxColumns = 300;
  TextBlock block;
  std::string line;
  std::istringstream words(ElideToColumns(PrintableText(raw), kMaxColumns));
  for (std::string word; words >> word;) {
    Label label = labels.Make(line + word, style, kMaxColumns);
    if (line.empty() || label.size.width > width) {
      label = labels.Make(word, style, kMaxColumns);
      for (int columns = DisplayWidth(word); label.size.width > width && columns > 1;) {
        label = labels.Make(word, style, --columns);
      }
      line.clear();
      block.lines.emplace_back();
    }
    block.lines.back() = std::move(label);
    line += word + " ";
  }
  const TextSize largest = Largest(block.lines);
  block.width = largest.width;
  block.ascent = std::max(largest.ascent, 0.78 * style.size);
  block.height = static_cast<double>(block.lines.size()) *
                 (block.ascent + std::max(largest.descent, 0.24 * style.size) + 3);
  return block;
}

void AddText(const TextBlock& block, double x, double y, Anchor anchor, std::vector<Shape>& shapes,
             bool is_upright) {
  double& across = is_upright ? x : y;
  across += block.ascent;
  for (const Label& line : block.lines) {
    const double degrees = is_upright ? -90 : 0;
    shapes.push_back(Text{x, y, degrees, anchor, kInk, line.style, line.text});
    across += block.height / static_cast<double>(block.lines.size());
  }
}

CurveStyle StyleOfSeries(const Chart& chart, size_t index) {
  constexpr size_t kColors = std::size(kSeriesColors);
  const ChartSeries& series = chart.series[index];
  const bool has_marker = series.markers || series.x.size() == 1;
  return {.color = kSeriesColors[index % kColors],
          .dashes = (series.dashed ? kDashed : kSolid)[index / kColors % 2],
          .marker = has_marker ? static_cast<Marker>(index % 3) : Marker::kNone,
          .has_band = !series.low.empty()};
}

CurveStyle StyleOfLevel(size_t index) {
  return {.color = kLevelColor, .width = 1.25, .dashes = kLevelDashes[index % 2]};
}

Polyline LineOf(std::vector<Vertex> points, const CurveStyle& style, std::string tooltip) {
  return {std::move(points), style.color, style.width, style.dashes, std::move(tooltip)};
}

Polygon BandOf(std::vector<Vertex> points, const CurveStyle& style) {
  return {.points = std::move(points), .fill = style.color, .opacity = 0.2};
}

Shape MarkerAt(const Vertex& point, const CurveStyle& style, std::string tooltip) {
  const double r = kMarkerRadius;
  if (style.marker == Marker::kCircle) {
    return Circle{point.x, point.y, r, style.color, kWhite, /*stroke_width=*/1, std::move(tooltip)};
  }
  // Of about the circle's area.
  std::vector<Vertex> corners = {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}};
  if (style.marker == Marker::kTriangle) corners = {{0, -1.3}, {1.2, 0.8}, {-1.2, 0.8}};
  for (Vertex& corner : corners) corner = {point.x + r * corner.x, point.y + r * corner.y};
  return Polygon{std::move(corners), style.color,       /*opacity=*/1, kWhite,
                 /*stroke_width=*/1, std::move(tooltip)};
}

double AddLegend(const Chart& chart, double x, double y, double width, LabelMaker& labels,
                 std::vector<Shape>& shapes) {
  std::vector<LegendEntry> entries;
  const auto list = [&](const std::string& name, CurveStyle style) {
    TextBlock block = Wrapped(name, kLegendStyle, width - kKeyWidth - kKeyGap, labels);
    if (!block.lines.empty()) entries.push_back({std::move(style), std::move(block)});
  };
  for (size_t i = 0; i < chart.series.size(); ++i) {
    list(chart.series[i].name, StyleOfSeries(chart, i));
  }
  for (size_t i = 0; i < chart.levels.size(); ++i) list(chart.levels[i].name, StyleOfLevel(i));

  size_t columns = entries.size();
  std::vector<double> widths = ColumnWidths(entries, columns);
  while (columns > 1 && std::accumulate(widths.begin(), widths.end(), -kColumnGap) > width) {
    widths = ColumnWidths(entries, --columns);
  }
  double left = x, top = y, bottom = y;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && i % columns == 0) left = x, top = bottom + kRowGap;
    const auto& [style, name] = entries[i];
    AddKey(style, left, top + name.ascent - 0.36 * kLegendStyle.size, shapes);
    AddText(name, left + kKeyWidth + kKeyGap, top, Anchor::kStart, shapes);
    left += widths[i % columns];
    bottom = std::max(bottom, top + name.height);
  }
  return bottom - y;
}

}  // namespace nmt
