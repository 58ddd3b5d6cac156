// What the formats that Cairo writes have in common: shapes on a surface of any kind.
//
//   const SurfacePtr surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 200, 100));
//   const CairoPtr cairo(cairo_create(surface.get()));
//   DrawOn(cairo.get(), drawing, shaper);
//   NMT_RETURN_IF_ERROR(StatusOf(cairo_status(cairo.get())));
#ifndef NMT_REPORT_DRAWING_CAIRO_H_
#define NMT_REPORT_DRAWING_CAIRO_H_

#include <cairo.h>

#include <memory>

#include "nmt/report/drawing.h"

namespace nmt {

struct SurfaceDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using SurfacePtr = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;

struct CairoDeleter {
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};
using CairoPtr = std::unique_ptr<cairo_t, CairoDeleter>;

// A cairo_write_func_t whose closure is a std::string.
cairo_status_t AppendBytes(void* text, const unsigned char* bytes, unsigned int count);

// One unit of the drawing is one unit of the surface's space.
void DrawOn(cairo_t* cairo, const Drawing& drawing, const TextShaper& shaper);

absl::Status StatusOf(cairo_status_t status);

}  // namespace nmt

#endif  // NMT_REPORT_DRAWING_CAIRO_H_
