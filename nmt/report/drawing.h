// A picture as a list of shapes, independent of the file format: laid out once, written as PNG,
// SVG or PDF.
//
//   Drawing drawing{.width = 200, .height = 100};
//   drawing.shapes.push_back(Text{.x = 10, .y = 20, .text = "Haus"});
//   std::string svg = SvgOf(drawing);
//
// Lengths are in pixels of 1/96 inch, x to the right, y down. Later shapes cover earlier ones.
#ifndef NMT_REPORT_DRAWING_H_
#define NMT_REPORT_DRAWING_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/report/color_scale.h"
#include "nmt/report/text_shaper.h"

namespace nmt {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  std::optional<Color> fill;
  std::optional<Color> stroke;
  double stroke_width = 1;
  bool dashed = false;
  std::string tooltip;  // shown by a browser over the box; SVG only
};

struct Line {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  Color color;
  double width = 1;
};

struct Vertex {
  double x = 0, y = 0;
};

// Straight lines from point to point with round joins; two points at least.
struct Polyline {
  std::vector<Vertex> points;
  Color color;
  double width = 1;
  std::vector<double> dashes;  // lengths of ink and gap in turn; empty: solid
  std::string tooltip;         // as Box::tooltip
};

// The last point is joined to the first; overlapping parts count once.
struct Polygon {
  std::vector<Vertex> points;
  std::optional<Color> fill;
  double opacity = 1;  // of the fill
  std::optional<Color> stroke;
  double stroke_width = 1;
  std::string tooltip;
};

struct Circle {
  double x = 0, y = 0, radius = 0;
  std::optional<Color> fill;
  std::optional<Color> stroke;
  double stroke_width = 1;
  std::string tooltip;
};

// Of these, only what lies in the rectangle shows.
struct Clipped {
  double x = 0, y = 0, width = 0, height = 0;
  std::vector<std::variant<Polyline, Polygon>> shapes;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct Text {
  double x = 0, y = 0;  // where the anchor lies on the baseline
  double degrees = 0;   // turned about (x, y); negative rises to the right
  Anchor anchor = Anchor::kStart;
  Color color;
  TextStyle style;
  std::string text;  // printable (nmt/report/printable.h)
};

using Shape = std::variant<Box, Line, Polyline, Polygon, Circle, Clipped, Text>;

struct Drawing {
  double width = 0, height = 0;
  std::string title;  // what a screen reader says
  std::vector<Shape> shapes;
};

// PNG bytes on a white ground, at 2 pixels a unit (192 dpi), less where the picture would exceed
// 64 megapixels. Errors: no memory for it.
absl::StatusOr<std::string> PngOf(const Drawing& drawing, const TextShaper& shaper);

// One page of PDF 1.4, as large as the drawing at 96 units an inch, less where that would exceed the
// format's 200 inches. Text is text, in the fonts of this machine, which are embedded as far as they
// are used. The same drawing gives the same bytes.
absl::StatusOr<std::string> PdfOf(const Drawing& drawing, const TextShaper& shaper);

// SVG 1.1, UTF-8, with text as text: it can be searched, copied and restyled.
std::string SvgOf(const Drawing& drawing);

}  // namespace nmt

#endif  // NMT_REPORT_DRAWING_H_
