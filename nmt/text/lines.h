// Lines and words: the same rules wherever the product reads or prints text.
//
//   NMT_ASSIGN_OR_RETURN(std::vector<std::string> lines, ReadLines("train.de"));
//   for (std::string& line : lines) line = CleanLine(line);
//   size_t words = WordSpans(lines[0]).size();
//
// Only LF ends a line, as for wc and paste: readers that also split on CR, NEL, U+2028 and their
// kind see more lines on one side of a parallel text than on the other.
#ifndef NMT_TEXT_LINES_H_
#define NMT_TEXT_LINES_H_

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

// The lines of a text. One CR before the LF belongs to the line end; a last line without LF counts;
// "" has no lines, "\n" has one.
std::vector<std::string> SplitLines(std::string_view contents);

// The text behind a byte order mark (U+FEFF), if it begins with one.
std::string_view WithoutByteOrderMark(std::string_view text);

// The lines of a plain file, as SplitLines, without a byte order mark. Errors are those of ReadFile: path and reason.
absl::StatusOr<std::vector<std::string>> ReadLines(const std::filesystem::path& path);

// The lines of a stream, one at a time, as SplitLines. Does not own the stream.
class LineReader {
 public:
  explicit LineReader(std::FILE* stream) : stream_(stream) {}
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line; nothing at the end, or when the stream cannot be read (then ferror() is set).
  std::optional<std::string> Next();

 private:
  std::FILE* stream_;
  char* buffer_ = nullptr;  // of getline(3)
  size_t capacity_ = 0;
};

// What the product reads and prints: valid UTF-8 (each ill-formed sequence becomes U+FFFD), in
// which every control character (NUL, tab, CR, VT, FF, FS to US, DEL, NEL, ...), U+2028 and U+2029
// is a blank. Idempotent.
std::string CleanLine(std::string_view line);

bool IsValidUtf8(std::string_view line);

// In lower case by Unicode's language-neutral rules. Never changes the number of words.
std::string LowerCase(std::string_view line);

// The bytes [begin, end) of a word in its line.
struct WordSpan {
  size_t begin, end;
};

// The words: maximal runs of characters without Unicode's White_Space property.
std::vector<WordSpan> WordSpans(std::string_view line);
std::vector<std::string> Words(std::string_view line);

// Whether a word is nothing but punctuation and symbols (Unicode's general categories P and S).
bool IsPunctuation(std::string_view word);

// Whether nothing of the line can be seen: white space, and characters that Unicode calls default-ignorable (soft
// hyphen, joiners, direction marks, variation selectors, ...), and U+2800.
bool IsBlank(std::string_view line);

}  // namespace nmt

#endif  // NMT_TEXT_LINES_H_
