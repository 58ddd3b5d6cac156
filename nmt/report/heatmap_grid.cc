// A matrix for each layer and head, small, with the words on the outer edge.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nmt/report/heatmap_labels.h"
#include "nmt/report/heatmap_layout.h"
#include "nmt/report/heatmap_parts.h"
#include "nmt/report/picture_style.h"

namespace nmt {
namespace {

// Lengths in pixels.
constexpr TextStyle kCellTitleStyle{.size = 11, .bold = true};
constexpr TextStyle kSmallLabelStyle{.size = 9};
constexpr double kColumnGap = 16, kRowGap = 14;
constexpr double kTitleGap = 6;                  // between a title and what is below it
constexpr double kTextGap = 4;                   // between a label and the matrix
constexpr double kPictureSide = 1300;            // what the longest side of a picture aims at
constexpr double kMinSide = 96, kMaxSide = 420;  // of a matrix
constexpr double kMaxLabelledSide = 600;         // to which labels may make one grow
constexpr double kNoteHeight = 22;               // from the last matrix to the note's baseline
constexpr double kMinCell = 2, kMaxCell = 28;
constexpr int kMaxTitleColumns = 100, kMaxCellTitleColumns = 30, kMaxWordColumns = 24;

class GridComposer {
 public:
  GridComposer(const HeatmapGrid& grid, const TextShaper& shaper, MissingGlyphs missing)
      : grid_(grid),
        shaper_(shaper),
        labels_(shaper, missing),
        title_(labels_.Make(grid.title, kTitleStyle, kMaxTitleColumns)) {
    const Heatmap& first = grid.cells[0];
    words_.sources = labels_.MakeWords(first.source_labels, kSmallLabelStyle,
                                       first.source_ends_with_end_symbol, kMaxWordColumns);
    words_.targets = labels_.MakeWords(first.target_labels, kSmallLabelStyle,
                                       first.target_ends_with_end_symbol, kMaxWordColumns);
    for (const Heatmap& heatmap : grid.cells)
      titles_.push_back(labels_.Make(heatmap.title, kCellTitleStyle, kMaxCellTitleColumns));
  }

  HeatmapLayout Compose() {
    ChooseCellSize();
    Place();
    Drawing& drawing = layout_.drawing;
    AddLabel(title_, {.x = kMargin, .y = kMargin + title_.size.ascent}, drawing.shapes);
    GoldKinds gold;
    for (size_t i = 0; i < grid_.cells.size(); ++i) {
      DrawCell(i);
      const GoldKinds kinds = GoldKindsOf(grid_.cells[i]);
      gold.sure |= kinds.sure;
      gold.possible |= kinds.possible;
    }
    if (!note_.empty()) {
      bottom_ += kNoteHeight;
      drawing.shapes.push_back(
          Text{.x = kMargin, .y = bottom_, .color = kGrey, .style = kLegendStyle, .text = note_});
    }
    AddHeatmapLegend(bottom_ + 24, gold, shaper_, drawing);
    drawing.title = "Attention weights";
    if (!title_.text.empty()) drawing.title += ": " + title_.text;
    layout_.missing_glyphs = labels_.Replaced();
    return std::move(layout_);
  }

 private:
  size_t columns() const { return static_cast<size_t>(grid_.columns); }
  size_t rows() const { return grid_.cells.size() / columns(); }

  // As large as the picture has room for; larger still if that lets the words stand beside it.
  void ChooseCellSize() {
    const double most = static_cast<double>(std::max(columns(), rows()));
    const double words = static_cast<double>(std::max<int64_t>({words_.S(), words_.T(), 1}));
    const double side = std::clamp(kPictureSide / most - kColumnGap, kMinSide, kMaxSide);
    words_.cell = std::clamp(std::floor(side / words), kMinCell, kMaxCell);
    above_ = Largest(words_.sources);
    beside_ = Largest(words_.targets);
    const double line =
        std::ceil(std::max(above_.ascent + above_.descent, beside_.ascent + beside_.descent)) + 1;
    if (words_.cell < line && line * words <= kMaxLabelledSide) words_.cell = line;
    has_labels_ = words_.cell >= line && !words_.IsEmpty();
    if (words_.IsEmpty()) {
      note_ = kNoWords;
    } else if (!has_labels_) {
      note_ = fmt::format("source across ({}), target down ({})", words_.S(), words_.T());
    }
    are_level_ = above_.width + 4 <= words_.cell;
    words_.values = ValueStyle(shaper_, words_.cell);
    words_.has_tooltips =
        words_.T() * words_.S() * static_cast<int64_t>(grid_.cells.size()) <= kMaxTooltips;
  }

