#include "nmt/text/lines.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>
#include <cstdlib>

#include "nmt/base/file.h"

namespace nmt {
namespace {

constexpr UChar32 kReplacement = 0xFFFD;
constexpr UChar32 kLineSeparator = 0x2028;
constexpr UChar32 kParagraphSeparator = 0x2029;
constexpr UChar32 kBrailleBlank = 0x2800;

// The code point at *position, negative when ill-formed; moves *position behind it.
UChar32 NextCodePoint(std::string_view line, size_t* position) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(line.data());
  UChar32 c;
  U8_NEXT(bytes, *position, line.size(), c);
  return c;
}

void AppendCodePoint(UChar32 c, std::string* text) {
  uint8_t bytes[U8_MAX_LENGTH];
  int32_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, c);
  text->append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

bool EndsLine(UChar32 c) {
  return u_charType(c) == U_CONTROL_CHAR || c == kLineSeparator || c == kParagraphSeparator;
}

// A line with its LF, if it has one, without its line end.
std::string_view WithoutLineEnd(std::string_view line) {
  if (!line.ends_with('\n')) return line;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<std::string> SplitLines(std::string_view contents) {
  std::vector<std::string> lines;
  while (!contents.empty()) {
    const size_t feed = contents.find('\n');
    const size_t size = feed == std::string_view::npos ? contents.size() : feed + 1;
    lines.emplace_back(WithoutLineEnd(contents.substr(0, size)));
    contents.remove_prefix(size);
  }
  return lines;
}

absl::StatusOr<std::vector<std::string>> ReadLines(const std::filesystem::path& path) {
  NMT_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  return SplitLines(WithoutByteOrderMark(contents));
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

LineReader::~LineReader() { std::free(buffer_); }

std::optional<std::string> LineReader::Next() {
  const ssize_t size = ::getline(&buffer_, &capacity_, stream_);
  if (size < 0) return std::nullopt;
  return std::string(WithoutLineEnd({buffer_, static_cast<size_t>(size)}));
}

std::string CleanLine(std::string_view line) {
  std::string clean;
  clean.reserve(line.size());
  for (size_t position = 0; position < line.size();) {
    const size_t begin = position;
    const UChar32 c = NextCodePoint(line, &position);
    if (c < 0) {
      AppendCodePoint(kReplacement, &clean);
    } else if (EndsLine(c)) {
      clean += ' ';
    } else {
      clean += line.substr(begin, position - begin);
    }
  }
  return clean;
}

bool IsValidUtf8(std::string_view line) {
  for (size_t position = 0; position < line.size();) {
    if (NextCodePoint(line, &position) < 0) return false;
  }
  return true;
}

std::string LowerCase(std::string_view line) {
  std::string lower;
  icu::StringByteSink<std::string> sink(&lower, static_cast<int32_t>(line.size()));
  UErrorCode error = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower(/*locale=*/"", /*options=*/0, icu::StringPiece(line), sink,
                            /*edits=*/nullptr, error);
  return U_SUCCESS(error) ? lower : std::string(line);
}

std::vector<WordSpan> WordSpans(std::string_view line) {
  std::vector<WordSpan> spans;
  bool in_word = false;
  for (size_t position = 0; position < line.size();) {
    const size_t begin = position;
    const UChar32 c = NextCodePoint(line, &position);
    const bool is_blank = c >= 0 && u_isUWhiteSpace(c);
    if (is_blank) {
      in_word = false;
    } else if (in_word) {
      spans.back().end = position;
    } else {
      spans.push_back({begin, position});
      in_word = true;
    }
  }
  return spans;
}

bool IsPunctuation(std::string_view word) {
  for (size_t i = 0; i < word.size();) {
    UChar32 c;
    U8_NEXT(word.data(), i, word.size(), c);
    if (c < 0 || (U_GET_GC_MASK(c) & (U_GC_P_MASK | U_GC_S_MASK)) == 0) return false;
  }
  return !word.empty();
}

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  for (const WordSpan& span : WordSpans(line)) {
    words.emplace_back(line.substr(span.begin, span.end - span.begin));
  }
  return words;
}

bool IsBlank(std::string_view line) {
  for (size_t position = 0; position < line.size();) {
    const UChar32 c = NextCodePoint(line, &position);
    if (c < 0) return false;
    if (!u_isUWhiteSpace(c) && !u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) &&
        c != kBrailleBlank)
      return false;
  }
  return true;
}

}  // namespace nmt
