#include <algorithm>
#include <cmath>

#include "nmt/report/drawing.h"
#include "nmt/report/drawing_cairo.h"

namespace nmt {
namespace {

constexpr double kPixelsPerUnit = 2;
constexpr double kMaxPixels = 64e6;  // 256 MB while it is drawn
constexpr double kMaxSide = 30000;   // Cairo's own limit is 32,767

}  // namespace

absl::StatusOr<std::string> PngOf(const Drawing& drawing, const TextShaper& shaper) {
  const double scale =
      std::min({kPixelsPerUnit, kMaxSide / drawing.width, kMaxSide / drawing.height,
                std::sqrt(kMaxPixels / (drawing.width * drawing.height))});
  const SurfacePtr surface(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(drawing.width * scale)),
      static_cast<int>(std::ceil(drawing.height * scale))));
  const CairoPtr cairo(cairo_create(surface.get()));
  cairo_set_source_rgb(cairo.get(), 1, 1, 1);
  cairo_paint(cairo.get());
  cairo_scale(cairo.get(), scale, scale);
  DrawOn(cairo.get(), drawing, shaper);
  NMT_RETURN_IF_ERROR(StatusOf(cairo_status(cairo.get())));
  std::string png;
  NMT_RETURN_IF_ERROR(
      StatusOf(cairo_surface_write_to_png_stream(surface.get(), AppendBytes, &png)));
  return png;
}

}  // namespace nmt
