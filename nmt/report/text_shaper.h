// Text measured and drawn by Pango, which chooses fonts and shapes every script.
//
//   NMT_ASSIGN_OR_RETURN(TextShaper shaper, TextShaper::Create());
//   TextSize size = shaper.Measure("Haus", {.size = 13});
//   std::vector<char32_t> missing = shaper.MissingGlyphs("月亮", {.size = 13});
#ifndef NMT_REPORT_TEXT_SHAPER_H_
#define NMT_REPORT_TEXT_SHAPER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"

// Pango's own types, so that this header needs none of Pango's.
struct _PangoContext;
struct _PangoFontMap;
struct _PangoLayout;

namespace nmt {

// The families that are asked for, in this order, in pictures of every format.
inline constexpr const char* kFontFamilies[] = {"DejaVu Sans", "Noto Sans", "sans-serif"};

struct TextStyle {
  double size = 13;  // of the em square, in pixels
  bool bold = false;
  bool italic = false;
};

// In pixels. `ascent` and `descent` are those of the ink, above and below the baseline.
struct TextSize {
  double width = 0, ascent = 0, descent = 0;
};

struct GObjectDeleter {
  void operator()(void* object) const;  // drops one reference
};
template <typename T>
using GObjectPtr = std::unique_ptr<T, GObjectDeleter>;

// Whether a line is set from the right: its first letter of a script with a direction decides, as
// Unicode's bidirectional algorithm has it (UAX 9, P2 and P3). Layout() goes by it too.
bool IsRightToLeft(std::string_view text);

class TextShaper {
 public:
  // Errors: the machine has no font at all.
  static absl::StatusOr<TextShaper> Create();

  TextSize Measure(std::string_view text, const TextStyle& style) const;

  // Characters of `text` that no installed font can draw, in order, repeats included.
  std::vector<char32_t> MissingGlyphs(std::string_view text, const TextStyle& style) const;

  // Printable text in one line, to measure or to draw with pango_cairo_show_layout_line().
  GObjectPtr<_PangoLayout> Layout(std::string_view text, const TextStyle& style) const;

 private:
  TextShaper() = default;
  GObjectPtr<_PangoFontMap> fonts_;
  GObjectPtr<_PangoContext> context_;
};

}  // namespace nmt

#endif  // NMT_REPORT_TEXT_SHAPER_H_
