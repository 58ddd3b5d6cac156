#include <cairo-pdf.h>

#include <algorithm>

#include "nmt/report/drawing.h"
#include "nmt/report/drawing_cairo.h"

namespace nmt {
namespace {

constexpr double kPointsPerUnit = 72.0 / 96;
constexpr double kMaxSide = 14400;  // in points: ISO 32000-1, annex C; readers refuse larger pages

}  // namespace

absl::StatusOr<std::string> PdfOf(const Drawing& drawing, const TextShaper& shaper) {
  const double scale =
      std::min({kPointsPerUnit, kMaxSide / drawing.width, kMaxSide / drawing.height});
  std::string pdf;
  const SurfacePtr surface(cairo_pdf_surface_create_for_stream(
      AppendBytes, &pdf, drawing.width * scale, drawing.height * scale));
  // What every reader knows and LaTeX includes without a warning.
  cairo_pdf_surface_restrict_to_version(surface.get(), CAIRO_PDF_VERSION_1_4);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, drawing.title.c_str());
  // Cairo would write the time of day, but the same drawing shall give the same bytes: what is no date
  // leaves the entry out.
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "none");
  const CairoPtr cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), scale, scale);
  DrawOn(cairo.get(), drawing, shaper);
  cairo_show_page(cairo.get());
  NMT_RETURN_IF_ERROR(StatusOf(cairo_status(cairo.get())));
  cairo_surface_finish(surface.get());
  NMT_RETURN_IF_ERROR(StatusOf(cairo_surface_status(surface.get())));
  return pdf;
}

}  // namespace nmt
