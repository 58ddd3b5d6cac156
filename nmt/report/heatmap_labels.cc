#include "nmt/report/heatmap_labels.h"

#include <glib.h>

#include <algorithm>

#include "nmt/report/printable.h"

namespace nmt {
namespace {

// "月x" becomes "U+6708 x": each missing character by its code point, set off by blanks.
std::string WithCodePoints(std::string_view text, const std::set<char32_t>& missing) {
  std::string result;
  bool after_name = false;
  const char* end = text.data() + text.size();
  for (const char* p = text.data(); p < end; p = g_utf8_next_char(p)) {
    const char32_t c = g_utf8_get_char(p);
    const bool is_missing = missing.contains(c);
    if (!result.empty() && (is_missing || after_name)) result += ' ';
    if (is_missing) {
      result += CodePointName(c);
    } else {
      result.append(p, static_cast<size_t>(g_utf8_next_char(p) - p));
    }
    after_name = is_missing;
  }
  return result;
}

}  // namespace

Label LabelMaker::Make(std::string_view raw, const TextStyle& style, int max_columns) {
  Label label{.text = ElideToColumns(PrintableText(raw), max_columns), .style = style, .size = {}};
  const std::vector<char32_t> missing = shaper_.MissingGlyphs(label.text, style);
  if (policy_ == MissingGlyphs::kAsCodePoints && !missing.empty()) {
    replaced_.insert(missing.begin(), missing.end());
    label.text = WithCodePoints(label.text, {missing.begin(), missing.end()});
  }
  label.size = shaper_.Measure(label.text, style);
  if (policy_ == MissingGlyphs::kAsWritten && !missing.empty()) {
    // Another font will draw these, up to an em wide and high; Pango measured boxes for them.
    label.size.width = std::max(label.size.width, style.size * static_cast<double>(missing.size()));
    label.size =
        Larger(label.size, {.width = 0, .ascent = 0.95 * style.size, .descent = 0.35 * style.size});
  }
  return label;
}

std::vector<Label> LabelMaker::MakeWords(const std::vector<std::string>& words,
                                         const TextStyle& style, bool ends_with_end_symbol,
                                         int max_columns) {
  std::vector<Label> labels;
  for (const std::string& word : words) labels.push_back(Make(word, style, max_columns));
  if (ends_with_end_symbol && !labels.empty()) {
    TextStyle slanted = style;
    slanted.italic = true;
    labels.back() = Make(kEndSymbol, slanted, max_columns);
    labels.back().color = kGrey;
  }
  return labels;
}

TextSize Largest(const std::vector<Label>& labels) {
  TextSize largest;
  for (const Label& label : labels) largest = Larger(largest, label.size);
  return largest;
}

TextSize Larger(const TextSize& a, const TextSize& b) {
  return {.width = std::max(a.width, b.width),
          .ascent = std::max(a.ascent, b.ascent),
          .descent = std::max(a.descent, b.descent)};
}

}  // namespace nmt
