// A PNG read back by Cairo, for tests that look at pixels.
#ifndef NMT_TESTS_REPORT_PICTURE_H_
#define NMT_TESTS_REPORT_PICTURE_H_

#include <cairo.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "nmt/report/color_scale.h"

namespace nmt {

class Picture {
 public:
  static Picture Decoded(std::string_view png) {
    const auto read = [](void* rest, unsigned char* bytes, unsigned int count) {
      std::string_view& left = *static_cast<std::string_view*>(rest);
      if (left.size() < count) return CAIRO_STATUS_READ_ERROR;
      std::memcpy(bytes, left.data(), count);
      left.remove_prefix(count);
      return CAIRO_STATUS_SUCCESS;
    };
    return Picture(cairo_image_surface_create_from_png_stream(read, &png));
  }

  int width() const { return cairo_image_surface_get_width(surface_.get()); }
  int height() const { return cairo_image_surface_get_height(surface_.get()); }

  Color At(double x, double y) const {
    const unsigned char* row =
        cairo_image_surface_get_data(surface_.get()) +
        static_cast<ptrdiff_t>(y) * cairo_image_surface_get_stride(surface_.get());
    uint32_t pixel;
    std::memcpy(&pixel, row + 4 * static_cast<ptrdiff_t>(x), sizeof(pixel));
    return {static_cast<uint8_t>(pixel >> 16), static_cast<uint8_t>(pixel >> 8),
            static_cast<uint8_t>(pixel)};
  }

  int Count(Color color) const {
    int count = 0;
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) count += At(x, y) == color;
    }
    return count;
  }

 private:
  explicit Picture(cairo_surface_t* surface) : surface_(surface, cairo_surface_destroy) {}
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_;
};

}  // namespace nmt

#endif  // NMT_TESTS_REPORT_PICTURE_H_
