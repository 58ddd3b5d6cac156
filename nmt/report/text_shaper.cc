#include "nmt/report/text_shaper.h"

#include <pango/pangocairo.h>
#include <unicode/uchar.h>

#include <algorithm>

namespace nmt {
namespace {

std::string FamilyList() {
  std::string list;
  for (const char* family : kFontFamilies) list.append(list.empty() ? "" : ",").append(family);
  return list;
}

}  // namespace

void GObjectDeleter::operator()(void* object) const { g_object_unref(object); }

bool IsRightToLeft(std::string_view text) {
  const char* end = text.data() + text.size();
  for (const char* p = text.data(); p < end; p = g_utf8_next_char(p)) {
    const UCharDirection direction = u_charDirection(static_cast<UChar32>(g_utf8_get_char(p)));
    if (direction == U_LEFT_TO_RIGHT) return false;
    if (direction == U_RIGHT_TO_LEFT || direction == U_RIGHT_TO_LEFT_ARABIC) return true;
  }
  return false;
}

absl::StatusOr<TextShaper> TextShaper::Create() {
  TextShaper shaper;
  shaper.fonts_.reset(pango_cairo_font_map_new());
  // Pango ends the process when it has to draw without any font, so ask for one first.
  shaper.context_.reset(pango_font_map_create_context(shaper.fonts_.get()));
  PangoFontDescription* any = pango_font_description_from_string("sans-serif 10");
  const GObjectPtr<PangoFont> font(
      pango_font_map_load_font(shaper.fonts_.get(), shaper.context_.get(), any));
  pango_font_description_free(any);
  if (font == nullptr) {
    return DataError(
        "no font is installed, so no picture can be drawn; expected at least one that fontconfig "
        "finds (Debian: fonts-dejavu-core)");
  }

  pango_context_set_round_glyph_positions(shaper.context_.get(), FALSE);
  cairo_font_options_t* options = cairo_font_options_create();
  // Widths must not depend on the resolution or the angle at which the text is drawn.
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(shaper.context_.get(), options);
  cairo_font_options_destroy(options);
  return shaper;
}

GObjectPtr<PangoLayout> TextShaper::Layout(std::string_view text, const TextStyle& style) const {
  GObjectPtr<PangoLayout> layout(pango_layout_new(context_.get()));
  PangoFontDescription* font = pango_font_description_new();
  pango_font_description_set_family(font, FamilyList().c_str());
  pango_font_description_set_absolute_size(font, style.size * PANGO_SCALE);
  if (style.bold) pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
  if (style.italic) pango_font_description_set_style(font, PANGO_STYLE_ITALIC);
  pango_layout_set_font_description(layout.get(), font);
  pango_font_description_free(font);
  pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  return layout;
}

TextSize TextShaper::Measure(std::string_view text, const TextStyle& style) const {
  const GObjectPtr<PangoLayout> layout = Layout(text, style);
  PangoRectangle ink, logical;
  pango_layout_line_get_extents(pango_layout_get_line_readonly(layout.get(), 0), &ink, &logical);
  // Ink may stand out beyond the advance width (italics, an accent on a narrow letter).
  const int right = std::max(logical.x + logical.width, ink.x + ink.width);
  const int left = std::min(logical.x, ink.x);
  return {.width = static_cast<double>(right - left) / PANGO_SCALE,
          .ascent = std::max(0.0, -static_cast<double>(ink.y) / PANGO_SCALE),
          .descent = std::max(0.0, static_cast<double>(ink.y + ink.height) / PANGO_SCALE)};
}

std::vector<char32_t> TextShaper::MissingGlyphs(std::string_view text,
                                                const TextStyle& style) const {
  const GObjectPtr<PangoLayout> layout = Layout(text, style);
  if (pango_layout_get_unknown_glyphs_count(layout.get()) == 0) return {};
  std::vector<char32_t> missing;
  const PangoLayoutLine* line = pango_layout_get_line_readonly(layout.get(), 0);
  for (const GSList* run = line->runs; run != nullptr; run = run->next) {
    const PangoGlyphString* glyphs = static_cast<PangoGlyphItem*>(run->data)->glyphs;
    for (int i = 0; i < glyphs->num_glyphs; ++i) {
      const PangoGlyph glyph = glyphs->glyphs[i].glyph;
      // Pango keeps the code point in the lower bits of an unknown glyph.
      if (glyph & PANGO_GLYPH_UNKNOWN_FLAG) missing.push_back(glyph & ~PANGO_GLYPH_UNKNOWN_FLAG);
    }
  }
  return missing;
}

}  // namespace nmt
