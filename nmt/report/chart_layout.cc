#include "nmt/report/chart_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "nmt/report/chart_legend.h"
#include "nmt/report/chart_text.h"
#include "nmt/report/picture_style.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

// Lengths in pixels.
constexpr double kColumnGap = 32, kRowGap = 28;
constexpr double kTitleGap = 10, kLabelGap = 8, kLegendGap = 14;
constexpr double kMajorTick = 5, kMinorTick = 2.5;
constexpr double kTickLabelGap = 12;                        // between neighbours on the x axis
constexpr double kXStep = 50, kYStep = 48;                  // between labelled ticks, about
constexpr double kMiddleOfDigits = 0.36 * kTickStyle.size;  // from the middle to the baseline
constexpr size_t kMaxTooltips = 10000;  // markers; beyond that an SVG would become heavy

constexpr Color kMinorGridColor{.red = 0xf0, .green = 0xf1, .blue = 0xf3};

struct PlotSize {
  double width, height;
};
PlotSize SizeFor(size_t columns) {
  return columns == 1 ? PlotSize{600, 360} : columns == 2 ? PlotSize{440, 300} : PlotSize{370, 270};
}

// Room that a panel needs around its plot.
struct Surround {
  double left = 0, right = 0, above = 0, below = 0;
};

struct Panel {
  const Chart* chart = nullptr;
  ChartPlot plot;
  TextBlock title, x_label, y_label;
  ChartLegend legend;
  Surround need;
  double tick_width = 0;  // of the y axis' labels
};

std::optional<Interval> Spanned(const std::vector<const std::vector<double>*>& lists) {
  std::optional<Interval> all;
  for (const std::vector<double>* list : lists) {
    for (const double value : *list) {
      if (!all) all = Interval{value, value};
      all->min = std::min(all->min, value);
      all->max = std::max(all->max, value);
    }
  }
  return all;
}

std::optional<Interval> XData(const Chart& chart) {
  std::vector<const std::vector<double>*> lists;
  for (const ChartSeries& series : chart.series) lists.push_back(&series.x);
  return Spanned(lists);
}

std::optional<Interval> YData(const Chart& chart) {
  std::vector<const std::vector<double>*> lists;
  std::vector<double> levels;
  for (const ChartLevel& level : chart.levels) levels.push_back(level.y);
  lists.push_back(&levels);
  for (const ChartSeries& series : chart.series) {
    for (const auto* list : {&series.y, &series.low, &series.high}) lists.push_back(list);
  }
  return Spanned(lists);
}

// On whole pixels of a PNG, so that thin lines are sharp.
double Sharp(double position) { return std::round(2 * position) / 2; }

// Turns charts into a drawing; one object a picture.
class Composer {
 public:
  Composer(const TextShaper& shaper, MissingGlyphs missing)
      : shaper_(shaper), labels_(shaper, missing) {}

  ChartLayout Compose(const std::vector<Chart>& charts) {
    columns_ = charts.size() == 4 ? 2 : std::min<size_t>(charts.size(), 3);
    size_ = SizeFor(columns_);
    for (const Chart& chart : charts) panels_.push_back(Measured(chart));
    PlacePanels();
    for (const Panel& panel : panels_) {
      DrawAxes(panel);
      DrawData(panel);
      DrawTexts(panel);
      layout_.plots.push_back(panel.plot);
    }
    layout_.drawing.title = Description();
    return std::move(layout_);
  }

 private:
  Panel Measured(const Chart& chart) {
    Panel panel{.chart = &chart,
                .plot = {},
                .title = {},
                .x_label = {},
                .y_label = {},
                .legend = {},
                .need = {}};
    panel.title = Wrapped(chart.title, kTitleStyle, size_.width, labels_);
    panel.x_label = Wrapped(chart.x.label, kLegendStyle, size_.width, labels_);
    panel.y_label = Wrapped(chart.y.label, kLegendStyle, size_.height, labels_);
    panel.legend = LegendOf(chart, size_.width, labels_);
    panel.plot.x = XAxisOf(chart);
    panel.plot.y = MakeAxis(chart.y, YData(chart), static_cast<int>(size_.height / kYStep));

    Surround& need = panel.need;
    for (const Tick& tick : panel.plot.y.ticks) {
      panel.tick_width = std::max(panel.tick_width, TickSize(tick).width);
    }
    need.left = kLabelGap + panel.tick_width;
    if (!panel.y_label.lines.empty()) need.left += kLabelGap + panel.y_label.Height();
    for (const Tick& tick : panel.plot.x.ticks) {
      const double half = TickSize(tick).width / 2;
      const double at = panel.plot.x.Fraction(tick.value) * size_.width;
      need.left = std::max(need.left, half - at);
      need.right = std::max(need.right, at + half - size_.width);
    }
    need.right = std::max(need.right, 4.0);  // half a marker
    need.above = panel.title.lines.empty() ? 6 : panel.title.Height() + kTitleGap;
    need.below = kLabelGap + kTickStyle.size;
    if (!panel.x_label.lines.empty()) need.below += kLabelGap + panel.x_label.Height();
    if (!panel.legend.entries.empty()) need.below += kLegendGap + panel.legend.height;
    return panel;
  }

