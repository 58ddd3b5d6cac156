#include "nmt/report/printable.h"

#include <fmt/format.h>
#include <glib.h>
#include <pango/pango.h>

#include <vector>

namespace nmt {
namespace {

constexpr gunichar kReplacement = 0xFFFD;

void Append(std::string& text, gunichar character) {
  char bytes[6];
  text.append(bytes, static_cast<size_t>(g_unichar_to_utf8(character, bytes)));
}

gunichar Printable(gunichar c) {
  if (c >= '\t' && c <= '\r') return ' ';  // tab, line feed, vertical tab, form feed, return
  const bool is_control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool separates_lines = c == 0x2028 || c == 0x2029;
  const bool reorders_neighbours = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  const bool is_noncharacter = (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
  if (is_control || separates_lines || reorders_neighbours || is_noncharacter) {
    return kReplacement;
  }
  return c;
}

int ColumnsOf(gunichar character) {
  if (g_unichar_iszerowidth(character)) return 0;
  return g_unichar_iswide(character) ? 2 : 1;
}

}  // namespace

std::string PrintableText(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const gunichar c = g_utf8_get_char_validated(text.data(), static_cast<gssize>(text.size()));
    // -1: not UTF-8; -2: cut off at the end. A NUL byte is reported as one or the other by some
    // versions of GLib, so it is told apart here.
    const bool is_invalid = text.front() != '\0' && c >= 0x110000;
    if (is_invalid) {
      Append(result, kReplacement);
      text.remove_prefix(1);
    } else {
      Append(result, text.front() == '\0' ? Printable(0) : Printable(c));
      text.remove_prefix(
          static_cast<size_t>(g_utf8_skip[static_cast<unsigned char>(text.front())]));
    }
  }
  return result;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  const char* end = text.data() + text.size();
  for (const char* p = text.data(); p < end; p = g_utf8_next_char(p)) {
    width += ColumnsOf(g_utf8_get_char(p));
  }
  return width;
}

std::string ElideToColumns(std::string_view text, int columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns < 1) return "";
  const int bytes = static_cast<int>(text.size());
  std::vector<PangoLogAttr> attributes(static_cast<size_t>(g_utf8_strlen(text.data(), bytes)) +
                                       1);  // one at each character's start
  pango_get_log_attrs(text.data(), bytes, /*level=*/-1, pango_language_get_default(),
                      attributes.data(), static_cast<int>(attributes.size()));
  int width = 0;
  const char* cut = text.data();
  const char* end = text.data() + text.size();
  size_t i = 0;
  for (const char* p = text.data(); p < end; p = g_utf8_next_char(p), ++i) {
    if (attributes[i].is_cursor_position) cut = p;
    width += ColumnsOf(g_utf8_get_char(p));
    if (width > columns - 1) break;
  }
  return std::string(text.data(), cut) + "…";
}

std::string PadLeft(std::string_view text, int columns) {
  const int missing = columns - DisplayWidth(text);
  return std::string(static_cast<size_t>(missing > 0 ? missing : 0), ' ').append(text);
}

std::string PadRight(std::string_view text, int columns) {
  const int missing = columns - DisplayWidth(text);
  return std::string(text).append(static_cast<size_t>(missing > 0 ? missing : 0), ' ');
}

std::string CodePointName(char32_t code_point) {
  return fmt::format("U+{:04X}", static_cast<uint32_t>(code_point));
}

std::string EscapeXml(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace nmt
