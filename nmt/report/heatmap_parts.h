// What a picture of one matrix and a grid of many share: the matrix itself, and the legend below.
//
//   Matrix matrix{.heatmap = &heatmap, .sources = ..., .targets = ..., .x = 80, .y = 60, .cell = 24};
//   matrix.values = ValueStyle(shaper, matrix.cell);
//   AddMatrix(matrix, drawing.shapes);
//   AddHeatmapLegend(/*top=*/300, GoldKindsOf(heatmap), shaper, drawing);
#ifndef NMT_REPORT_HEATMAP_PARTS_H_
#define NMT_REPORT_HEATMAP_PARTS_H_

#include <optional>
#include <vector>

#include "nmt/report/drawing.h"
#include "nmt/report/heatmap.h"
#include "nmt/report/heatmap_labels.h"

namespace nmt {

// Cells; beyond that tooltips would make an SVG heavy.
inline constexpr int64_t kMaxTooltips = 10000;

// One heatmap with its labels made and its place.
struct Matrix {
  const Heatmap* heatmap = nullptr;
  std::vector<Label> sources, targets;
  double x = 0, y = 0;              // the upper left corner of the cells
  double cell = 0;                  // the side of one
  std::optional<TextStyle> values;  // of the weights written into the cells, if they are
  bool has_tooltips = true;

  int64_t S() const { return static_cast<int64_t>(sources.size()); }
  int64_t T() const { return static_cast<int64_t>(targets.size()); }
  bool IsEmpty() const { return sources.empty() || targets.empty(); }
  double width() const { return cell * static_cast<double>(S()); }
  double height() const { return cell * static_cast<double>(T()); }
  double ColumnMiddle(int64_t s) const { return x + cell * (static_cast<double>(s) + 0.5); }
  double RowMiddle(int64_t t) const { return y + cell * (static_cast<double>(t) + 0.5); }
};

// Said in the place of a matrix that has no cells.
inline constexpr const char* kNoWords = "(no words)";

// From the middle of a row down to the baseline: half the height of a small letter and a bit.
inline double MiddleOfLetters(const TextStyle& style) { return 0.35 * style.size; }

// In which size ".88" fits into a cell; nothing if in no readable one.
std::optional<TextStyle> ValueStyle(const TextShaper& shaper, double cell);

// Cells, values, lines, frame and the outlines of gold links; not the labels. `matrix` has cells.
void AddMatrix(const Matrix& matrix, std::vector<Shape>& shapes);

// Nothing for an empty label.
void AddLabel(const Label& label, const Text& place, std::vector<Shape>& shapes);

// Which outlines a heatmap has. A link that is listed as both sure and possible is sure.
struct GoldKinds {
  bool sure = false, possible = false;
};
GoldKinds GoldKindsOf(const Heatmap& heatmap);

// The colour scale and what outlines mean, below everything else; makes `drawing` wide and high
// enough.
void AddHeatmapLegend(double top, const GoldKinds& gold, const TextShaper& shaper,
                      Drawing& drawing);

}  // namespace nmt

#endif  // NMT_REPORT_HEATMAP_PARTS_H_