  TextSize TickSize(const Tick& tick) const {
    return tick.label.empty() ? TextSize{} : shaper_.Measure(tick.label, kTickStyle);
  }

  // With as many labels as have room.
  Axis XAxisOf(const Chart& chart) const {
    const std::optional<Interval> data = XData(chart);
    int steps = static_cast<int>(size_.width / kXStep);
    Axis axis = MakeAxis(chart.x, data, steps);
    while (steps > 1 && !LabelsFit(axis)) axis = MakeAxis(chart.x, data, --steps);
    return axis;
  }
  bool LabelsFit(const Axis& axis) const {
    double free = -size_.width;
    for (const Tick& tick : axis.ticks) {
      if (tick.label.empty()) continue;
      const double at = axis.Fraction(tick.value) * size_.width;
      const double half = TickSize(tick).width / 2;
      if (at - half < free) return false;
      free = at + half + kTickLabelGap;
    }
    return true;
  }

  // Plots stand in straight rows and columns.
  void PlacePanels() {
    const size_t rows = (panels_.size() + columns_ - 1) / columns_;
    std::vector<Surround> column(columns_), row(rows);
    for (size_t i = 0; i < panels_.size(); ++i) {
      const Surround& need = panels_[i].need;
      Surround &c = column[i % columns_], &r = row[i / columns_];
      c.left = std::max(c.left, std::ceil(need.left));
      c.right = std::max(c.right, std::ceil(need.right));
      r.above = std::max(r.above, std::ceil(need.above));
      r.below = std::max(r.below, std::ceil(need.below));
    }
    double y = kMargin;
    for (size_t r = 0; r < rows; ++r) {
      double x = kMargin;
      for (size_t c = 0; c < columns_; ++c) {
        x += column[c].left;
        if (r * columns_ + c < panels_.size()) {
          panels_[r * columns_ + c].plot.area = {.left = x,
                                                 .top = y + row[r].above,
                                                 .right = x + size_.width,
                                                 .bottom = y + row[r].above + size_.height};
        }
        x += size_.width + column[c].right + kColumnGap;
      }
      layout_.drawing.width = x - kColumnGap + kMargin;
      y += row[r].above + size_.height + row[r].below + kRowGap;
    }
    layout_.drawing.height = y - kRowGap + kMargin;
  }

  void Add(Shape shape) { layout_.drawing.shapes.push_back(std::move(shape)); }

  void AddText(const Label& label, double x, double y, Anchor anchor, double degrees = 0) {
    Add(Text{.x = x,
             .y = y,
             .degrees = degrees,
             .anchor = anchor,
             .color = kInk,
             .style = label.style,
             .text = label.text});
  }

  void DrawAxes(const Panel& panel) {
    const PlotArea& area = panel.plot.area;
    // Minor lines first: the others cross over them.
    for (const bool is_major : {false, true}) {
      const Color color = is_major ? kGridColor : kMinorGridColor;
      for (const Tick& tick : panel.plot.x.ticks) {
        if (tick.label.empty() == is_major) continue;
        const double x = Sharp(panel.plot.At(tick.value, panel.plot.y.min).x);
        Add(Line{x, area.top, x, area.bottom, color, 1});
      }
      for (const Tick& tick : panel.plot.y.ticks) {
        if (tick.label.empty() == is_major) continue;
        const double y = Sharp(panel.plot.At(panel.plot.x.min, tick.value).y);
        Add(Line{area.left, y, area.right, y, color, 1});
      }
    }
    for (const Tick& tick : panel.plot.x.ticks) {
      const double x = Sharp(panel.plot.At(tick.value, panel.plot.y.min).x);
      const double length = tick.label.empty() ? kMinorTick : kMajorTick;
      Add(Line{x, area.bottom, x, area.bottom + length, kFrameColor, 1});
    }
    for (const Tick& tick : panel.plot.y.ticks) {
      const double y = Sharp(panel.plot.At(panel.plot.x.min, tick.value).y);
      const double length = tick.label.empty() ? kMinorTick : kMajorTick;
      Add(Line{area.left - length, y, area.left, y, kFrameColor, 1});
    }
    Add(Box{.x = area.left,
            .y = area.top,
            .width = area.right - area.left,
            .height = area.bottom - area.top,
            .fill = {},
            .stroke = kFrameColor,
            .tooltip = {}});
  }

