#include "nmt/report/heatmap_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string_view>

#include "nmt/report/heatmap_labels.h"
#include "nmt/report/picture_style.h"

namespace nmt {
namespace {

// Lengths in pixels.
constexpr double kPanelGap = 36;
constexpr double kLabelGap = 7;      // between a label and the matrix
constexpr double kMatrixSide = 560;  // what the longest side of a matrix aims at
constexpr double kMinCell = 17, kMaxCell = 46;
constexpr double kMinValueSize = 8, kMaxValueSize = 11;
constexpr double kValueMargin = 8;       // around a value, both sides together
constexpr double kMaxRisingLabel = 170;  // longer ones stand upright: they would lean far out
constexpr double kKeySize = 20, kKeyGap = 20, kKeyTextGap = 6;  // of a gold link in the legend
constexpr int kMaxTitleColumns = 100;
constexpr int64_t kMaxTooltips = 10000;  // cells; beyond that an SVG would become heavy

enum class Direction { kLevel, kRising, kUpright };

// A panel with its labels measured and, later, its place.
struct Panel {
  const Heatmap* heatmap;
  Label title;
  std::vector<Label> sources, targets;
  double x = 0;         // left edge of the panel
  double matrix_x = 0;  // left edge of the matrix
  double width = 0;     // of the whole panel

  int64_t S() const { return static_cast<int64_t>(sources.size()); }
  int64_t T() const { return static_cast<int64_t>(targets.size()); }
  bool IsEmpty() const { return sources.empty() || targets.empty(); }
};

// Turns heatmaps into a drawing; one object a picture.
class Composer {
 public:
  Composer(const TextShaper& shaper, MissingGlyphs missing)
      : shaper_(shaper), labels_(shaper, missing) {}

  HeatmapLayout Compose(const std::vector<Heatmap>& heatmaps) {
    for (const Heatmap& heatmap : heatmaps) panels_.push_back(Measured(heatmap));
    ChooseCellSize();
    ChooseDirection();
    PlacePanels();
    for (const Panel& panel : panels_) DrawPanel(panel);
    DrawLegend();
    layout_.drawing.title = "Attention weights";
    for (const Panel& panel : panels_) {
      if (panel.title.text.empty()) continue;
      layout_.drawing.title += (&panel == &panels_.front() ? ": " : "; ") + panel.title.text;
    }
    layout_.missing_glyphs = labels_.Replaced();
    return std::move(layout_);
  }

 private:
  Panel Measured(const Heatmap& heatmap) {
    return {
        .heatmap = &heatmap,
        .title = labels_.Make(heatmap.title, kTitleStyle, kMaxTitleColumns),
        .sources = labels_.MakeWords(heatmap.source_labels, heatmap.source_ends_with_end_symbol),
        .targets = labels_.MakeWords(heatmap.target_labels, heatmap.target_ends_with_end_symbol)};
  }

  // One cell size for all panels, so that they can be compared by eye. Labels decide its minimum.
  void ChooseCellSize() {
    int64_t words = 1;
    TextSize rows;
    for (const Panel& panel : panels_) {
      words = std::max({words, panel.S(), panel.T()});
      columns_ = Larger(columns_, Largest(panel.sources));
      rows = Larger(rows, Largest(panel.targets));
    }
    const double needed = std::max(rows.ascent + rows.descent, columns_.ascent + columns_.descent);
    cell_ = std::clamp(std::floor(kMatrixSide / static_cast<double>(words)), kMinCell, kMaxCell);
    cell_ = std::max(cell_, std::ceil(needed) + 2);
    value_style_.size = std::clamp(cell_ * 0.27, kMinValueSize, kMaxValueSize);
    shows_values_ = shaper_.Measure(".88", value_style_).width + kValueMargin <= cell_;
  }

  void ChooseDirection() {
    const double line = columns_.ascent + columns_.descent + 1;
    if (columns_.width + 6 <= cell_) {
      direction_ = Direction::kLevel;
    } else if (cell_ * std::numbers::sqrt2 / 2 >= line && columns_.width <= kMaxRisingLabel) {
      direction_ = Direction::kRising;
    } else {
      direction_ = Direction::kUpright;
    }
  }

