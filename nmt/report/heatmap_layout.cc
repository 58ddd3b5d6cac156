#include "nmt/report/heatmap_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nmt/report/heatmap_labels.h"
#include "nmt/report/heatmap_parts.h"
#include "nmt/report/picture_style.h"

namespace nmt {
namespace {

// Lengths in pixels.
constexpr double kPanelGap = 36;
constexpr double kTextGap = 7;       // between a label and the matrix
constexpr double kMatrixSide = 560;  // what the longest side of a matrix aims at
constexpr double kMinCell = 17, kMaxCell = 46;
constexpr double kMaxRisingLabel = 170;  // longer ones stand upright: they would lean far out
constexpr int kMaxTitleColumns = 100;

enum class Direction { kLevel, kRising, kUpright };

// A panel with its labels measured and, later, its place.
struct Panel {
  Label title;
  Matrix matrix;
  double x = 0;      // left edge of the panel
  double width = 0;  // of the whole panel
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
    AddHeatmapLegend(legend_y_, gold_, shaper_, layout_.drawing);
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
    return {.title = labels_.Make(heatmap.title, kTitleStyle, kMaxTitleColumns),
            .matrix = {.heatmap = &heatmap,
                       .sources = labels_.MakeWords(heatmap.source_labels, kLabelStyle,
                                                    heatmap.source_ends_with_end_symbol),
                       .targets = labels_.MakeWords(heatmap.target_labels, kLabelStyle,
                                                    heatmap.target_ends_with_end_symbol)}};
  }

  // One cell size for all panels, so that they can be compared by eye. Labels decide its minimum.
  void ChooseCellSize() {
    int64_t words = 1;
    TextSize rows;
    for (const auto& [title, matrix, x, width] : panels_) {
      words = std::max({words, matrix.S(), matrix.T()});
      columns_ = Larger(columns_, Largest(matrix.sources));
      rows = Larger(rows, Largest(matrix.targets));
    }
    const double needed = std::max(rows.ascent + rows.descent, columns_.ascent + columns_.descent);
    cell_ = std::clamp(std::floor(kMatrixSide / static_cast<double>(words)), kMinCell, kMaxCell);
    cell_ = std::max(cell_, std::ceil(needed) + 2);
    for (Panel& panel : panels_) {
      panel.matrix.cell = cell_;
      panel.matrix.values = ValueStyle(shaper_, cell_);
      panel.matrix.has_tooltips = panel.matrix.T() * panel.matrix.S() <= kMaxTooltips;
    }
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
      Matrix& matrix = panel.matrix;
      panel.x = x;
      matrix.x =
          std::ceil(x + (matrix.targets.empty() ? 0 : Largest(matrix.targets).width + kTextGap));
      double right = matrix.x + matrix.width();
      for (int64_t s = 0; s < matrix.S(); ++s) {
        right = std::max(
            right, matrix.ColumnMiddle(s) + ReachRight(matrix.sources[static_cast<size_t>(s)]));
      }
      if (matrix.IsEmpty()) right += shaper_.Measure(kNoWords, kLegendStyle).width;
      panel.width = std::max(right - x, panel.title.size.width);
      x += panel.width + kPanelGap;
      matrix_height = std::max(matrix_height, matrix.height());
      if (!panel.title.text.empty()) {
        title_height = std::max(title_height, panel.title.size.ascent + panel.title.size.descent);
        title_ascent_ = std::max(title_ascent_, panel.title.size.ascent);
      }
    }
    const double under_title = title_height > 0 ? title_height + 14 : 0;
    const double top = std::ceil(kMargin + under_title + HeaderHeight() + kTextGap);
    for (Panel& panel : panels_) panel.matrix.y = top;
    legend_y_ = top + std::max(matrix_height, 20.0) + 24;
    layout_.drawing.width = x - kPanelGap + kMargin;
  }

  void DrawPanel(const Panel& panel) {
    std::vector<Shape>& shapes = layout_.drawing.shapes;
    const Matrix& matrix = panel.matrix;
    AddLabel(panel.title, {.x = panel.x, .y = kMargin + title_ascent_}, shapes);
    DrawSourceLabels(matrix);
    for (int64_t t = 0; t < matrix.T(); ++t) {
      AddLabel(
          matrix.targets[static_cast<size_t>(t)],
          {.x = matrix.x - kTextGap, .y = matrix.RowMiddle(t) + kMiddle, .anchor = Anchor::kEnd},
          shapes);
    }
    if (matrix.IsEmpty()) {
      shapes.push_back(Text{.x = matrix.x,
                            .y = matrix.y + kLegendStyle.size,
                            .color = kGrey,
                            .style = kLegendStyle,
                            .text = kNoWords});
      return;
    }
    AddMatrix(matrix, shapes);
    const GoldKinds gold = GoldKindsOf(*matrix.heatmap);
    gold_.sure |= gold.sure;
    gold_.possible |= gold.possible;
  }

  void DrawSourceLabels(const Matrix& matrix) {
    const double bottom = matrix.y - kTextGap;
    for (int64_t s = 0; s < matrix.S(); ++s) {
      const double middle = matrix.ColumnMiddle(s);
      Text place;
      switch (direction_) {
        case Direction::kLevel:
          place = {.x = middle, .y = bottom - columns_.descent, .anchor = Anchor::kMiddle};
          break;
        case Direction::kRising:  // the foot of the first letter stands over the column's middle
          place = {.x = middle + kMiddle / 2,
                   .y = bottom - columns_.descent * std::numbers::sqrt2 / 2 + 1,
                   .degrees = -45};
          break;
        case Direction::kUpright:
          place = {.x = middle + kMiddle, .y = bottom, .degrees = -90};
          break;
      }
      AddLabel(matrix.sources[static_cast<size_t>(s)], place, layout_.drawing.shapes);
    }
  }

  const double kMiddle = MiddleOfLetters(kLabelStyle);

  const TextShaper& shaper_;
  LabelMaker labels_;
  HeatmapLayout layout_;
  std::vector<Panel> panels_;
  TextSize columns_;  // the largest measures of all source labels
  double cell_ = 0;
  Direction direction_ = Direction::kLevel;
  double title_ascent_ = 0, legend_y_ = 0;
  GoldKinds gold_;
};

}  // namespace

HeatmapLayout LayOutHeatmaps(const std::vector<Heatmap>& panels, const TextShaper& shaper,
                             MissingGlyphs missing) {
  return Composer(shaper, missing).Compose(panels);
}

}  // namespace nmt
