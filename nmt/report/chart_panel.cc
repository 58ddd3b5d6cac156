#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "nmt/report/chart_layout.h"
#include "nmt/report/picture_style.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

constexpr Color kMinorGridColor{.red = 0xf0, .green = 0xf1, .blue = 0xf3};

// On whole pixels of a PNG, so that thin lines are sharp.
double Sharp(double position) { return std::round(2 * position) / 2; }

// Grid, ticks with their labels, and the frame.
void AddAxes(const ChartPlot& plot, std::vector<Shape>& shapes) {
  const auto add_label = [&](const Tick& tick, double x, double y, Anchor anchor) {
    if (tick.label.empty()) return;
    shapes.push_back(Text{x, y, /*degrees=*/0, anchor, kInk, kTickStyle, tick.label});
  };
  // Minor lines first: the others cross over them.
  for (const bool is_major : {false, true}) {
    const Color color = is_major ? kGridColor : kMinorGridColor;
    const double length = is_major ? 5 : 2.5;
    for (const Tick& tick : plot.y.ticks) {
      if (tick.label.empty() == is_major) continue;
      const double at = plot.At(plot.x.min, tick.value).y, y = Sharp(at);
      shapes.push_back(Line{plot.left, y, plot.right, y, color});
      shapes.push_back(Line{plot.left - length, y, plot.left, y, kFrameColor});
      add_label(tick, plot.left - kLabelGap, at + 0.36 * kTickStyle.size, Anchor::kEnd);
    }
    for (const Tick& tick : plot.x.ticks) {
      if (tick.label.empty() == is_major) continue;
      const double at = plot.At(tick.value, plot.y.min).x, x = Sharp(at);
      shapes.push_back(Line{x, plot.top, x, plot.bottom, color});
      shapes.push_back(Line{x, plot.bottom, x, plot.bottom + length, kFrameColor});
      add_label(tick, at, plot.bottom + kLabelGap + 0.76 * kTickStyle.size, Anchor::kMiddle);
    }
  }
  shapes.push_back(Box{plot.left, plot.top, plot.right - plot.left, plot.bottom - plot.top,
                       /*fill=*/{}, kFrameColor});
}

// "GRU: update 300, loss 4.2 (4.1 to 4.3)"
std::string TooltipOf(const Chart& chart, const ChartSeries& series, size_t i) {
  const auto before = [](const std::string& text, const char* end) {
    return text.empty() ? "" : text + end;
  };
  std::string tip =
      fmt::format("{}{}{:.6g}, {}{:.6g}", before(series.name, ": "), before(chart.x.label, " "),
                  series.x[i], before(chart.y.label, " "), series.y[i]);
  if (!series.low.empty()) tip += fmt::format(" ({:.6g} to {:.6g})", series.low[i], series.high[i]);
  return PrintableText(tip);
}

// Bands, levels, lines and markers, each over those before.
void AddCurves(const Chart& chart, const ChartPlot& plot, std::vector<Shape>& shapes) {
  const auto points_of = [&plot](const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<Vertex> points;
    for (size_t i = 0; i < x.size(); ++i) points.push_back(plot.At(x[i], y[i]));
    return points;
  };
  // A line along the border keeps its whole width.
  Clipped curves{plot.left - 1, plot.top - 1, plot.right - plot.left + 2,
                 plot.bottom - plot.top + 2};
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    if (series.low.empty()) continue;
    std::vector<Vertex> band = points_of(series.x, series.high);
    const std::vector<Vertex> low = points_of(series.x, series.low);
    band.insert(band.end(), low.rbegin(), low.rend());
    curves.shapes.push_back(BandOf(std::move(band), StyleOfSeries(chart, i)));
  }
  for (size_t i = 0; i < chart.levels.size(); ++i) {
    const auto& [name, y] = chart.levels[i];
    curves.shapes.push_back(LineOf({plot.At(plot.x.min, y), plot.At(plot.x.max, y)},
                                   StyleOfLevel(i), PrintableText(name)));
  }
  std::vector<Shape> markers;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    const CurveStyle style = StyleOfSeries(chart, i);
    const std::vector<Vertex> points = points_of(series.x, series.y);
    if (points.size() > 1) {
      curves.shapes.push_back(LineOf(points, style, PrintableText(series.name)));
    }
    for (size_t p = 0; style.marker != Marker::kNone && p < points.size(); ++p) {
      if (!plot.Contains(series.x[p], series.y[p])) continue;
      markers.push_back(MarkerAt(points[p], style, TooltipOf(chart, series, p)));
    }
  }
  shapes.push_back(std::move(curves));
  shapes.insert(shapes.end(), markers.begin(), markers.end());
}

}  // namespace

void AddPanel(const ChartPanel& panel, LabelMaker& labels, std::vector<Shape>& shapes) {
  const ChartPlot& plot = panel.plot;
  AddText(panel.title, plot.left, plot.top - kTitleGap - panel.title.height, Anchor::kStart,
          shapes);
  AddAxes(plot, shapes);
  AddCurves(*panel.chart, plot, shapes);
  const double x = plot.left - kLabelGap - panel.tick_width - kLabelGap - panel.y_label.height;
  AddText(panel.y_label, x, (plot.top + plot.bottom) / 2, Anchor::kMiddle, shapes,
          /*is_upright=*/true);
  double y = plot.bottom + kLabelGap + kTickStyle.size;
  if (!panel.x_label.lines.empty()) y += kLabelGap;
  AddText(panel.x_label, (plot.left + plot.right) / 2, y, Anchor::kMiddle, shapes);
  y += panel.x_label.height + kLegendGap;
  AddLegend(*panel.chart, plot.left, y, plot.right - plot.left, labels, shapes);
}

}  // namespace nmt