  // How far the source labels reach up, and a label's end to the right of its column's middle.
  double HeaderHeight() const {
    const double line = columns_.ascent + columns_.descent;
    switch (direction_) {
      case Direction::kLevel:
        return line;
      case Direction::kRising:
        return (columns_.width + line) * std::numbers::sqrt2 / 2;
      case Direction::kUpright:
        return columns_.width;
    }
    return 0;
  }
  double ReachRight(const Label& label) const {
    if (direction_ != Direction::kRising) return 0;
    return (label.size.width + columns_.descent) * std::numbers::sqrt2 / 2 + columns_.ascent / 2;
  }

  void PlacePanels() {
    double title_height = 0;
    double matrix_height = 0;
    double x = kMargin;
    for (Panel& panel : panels_) {
      const double labels = panel.targets.empty() ? 0 : Largest(panel.targets).width + kLabelGap;
      panel.x = x;
      panel.matrix_x = std::ceil(x + labels);
      double right = panel.matrix_x + cell_ * static_cast<double>(panel.S());
      for (int64_t s = 0; s < panel.S(); ++s) {
        right = std::max(right, ColumnMiddle(panel, s) + ReachRight(panel.sources[s]));
      }
      if (panel.IsEmpty()) right += shaper_.Measure(kNoWords, kLegendStyle).width;
      panel.width = std::max(right - x, panel.title.size.width);
      x += panel.width + kPanelGap;
      matrix_height = std::max(matrix_height, cell_ * static_cast<double>(panel.T()));
      if (!panel.title.text.empty()) {
        title_height = std::max(title_height, panel.title.size.ascent + panel.title.size.descent);
        title_ascent_ = std::max(title_ascent_, panel.title.size.ascent);
      }
    }
    const double under_title = title_height > 0 ? title_height + 14 : 0;
    matrix_y_ = std::ceil(kMargin + under_title + HeaderHeight() + kLabelGap);
    legend_y_ = matrix_y_ + std::max(matrix_height, 20.0) + 24;
    layout_.drawing.width = x - kPanelGap + kMargin;
  }

  double ColumnMiddle(const Panel& panel, int64_t s) const {
    return panel.matrix_x + cell_ * (static_cast<double>(s) + 0.5);
  }
  double RowMiddle(int64_t t) const { return matrix_y_ + cell_ * (static_cast<double>(t) + 0.5); }

  void Add(Shape shape) { layout_.drawing.shapes.push_back(std::move(shape)); }

  void AddLabel(const Label& label, double x, double y, Anchor anchor, double degrees = 0) {
    if (label.text.empty()) return;
    Add(Text{.x = x,
             .y = y,
             .degrees = degrees,
             .anchor = anchor,
             .color = label.color,
             .style = label.style,
             .text = label.text});
  }

  void DrawPanel(const Panel& panel) {
    AddLabel(panel.title, panel.x, kMargin + title_ascent_, Anchor::kStart);
    DrawSourceLabels(panel);
    for (int64_t t = 0; t < panel.T(); ++t) {
      AddLabel(panel.targets[t], panel.matrix_x - kLabelGap, RowMiddle(t) + kMiddleOfLetters,
               Anchor::kEnd);
    }
    if (panel.IsEmpty()) {
      Add(Text{.x = panel.matrix_x,
               .y = matrix_y_ + kLegendStyle.size,
               .color = kGrey,
               .style = kLegendStyle,
               .text = kNoWords});
      return;
    }
    DrawCells(panel);
    DrawGrid(panel);
    DrawGold(panel);
  }

  void DrawSourceLabels(const Panel& panel) {
    const double bottom = matrix_y_ - kLabelGap;
    for (int64_t s = 0; s < panel.S(); ++s) {
      const double middle = ColumnMiddle(panel, s);
      const Label& label = panel.sources[s];
      switch (direction_) {
        case Direction::kLevel:
          AddLabel(label, middle, bottom - columns_.descent, Anchor::kMiddle);
          break;
        case Direction::kRising:  // the foot of the first letter stands over the column's middle
          AddLabel(label, middle + kMiddleOfLetters / 2,
                   bottom - columns_.descent * std::numbers::sqrt2 / 2 + 1, Anchor::kStart, -45);
          break;
        case Direction::kUpright:
          AddLabel(label, middle + kMiddleOfLetters, bottom, Anchor::kStart, -90);
          break;
      }
    }
  }

