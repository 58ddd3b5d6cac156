#include "nmt/metrics/tokenize.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "nmt/metrics/characters.h"

namespace nmt {
namespace {

constexpr std::array<std::pair<BleuTokenizer, std::string_view>, 5> kTokenizerNames = {{
    {BleuTokenizer::k13a, "13a"},
    {BleuTokenizer::kNone, "none"},
    {BleuTokenizer::kIntl, "intl"},
    {BleuTokenizer::kChar, "char"},
    {BleuTokenizer::kZh, "zh"},
}};

// The patterns below look at ASCII characters and their neighbours only. In UTF-8 no byte of
// another character is ASCII, so they may be matched on bytes.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsPeriodOrComma(char c) { return c == '.' || c == ','; }

// ASCII punctuation that always stands alone: all but the apostrophe, comma, hyphen and period.
// The blank is among them, which only adds blanks.
bool IsSeparator(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// Rewrites every pair of neighbours that `matches` accepts as `before` first `between` second
// `after`. As a regular expression's replacement, a pair takes both its characters: in "a.." the
// second period is not looked at again with the first.
template <typename Text, typename Matches>
Text SpacePairs(const Text& text, Matches matches, std::string_view before,
                std::string_view between, std::string_view after) {
  const auto append = [](Text& spaced, std::string_view blanks) {
    spaced.append(blanks.begin(), blanks.end());
  };
  Text spaced;
  spaced.reserve(text.size() + text.size() / 4);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !matches(text[i], text[i + 1])) {
      spaced += text[i];
      continue;
    }
    append(spaced, before);
    spaced += text[i];
    append(spaced, between);
    spaced += text[++i];
    append(spaced, after);
  }
  return spaced;
}

// The language-dependent part of mteval-v13a, for Western languages. The passes run one after the
// other: each sees the blanks that those before it made.
std::string SpacePunctuation(std::string_view line) {
  std::string text;
  text.reserve(line.size() + line.size() / 2);
  for (const char c : line) {
    if (IsSeparator(c)) {
      text += ' ';
      text += c;
      text += ' ';
    } else {
      text += c;
    }
  }
  const auto not_after_digit = [](char a, char b) { return !IsDigit(a) && IsPeriodOrComma(b); };
  const auto not_before_digit = [](char a, char b) { return IsPeriodOrComma(a) && !IsDigit(b); };
  const auto digit_hyphen = [](char a, char b) { return IsDigit(a) && b == '-'; };
  text = SpacePairs(text, not_after_digit, "", " ", " ");
  text = SpacePairs(text, not_before_digit, " ", " ", "");
  return SpacePairs(text, digit_hyphen, "", " ", " ");
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

std::string Spaced13a(std::string_view line) {
  std::string text(line);
  ReplaceAll(text, "<skipped>", "");
  ReplaceAll(text, "-\n", "");
  // In this order, so that "&amp;lt;" becomes "<" too.
  ReplaceAll(text, "&quot;", "\"");
  ReplaceAll(text, "&amp;", "&");
  ReplaceAll(text, "&lt;", "<");
  ReplaceAll(text, "&gt;", ">");
  // The outer blanks let a period at either end have a neighbour.
  return SpacePunctuation(" " + text + " ");
}

// sacreBLEU's list of Chinese characters. Its range for U+20000 to U+2A6D6 is written with Python
// literals that say "\u2000" "0" to "\u2a6d" "6": it takes in all of U+2001 to U+2A6D (dashes,
// quotes, arrows, signs) and misses the characters it means, and a range for U+2F800 to U+2FA1D
// fails alike. All its scores are computed so.
bool IsChinese(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 19> kRanges = {{
      {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3000, 0x303F},
      {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x32FF}, {0x3300, 0x33FF},
      {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF},
  }};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [c](const auto& range) { return range.first <= c && c <= range.second; });
}

std::string SpacedZh(std::string_view line) {
  const std::string_view stripped = Strip(line);
  std::string text;
  for (size_t offset = 0; offset < stripped.size();) {
    const Character character = CharacterAt(stripped, offset);
    const std::string_view blank = IsChinese(character.code_point) ? " " : "";
    text += blank;
    text += character.bytes;
    text += blank;
    offset += character.bytes.size();
  }
  // Without the outer blanks of 13a: a final "5." stays whole.
  return SpacePunctuation(text);
}

bool IsIn(char32_t c, uint32_t categories) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & categories) != 0;
}

std::u32string CodePoints(std::string_view text) {
  std::u32string code_points;
  for (size_t offset = 0; offset < text.size();) {
    const Character character = CharacterAt(text, offset);
    code_points += character.code_point;
    offset += character.bytes.size();
  }
  return code_points;
}

// mteval-v14's: punctuation and symbols stand alone, but not punctuation between digits. A period
// at the very end stays with a number before it: nothing follows that is not a digit.
std::string SpacedIntl(std::string_view line) {
  const auto punctuation_after_other = [](char32_t a, char32_t b) {
    return !IsIn(a, U_GC_N_MASK) && IsIn(b, U_GC_P_MASK);
  };
  const auto punctuation_before_other = [](char32_t a, char32_t b) {
    return IsIn(a, U_GC_P_MASK) && !IsIn(b, U_GC_N_MASK);
  };
  std::u32string code_points = CodePoints(line);
  code_points = SpacePairs(code_points, punctuation_after_other, "", " ", " ");
  code_points = SpacePairs(code_points, punctuation_before_other, " ", " ", "");
  std::string text;
  for (const char32_t c : code_points) {
    const std::string_view blank = IsIn(c, U_GC_S_MASK) ? " " : "";
    std::array<char, U8_MAX_LENGTH> bytes;
    int32_t size = 0;
    U8_APPEND_UNSAFE(bytes.data(), size, static_cast<UChar32>(c));
    text += blank;
    text.append(bytes.data(), size);
    text += blank;
  }
  return text;
}

UnitSequence Words(std::string_view text) { return UnitSequence(SplitWords(text), " "); }

}  // namespace

std::string_view TokenizerName(BleuTokenizer tokenizer) {
  for (const auto& [value, name] : kTokenizerNames) {
    if (value == tokenizer) return name;
  }
  return "";
}

absl::StatusOr<BleuTokenizer> ParseTokenizer(std::string_view name) {
  std::string known;
  for (const auto& [value, value_name] : kTokenizerNames) {
    if (value_name == name) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", value_name);
  }
  return UsageError(fmt::format("unknown tokenizer \"{}\": expected one of {}", name, known));
}

UnitSequence Tokenize(std::string_view line, BleuTokenizer tokenizer) {
  const std::string_view text = StripRight(line);
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return Words(Spaced13a(text));
    case BleuTokenizer::kNone:
      return Words(text);
    case BleuTokenizer::kIntl:
      return Words(SpacedIntl(text));
    case BleuTokenizer::kChar:
      return UnitSequence(SplitCharacters(text), " ");
    case BleuTokenizer::kZh:
      return Words(SpacedZh(text));
  }
  return Words(text);
}

}  // namespace nmt
