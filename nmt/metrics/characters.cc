#include "nmt/metrics/characters.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace nmt {

Character CharacterAt(std::string_view text, size_t offset) {
  const auto length = static_cast<int32_t>(text.size() - offset);
  const char* bytes = text.data() + offset;
  int32_t end = 0;
  UChar32 code_point = 0;
  U8_NEXT_OR_FFFD(bytes, end, length, code_point);
  return {static_cast<char32_t>(code_point), text.substr(offset, end)};
}

bool IsWhiteSpace(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0D) ||
           (code_point >= 0x1C && code_point <= 0x1F);
  }
  return u_isUWhiteSpace(static_cast<UChar32>(code_point));
}

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  size_t word_begin = 0;
  const auto end_word = [&](size_t end) {
    if (end > word_begin) words.push_back(text.substr(word_begin, end - word_begin));
  };
  for (size_t offset = 0; offset < text.size();) {
    const Character character = CharacterAt(text, offset);
    if (IsWhiteSpace(character.code_point)) {
      end_word(offset);
      word_begin = offset + character.bytes.size();
    }
    offset += character.bytes.size();
  }
  end_word(text.size());
  return words;
}

std::vector<std::string_view> SplitCharacters(std::string_view text) {
  std::vector<std::string_view> characters;
  characters.reserve(text.size());
  for (size_t offset = 0; offset < text.size();) {
    const Character character = CharacterAt(text, offset);
    if (!IsWhiteSpace(character.code_point)) characters.push_back(character.bytes);
    offset += character.bytes.size();
  }
  return characters;
}

std::string_view StripRight(std::string_view text) {
  size_t end = 0;
  for (size_t offset = 0; offset < text.size();) {
    const Character character = CharacterAt(text, offset);
    offset += character.bytes.size();
    if (!IsWhiteSpace(character.code_point)) end = offset;
  }
  return text.substr(0, end);
}

std::string_view Strip(std::string_view text) {
  size_t begin = 0;
  while (begin < text.size()) {
    const Character character = CharacterAt(text, begin);
    if (!IsWhiteSpace(character.code_point)) break;
    begin += character.bytes.size();
  }
  return StripRight(text.substr(begin));
}

}  // namespace nmt