  void DrawCells(const Panel& panel) {
    const Heatmap& heatmap = *panel.heatmap;
    const bool has_tooltips = panel.T() * panel.S() <= kMaxTooltips;
    for (int64_t t = 0; t < panel.T(); ++t) {
      for (int64_t s = 0; s < panel.S(); ++s) {
        const double weight = heatmap.weights_TS[static_cast<size_t>(t * panel.S() + s)];
        const Color color = ColorOfWeight(weight);
        Box box{.x = panel.matrix_x + cell_ * static_cast<double>(s),
                .y = matrix_y_ + cell_ * static_cast<double>(t),
                .width = cell_,
                .height = cell_,
                .fill = color,
                .stroke = {},
                .tooltip = {}};
        if (has_tooltips) {
          box.tooltip = fmt::format("{} → {}: {:.3f}", panel.sources[s].text, panel.targets[t].text,
                                    std::abs(weight));
        }
        Add(std::move(box));
        if (shows_values_) DrawValue(weight, ColumnMiddle(panel, s), RowMiddle(t), color);
      }
    }
  }

  // ".87"; "1" for what rounds to it; nothing for what rounds to .00, so that the large stand out.
  void DrawValue(double weight, double x, double y, Color background) {
    const int hundredths = static_cast<int>(std::lround(weight * 100));
    if (hundredths <= 0) return;
    Add(Text{.x = x,
             .y = y + 0.36 * value_style_.size,
             .anchor = Anchor::kMiddle,
             .color = ReadableOn(background),
             .style = value_style_,
             .text = hundredths >= 100 ? "1" : fmt::format(".{:02d}", hundredths)});
  }

  void DrawGrid(const Panel& panel) {
    const double width = cell_ * static_cast<double>(panel.S());
    const double height = cell_ * static_cast<double>(panel.T());
    for (int64_t s = 1; s < panel.S(); ++s) {
      const double x = panel.matrix_x + cell_ * static_cast<double>(s);
      Add(Line{x, matrix_y_, x, matrix_y_ + height, kGridColor, 0.75});
    }
    for (int64_t t = 1; t < panel.T(); ++t) {
      const double y = matrix_y_ + cell_ * static_cast<double>(t);
      Add(Line{panel.matrix_x, y, panel.matrix_x + width, y, kGridColor, 0.75});
    }
    Add(Box{.x = panel.matrix_x,
            .y = matrix_y_,
            .width = width,
            .height = height,
            .fill = {},
            .stroke = kFrameColor,
            .tooltip = {}});
  }

  Box GoldBox(double x, double y, double size, bool possible) const {
    const double width = std::clamp(size * 0.06, 1.3, 2.5);
    const double inset = 0.75 + width / 2;
    return {.x = x + inset,
            .y = y + inset,
            .width = size - 2 * inset,
            .height = size - 2 * inset,
            .fill = {},
            .stroke = kGoldColor,
            .stroke_width = width,
            .dashed = possible,
            .tooltip = {}};
  }

  void DrawGold(const Panel& panel) {
    std::set<std::pair<int64_t, int64_t>> sure;
    for (const HeatmapCell& link : panel.heatmap->gold) {
      if (!link.possible) sure.emplace(link.source, link.target);
    }
    for (const HeatmapCell& link : panel.heatmap->gold) {
      // Every sure link is a possible one too, and some files list it as both.
      if (link.possible && sure.contains({link.source, link.target})) continue;
      Box box = GoldBox(panel.matrix_x + cell_ * static_cast<double>(link.source),
                        matrix_y_ + cell_ * static_cast<double>(link.target), cell_, link.possible);
      // White on both sides sets the outline off from any blue.
      Box halo = box;
      halo.stroke = kWhite;
      halo.stroke_width += 1.25;
      halo.dashed = false;
      Add(std::move(halo));
      Add(std::move(box));
      (link.possible ? has_possible_ : has_sure_) = true;
    }
  }