  void DrawData(const Panel& panel) {
    const Chart& chart = *panel.chart;
    bool has_points = false;
    for (size_t i = 0; i < chart.series.size(); ++i) {
      DrawBand(panel.plot, chart.series[i], StyleOfSeries(chart, i));
      has_points |= !chart.series[i].x.empty();
    }
    for (size_t i = 0; i < chart.levels.size(); ++i) {
      const double y = chart.levels[i].y;
      DrawLine({panel.plot.At(panel.plot.x.min, y), panel.plot.At(panel.plot.x.max, y)}, panel.plot,
               StyleOfLevel(i), labels_.Make(chart.levels[i].name, kLegendStyle, kTip).text);
    }
    for (size_t i = 0; i < chart.series.size(); ++i) DrawSeries(panel, i);
    for (size_t i = 0; i < chart.series.size(); ++i) DrawMarkers(panel, i);
    if (has_points) return;
    Add(Text{.x = (panel.plot.area.left + panel.plot.area.right) / 2,
             .y = (panel.plot.area.top + panel.plot.area.bottom) / 2,
             .anchor = Anchor::kMiddle,
             .color = kGrey,
             .style = kLegendStyle,
             .text = "(no points)"});
  }

  static std::vector<Vertex> Mapped(const ChartPlot& plot, const std::vector<double>& x,
                                    const std::vector<double>& y) {
    std::vector<Vertex> points;
    for (size_t i = 0; i < x.size(); ++i) points.push_back(plot.At(x[i], y[i]));
    return points;
  }

  void DrawLine(const std::vector<Vertex>& points, const ChartPlot& plot, const CurveStyle& style,
                const std::string& tooltip) {
    for (std::vector<Vertex>& piece : VisiblePieces(Thinned(points), plot.area)) {
      Add(Polyline{.points = std::move(piece),
                   .color = style.color,
                   .width = style.width,
                   .dashes = style.dashes,
                   .tooltip = tooltip});
    }
  }

  void DrawBand(const ChartPlot& plot, const ChartSeries& series, const CurveStyle& style) {
    if (series.low.empty()) return;
    std::vector<Vertex> band = Thinned(Mapped(plot, series.x, series.high));
    const std::vector<Vertex> low = Thinned(Mapped(plot, series.x, series.low));
    if (series.x.size() == 1) {  // no area: an error bar
      DrawLine({band[0], low[0]}, plot, {.color = style.color, .dashes = {}}, "");
      return;
    }
    band.insert(band.end(), low.rbegin(), low.rend());
    band = VisibleArea(std::move(band), plot.area);
    if (band.empty()) return;
    Add(Polygon{.points = std::move(band),
                .fill = style.color,
                .opacity = kBandOpacity,
                .stroke = {},
                .tooltip = {}});
  }

  void DrawSeries(const Panel& panel, size_t i) {
    const ChartSeries& series = panel.chart->series[i];
    DrawLine(Mapped(panel.plot, series.x, series.y), panel.plot, StyleOfSeries(*panel.chart, i),
             labels_.Make(series.name, kLegendStyle, kTip).text);
  }

  void DrawMarkers(const Panel& panel, size_t i) {
    const ChartSeries& series = panel.chart->series[i];
    const CurveStyle style = StyleOfSeries(*panel.chart, i);
    if (!style.marker) return;
    const std::vector<Vertex> points = Mapped(panel.plot, series.x, series.y);
    for (size_t p = 0; p < points.size(); ++p) {
      if (!panel.plot.area.Contains(points[p])) continue;
      Add(MarkerAt(points[p], style,
                   points.size() <= kMaxTooltips ? Tooltip(*panel.chart, i, p) : ""));
    }
  }

