// Characters as sacreBLEU sees them: Unicode code points, with the white space that Python's
// str.split() knows. That is Unicode's White_Space, as in nmt/text/lines.h, and the four separators
// U+001C to U+001F besides.
//
//   SplitWords(" ein\u3000Haus ");   // {"ein", "Haus"}
//   SplitCharacters("né e");         // {"n", "é", "e"}
#ifndef NMT_METRICS_CHARACTERS_H_
#define NMT_METRICS_CHARACTERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

struct Character {
  char32_t code_point;     // U+FFFD stands for bytes that are not UTF-8
  std::string_view bytes;  // never empty
};

// The character that starts at byte `offset`, which must lie inside `text`.
Character CharacterAt(std::string_view text, size_t offset);

// Python's str.isspace(): Unicode's White_Space and the four separators U+001C to U+001F.
bool IsWhiteSpace(char32_t code_point);

// The runs of other characters between white space. The views point into `text`.
std::vector<std::string_view> SplitWords(std::string_view text);

// Every character that is not white space. The views point into `text`.
std::vector<std::string_view> SplitCharacters(std::string_view text);

std::string_view StripRight(std::string_view text);
std::string_view Strip(std::string_view text);

}  // namespace nmt

#endif  // NMT_METRICS_CHARACTERS_H_