  // Returns the x behind the text.
  double DrawLegendText(std::string text, double x, double y) {
    const double end = x + shaper_.Measure(text, kLegendStyle).width;
    Add(Text{.x = x, .y = y, .color = kInk, .style = kLegendStyle, .text = std::move(text)});
    return end;
  }

  void DrawLegend() {
    const double bar_end = DrawColorBar();
    double width = 0;
    for (const bool possible : {false, true}) {
      if (HasGold(possible)) width += kKeyGap + kKeySize + kKeyTextGap + KeyWidth(possible);
    }
    // Beside the bar if the picture is wide enough anyway, else below it.
    const bool fits = bar_end + width + kMargin <= layout_.drawing.width;
    double x = fits ? bar_end : kMargin - kKeyGap;
    double y = fits ? legend_y_ : legend_y_ + 42;
    double right = bar_end;
    for (const bool possible : {false, true}) {
      if (!HasGold(possible)) continue;
      x += kKeyGap;
      Add(GoldBox(x, y - 4, kKeySize, possible));
      x = DrawLegendText(KeyText(possible), x + kKeySize + kKeyTextGap, y + 11);
      right = std::max(right, x);
    }
    if (width == 0 || fits) y = legend_y_ + 14;
    layout_.drawing.width = std::ceil(std::max(layout_.drawing.width, right + kMargin));
    layout_.drawing.height = std::ceil(y + 18 + kMargin);
  }

  // Returns the x behind it.
  double DrawColorBar() {
    constexpr double kBarWidth = 160, kBarHeight = 12, kSteps = 80;
    const double x = DrawLegendText("attention weight", kMargin, legend_y_ + 11) + 12;
    for (int i = 0; i < kSteps; ++i) {
      Add(Box{.x = x + i * kBarWidth / kSteps,
              .y = legend_y_,
              .width = kBarWidth / kSteps,
              .height = kBarHeight,
              .fill = ColorOfWeight((i + 0.5) / kSteps),
              .stroke = {},
              .tooltip = {}});
    }
    Add(Box{.x = x,
            .y = legend_y_,
            .width = kBarWidth,
            .height = kBarHeight,
            .fill = {},
            .stroke = kFrameColor,
            .tooltip = {}});
    const double tick_y = legend_y_ + kBarHeight + 4;
    for (const auto& [value, text] :
         {std::pair{0.0, "0"}, {0.25, ".25"}, {0.5, ".5"}, {0.75, ".75"}, {1.0, "1"}}) {
      const double tick_x = x + value * kBarWidth;
      Add(Line{tick_x, tick_y - 4, tick_x, tick_y, kFrameColor, 1});
      Add(Text{.x = tick_x,
               .y = tick_y + kTickStyle.size,
               .anchor = Anchor::kMiddle,
               .color = kInk,
               .style = kTickStyle,
               .text = text});
    }
    return x + kBarWidth + 8;
  }

  bool HasGold(bool possible) const { return possible ? has_possible_ : has_sure_; }
  static std::string KeyText(bool possible) {
    return possible ? "possible gold link" : "gold link";
  }
  double KeyWidth(bool possible) const {
    return shaper_.Measure(KeyText(possible), kLegendStyle).width;
  }

  static constexpr const char* kNoWords = "(no words)";
  // From the middle of a row down to the baseline: half the height of a small letter and a bit.
  static constexpr double kMiddleOfLetters = 0.35 * kLabelStyle.size;

  const TextShaper& shaper_;
  LabelMaker labels_;
  HeatmapLayout layout_;
  std::vector<Panel> panels_;
  TextSize columns_;  // the largest measures of all source labels
  double cell_ = 0;
  TextStyle value_style_;
  bool shows_values_ = false;
  Direction direction_ = Direction::kLevel;
  double title_ascent_ = 0, matrix_y_ = 0, legend_y_ = 0;
  bool has_sure_ = false, has_possible_ = false;
};

}  // namespace

HeatmapLayout LayOutHeatmaps(const std::vector<Heatmap>& panels, const TextShaper& shaper,
                             MissingGlyphs missing) {
  return Composer(shaper, missing).Compose(panels);
}

}  // namespace nmt