  // "GRU: update 300, loss 4.2 (4.1 to 4.3)"
  std::string Tooltip(const Chart& chart, size_t i, size_t p) {
    const ChartSeries& series = chart.series[i];
    const auto prefix = [this](const std::string& text, std::string_view end) {
      const Label label = labels_.Make(text, kLegendStyle, kTip);
      return label.text.empty() ? "" : label.text + std::string(end);
    };
    std::string tip =
        fmt::format("{}{}{:.6g}, {}{:.6g}", prefix(series.name, ": "), prefix(chart.x.label, " "),
                    series.x[p], prefix(chart.y.label, " "), series.y[p]);
    if (!series.low.empty())
      tip += fmt::format(" ({:.6g} to {:.6g})", series.low[p], series.high[p]);
    return tip;
  }

  void DrawTexts(const Panel& panel) {
    const PlotArea& area = panel.plot.area;
    double y = area.top - kTitleGap - panel.title.Height();
    for (const Label& line : panel.title.lines) {
      AddText(line, area.left, y + panel.title.ascent, Anchor::kStart);
      y += panel.title.line_height;
    }
    for (const Tick& tick : panel.plot.y.ticks) {
      if (tick.label.empty()) continue;
      AddText({.text = tick.label, .style = kTickStyle, .size = {}}, area.left - kLabelGap,
              panel.plot.At(panel.plot.x.min, tick.value).y + kMiddleOfDigits, Anchor::kEnd);
    }
    double x = area.left - kLabelGap - panel.tick_width - kLabelGap - panel.y_label.Height();
    for (const Label& line : panel.y_label.lines) {
      AddText(line, x + panel.y_label.ascent, (area.top + area.bottom) / 2, Anchor::kMiddle, -90);
      x += panel.y_label.line_height;
    }
    y = area.bottom + kLabelGap;
    for (const Tick& tick : panel.plot.x.ticks) {
      if (tick.label.empty()) continue;
      AddText({.text = tick.label, .style = kTickStyle, .size = {}},
              panel.plot.At(tick.value, panel.plot.y.min).x, y + 0.76 * kTickStyle.size,
              Anchor::kMiddle);
    }
    y += kTickStyle.size;
    if (!panel.x_label.lines.empty()) y += kLabelGap;
    for (const Label& line : panel.x_label.lines) {
      AddText(line, (area.left + area.right) / 2, y + panel.x_label.ascent, Anchor::kMiddle);
      y += panel.x_label.line_height;
    }
    for (Shape& shape : ShapesOf(panel.legend, area.left, y + kLegendGap)) Add(std::move(shape));
  }

  // "Training loss: nats a token over update: GRU, LSTM. ..."
  std::string Description() {
    std::string all;
    for (const Panel& panel : panels_) {
      const Chart& chart = *panel.chart;
      std::string names;
      for (const ChartSeries& series : chart.series) {
        if (!series.name.empty()) names += (names.empty() ? "" : ", ") + series.name;
      }
      std::string one = chart.title;
      for (const std::string& part : {chart.y.label.empty() || chart.x.label.empty()
                                          ? chart.y.label + chart.x.label
                                          : chart.y.label + " over " + chart.x.label,
                                      names}) {
        if (!part.empty()) one += (one.empty() ? "" : ": ") + part;
      }
      if (!one.empty()) all += (all.empty() ? "" : ". ") + one;
    }
    return all.empty() ? "Line chart" : PrintableText(all);
  }

  static constexpr int kTip = 60;  // columns of a name in a tooltip

  const TextShaper& shaper_;
  LabelMaker labels_;
  ChartLayout layout_;
  std::vector<Panel> panels_;
  size_t columns_ = 1;
  PlotSize size_{};
};

}  // namespace

Vertex ChartPlot::At(double x_value, double y_value) const {
  const auto bounded = [](double fraction) { return std::clamp(fraction, -1e6, 1e6); };
  return {area.left + bounded(x.Fraction(x_value)) * (area.right - area.left),
          area.bottom - bounded(y.Fraction(y_value)) * (area.bottom - area.top)};
}

ChartLayout LayOutCharts(const std::vector<Chart>& panels, const TextShaper& shaper,
                         MissingGlyphs missing) {
  return Composer(shaper, missing).Compose(panels);
}

}  // namespace nmt
