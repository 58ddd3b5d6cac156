#include "nmt/report/drawing_cairo.h"

#include <pango/pangocairo.h>

#include <numbers>

namespace nmt {
namespace {

void SetColor(cairo_t* cairo, Color color) {
  cairo_set_source_rgb(cairo, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

void Draw(cairo_t* cairo, const TextShaper&, const Box& box) {
  cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
  if (box.fill) {
    // Smoothed edges would leave light seams between neighbouring boxes.
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
    SetColor(cairo, *box.fill);
    cairo_fill_preserve(cairo);
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_DEFAULT);
  }
  if (box.stroke) {
    const double dash = 2 * box.stroke_width;
    if (box.dashed) cairo_set_dash(cairo, &dash, 1, 0);
    cairo_set_line_width(cairo, box.stroke_width);
    SetColor(cairo, *box.stroke);
    cairo_stroke_preserve(cairo);
    cairo_set_dash(cairo, nullptr, 0, 0);
  }
  cairo_new_path(cairo);
}

void Draw(cairo_t* cairo, const TextShaper&, const Line& line) {
  cairo_move_to(cairo, line.x1, line.y1);
  cairo_line_to(cairo, line.x2, line.y2);
  cairo_set_line_width(cairo, line.width);
  SetColor(cairo, line.color);
  cairo_stroke(cairo);
}

// Text leaves a current point behind, from which Cairo would draw on.
void AddPath(cairo_t* cairo, const std::vector<Vertex>& points) {
  cairo_new_path(cairo);
  for (const Vertex& point : points) cairo_line_to(cairo, point.x, point.y);
}

// Fills and outlines the current path, and forgets it.
void Paint(cairo_t* cairo, std::optional<Color> fill, double opacity, std::optional<Color> stroke,
           double stroke_width) {
  if (fill) {
    cairo_set_source_rgba(cairo, fill->red / 255.0, fill->green / 255.0, fill->blue / 255.0,
                          opacity);
    cairo_fill_preserve(cairo);
  }
  if (stroke) {
    cairo_set_line_width(cairo, stroke_width);
    SetColor(cairo, *stroke);
    cairo_stroke_preserve(cairo);
  }
  cairo_new_path(cairo);
}

void Draw(cairo_t* cairo, const TextShaper&, const Polyline& line) {
  cairo_save(cairo);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(cairo, line.dashes.data(), static_cast<int>(line.dashes.size()), 0);
  AddPath(cairo, line.points);
  Paint(cairo, {}, 1, line.color, line.width);
  cairo_restore(cairo);
}

void Draw(cairo_t* cairo, const TextShaper&, const Polygon& polygon) {
  AddPath(cairo, polygon.points);
  cairo_close_path(cairo);
  Paint(cairo, polygon.fill, polygon.opacity, polygon.stroke, polygon.stroke_width);
}

void Draw(cairo_t* cairo, const TextShaper&, const Circle& circle) {
  cairo_new_path(cairo);
  cairo_arc(cairo, circle.x, circle.y, circle.radius, 0, 2 * std::numbers::pi);
  Paint(cairo, circle.fill, 1, circle.stroke, circle.stroke_width);
}

void Draw(cairo_t* cairo, const TextShaper& shaper, const Clipped& clipped) {
  cairo_save(cairo);
  cairo_new_path(cairo);
  cairo_rectangle(cairo, clipped.x, clipped.y, clipped.width, clipped.height);
  cairo_clip(cairo);
  for (const auto& shape : clipped.shapes) {
    std::visit([&](const auto& s) { Draw(cairo, shaper, s); }, shape);
  }
  cairo_restore(cairo);
}

void Draw(cairo_t* cairo, const TextShaper& shaper, const Text& text) {
  const GObjectPtr<PangoLayout> layout = shaper.Layout(text.text, text.style);
  const double width = shaper.Measure(text.text, text.style).width;
  const double before = text.anchor == Anchor::kStart    ? 0.0
                        : text.anchor == Anchor::kMiddle ? width / 2
                                                         : width;
  cairo_save(cairo);
  cairo_translate(cairo, text.x, text.y);
  cairo_rotate(cairo, text.degrees * std::numbers::pi / 180.0);
  cairo_move_to(cairo, -before, 0);
  SetColor(cairo, text.color);
  pango_cairo_show_layout_line(cairo, pango_layout_get_line_readonly(layout.get(), 0));
  cairo_restore(cairo);
}

}  // namespace

cairo_status_t AppendBytes(void* text, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

void DrawOn(cairo_t* cairo, const Drawing& drawing, const TextShaper& shaper) {
  for (const Shape& shape : drawing.shapes) {
    std::visit([&](const auto& s) { Draw(cairo, shaper, s); }, shape);
  }
}

absl::Status StatusOf(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return absl::OkStatus();
  return DataError(std::string("cannot draw the picture: ") + cairo_status_to_string(status));
}

}  // namespace nmt