  void Place() {
    const TextSize titles = Largest(titles_);
    title_line_ = titles.ascent + titles.descent;
    title_ascent_ = titles.ascent;
    if (has_labels_)
      header_ = kTextGap + (are_level_ ? above_.ascent + above_.descent : above_.width);
    left_ = std::ceil(kMargin + (has_labels_ ? beside_.width + kTextGap : 0));
    pitch_x_ = std::ceil(std::max(words_.width(), titles.width) + kColumnGap);
    pitch_y_ = std::ceil(title_line_ + kTitleGap + words_.height() + kRowGap);
    const double title_height =
        title_.text.empty() ? 0 : title_.size.ascent + title_.size.descent + 14;
    top_ = std::ceil(kMargin + title_height);
    bottom_ = top_ + header_ + pitch_y_ * static_cast<double>(rows()) - kRowGap;
    layout_.drawing.width = std::max(
        left_ + pitch_x_ * static_cast<double>(columns()) - kColumnGap + kMargin,
        2 * kMargin + std::max(title_.size.width, shaper_.Measure(note_, kLegendStyle).width));
  }

  void DrawCell(size_t i) {
    const size_t row = i / columns(), column = i % columns();
    std::vector<Shape>& shapes = layout_.drawing.shapes;
    words_.heatmap = &grid_.cells[i];
    words_.x = left_ + pitch_x_ * static_cast<double>(column);
    // Over the first row's matrices are the words, and their titles over these.
    const double title_y = top_ + pitch_y_ * static_cast<double>(row) + (row == 0 ? 0 : header_);
    words_.y = title_y + title_line_ + kTitleGap + (row == 0 ? header_ : 0);
    AddLabel(titles_[i], {.x = words_.x, .y = title_y + title_ascent_}, shapes);
    if (words_.IsEmpty()) return;
    if (has_labels_ && row == 0) DrawSources(shapes);
    if (has_labels_ && column == 0) DrawTargets(shapes);
    AddMatrix(words_, shapes);
  }

  void DrawSources(std::vector<Shape>& shapes) const {
    const double foot = words_.y - kTextGap;
    for (int64_t s = 0; s < words_.S(); ++s) {
      const double middle = words_.ColumnMiddle(s);
      const Text place =
          are_level_
              ? Text{.x = middle, .y = foot - above_.descent, .anchor = Anchor::kMiddle}
              : Text{.x = middle + MiddleOfLetters(kSmallLabelStyle), .y = foot, .degrees = -90};
      AddLabel(words_.sources[static_cast<size_t>(s)], place, shapes);
    }
  }

  void DrawTargets(std::vector<Shape>& shapes) const {
    for (int64_t t = 0; t < words_.T(); ++t) {
      AddLabel(words_.targets[static_cast<size_t>(t)],
               {.x = words_.x - kTextGap,
                .y = words_.RowMiddle(t) + MiddleOfLetters(kSmallLabelStyle),
                .anchor = Anchor::kEnd},
               shapes);
    }
  }

  const HeatmapGrid& grid_;
  const TextShaper& shaper_;
  LabelMaker labels_;
  HeatmapLayout layout_;
  const Label title_;
  std::vector<Label> titles_;
  Matrix words_;             // what all cells have in common, moved from one to the next
  TextSize above_, beside_;  // the largest measures of source and target labels
  std::string note_;         // below the matrices, where no word stands beside them
  bool has_labels_ = false, are_level_ = false;
  double title_line_ = 0, title_ascent_ = 0, header_ = 0;
  double left_ = 0, top_ = 0, bottom_ = 0, pitch_x_ = 0, pitch_y_ = 0;
};

}  // namespace

HeatmapLayout LayOutHeatmapGrid(const HeatmapGrid& grid, const TextShaper& shaper,
                                MissingGlyphs missing) {
  return GridComposer(grid, shaper, missing).Compose();
}

}  // namespace nmt
