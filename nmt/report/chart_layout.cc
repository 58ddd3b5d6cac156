#include "nmt/report/chart_layout.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "nmt/report/picture_style.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

// Lengths in pixels.
constexpr double kColumnGap = 32, kRowGap = 28;
constexpr double kTickLabelGap = 12;        // between neighbours on the x axis
constexpr double kXStep = 50, kYStep = 48;  // between labelled ticks, about

struct PlotSize {
  double width, height;
};
constexpr PlotSize kPlotSizes[] = {{600, 360}, {440, 300}, {370, 270}};  // for 1, 2, 3 in a row

// Room that a panel needs around its plot.
struct Surround {
  double left = 0, right = 0, above = 0, below = 0;
};

void Include(const std::vector<double>& values, std::optional<Interval>& range) {
  for (const double value : values) {
    if (!range) range = Interval{value, value};
    range = Interval{std::min(range->min, value), std::max(range->max, value)};
  }
}

double WidthOf(const Tick& tick, const TextShaper& shaper) {
  return tick.label.empty() ? 0 : shaper.Measure(tick.label, kTickStyle).width;
}

bool LabelsFit(const Axis& axis, double width, const TextShaper& shaper) {
  double free = -width;
  for (const Tick& tick : axis.ticks) {
    if (tick.label.empty()) continue;
    const double at = axis.Fraction(tick.value) * width, half = WidthOf(tick, shaper) / 2;
    if (at - half < free) return false;
    free = at + half + kTickLabelGap;
  }
  return true;
}

// The panel, but for the place of its plot.
ChartPanel Measured(const Chart& chart, PlotSize size, const TextShaper& shaper,
                    LabelMaker& labels) {
  ChartPanel panel{.chart = &chart,
                   .title = Wrapped(chart.title, kTitleStyle, size.width, labels),
                   .x_label = Wrapped(chart.x.label, kLegendStyle, size.width, labels),
                   .y_label = Wrapped(chart.y.label, kLegendStyle, size.height, labels)};
  std::vector<Shape> unused;
  panel.legend_height = AddLegend(chart, 0, 0, size.width, labels, unused);
  std::optional<Interval> x, y;
  for (const ChartSeries& series : chart.series) {
    Include(series.x, x);
    for (const auto* values : {&series.y, &series.low, &series.high}) Include(*values, y);
  }
  for (const ChartLevel& level : chart.levels) Include({level.y}, y);
  // As many labels on the x axis as have room.
  int steps = static_cast<int>(size.width / kXStep);
  do {
    panel.plot.x = MakeAxis(chart.x, x, steps);
  } while (!LabelsFit(panel.plot.x, size.width, shaper) && --steps > 0);
  panel.plot.y = MakeAxis(chart.y, y, static_cast<int>(size.height / kYStep));
  for (const Tick& tick : panel.plot.y.ticks) {
    panel.tick_width = std::max(panel.tick_width, WidthOf(tick, shaper));
  }
  return panel;
}

Surround RoomFor(const ChartPanel& panel, PlotSize size, const TextShaper& shaper) {
  Surround room{.left = kLabelGap + panel.tick_width,
                .right = 4,  // half a marker
                .above = panel.title.lines.empty() ? 6 : panel.title.height + kTitleGap,
                .below = kLabelGap + kTickStyle.size};
  if (!panel.y_label.lines.empty()) room.left += kLabelGap + panel.y_label.height;
  if (!panel.x_label.lines.empty()) room.below += kLabelGap + panel.x_label.height;
  if (panel.legend_height > 0) room.below += kLegendGap + panel.legend_height;
  for (const Tick& tick : panel.plot.x.ticks) {
    const double at = panel.plot.x.Fraction(tick.value) * size.width;
    const double half = WidthOf(tick, shaper) / 2;
    room.left = std::max(room.left, half - at);
    room.right = std::max(room.right, at + half - size.width);
  }
  return room;
}

// Places the plots in straight rows and columns; the drawing gets its size.
void Place(std::vector<ChartPanel>& panels, size_t columns, PlotSize size, const TextShaper& shaper,
           Drawing& drawing) {
  std::vector<Surround> column(columns), row((panels.size() + columns - 1) / columns);
  for (size_t i = 0; i < panels.size(); ++i) {
    const Surround room = RoomFor(panels[i], size, shaper);
    Surround &c = column[i % columns], &r = row[i / columns];
    c.left = std::max(c.left, std::ceil(room.left));
    c.right = std::max(c.right, std::ceil(room.right));
    r.above = std::max(r.above, std::ceil(room.above));
    r.below = std::max(r.below, std::ceil(room.below));
  }
  double x = kMargin, y = kMargin;
  for (size_t i = 0; i < panels.size(); ++i) {
    const Surround &c = column[i % columns], &r = row[i / columns];
    const double left = x + c.left, top = y + r.above;
    const double right = left + size.width, bottom = top + size.height;
    ChartPlot& plot = panels[i].plot;
    plot.left = left, plot.top = top, plot.right = right, plot.bottom = bottom;
    drawing.width = std::max(drawing.width, right + c.right + kMargin);
    drawing.height = bottom + r.below + kMargin;
    x = right + c.right + kColumnGap;
    if ((i + 1) % columns == 0) x = kMargin, y = bottom + r.below + kRowGap;
  }
}

// "Training loss: nats a token over update: GRU, LSTM. ..."
std::string DescriptionOf(const std::vector<Chart>& charts) {
  std::string all;
  for (const Chart& chart : charts) {
    all += all.empty() ? "" : ". ";
    all += chart.title.empty() ? "Line chart" : chart.title;
    if (!chart.y.label.empty()) all += ": " + chart.y.label;
    if (!chart.x.label.empty()) all += " over " + chart.x.label;
    std::string between = ": ";
    for (const ChartSeries& series : chart.series) {
      if (!series.name.empty()) all += std::exchange(between, ", ") + series.name;
    }
  }
  return PrintableText(all);
}

}  // namespace

ChartLayout LayOutCharts(const std::vector<Chart>& charts, const TextShaper& shaper,
                         MissingGlyphs missing) {
  const size_t columns = std::min(charts.size(), std::size(kPlotSizes));
  const PlotSize size = kPlotSizes[columns - 1];
  LabelMaker labels(shaper, missing);
  std::vector<ChartPanel> panels;
  for (const Chart& chart : charts) panels.push_back(Measured(chart, size, shaper, labels));

  ChartLayout layout{.drawing = {.title = DescriptionOf(charts)}};
  Place(panels, columns, size, shaper, layout.drawing);
  for (const ChartPanel& panel : panels) {
    AddPanel(panel, labels, layout.drawing.shapes);
    layout.plots.push_back(panel.plot);
  }
  return layout;
}

}  // namespace nmt
