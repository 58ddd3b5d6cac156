// Text from outside made safe to show in a picture, a terminal or a page: valid UTF-8 of one line.
//
//   std::string label = PrintableText("a\x1b[2J\xff");      // "a�[2J�"
//   std::string padded = PadRight(label, 8);                 // by columns, not by bytes
//   int columns = DisplayWidth("月亮");                      // 4
#ifndef NMT_REPORT_PRINTABLE_H_
#define NMT_REPORT_PRINTABLE_H_

#include <string>
#include <string_view>

namespace nmt {

// Tabs and line breaks become blanks. Bytes that are not UTF-8 and characters that would act rather
// than show (controls, line separators, bidi overrides, noncharacters) become U+FFFD. XML 1.0
// allows every character of the result.
std::string PrintableText(std::string_view text);

// Terminal columns of printable text: wide East Asian characters take 2, combining marks 0.
int DisplayWidth(std::string_view text);

// `text` in at most `columns` columns, its end replaced by "…" where it is longer. Cuts between
// what a reader takes for characters (Unicode's grapheme clusters): a base stays with its marks.
std::string ElideToColumns(std::string_view text, int columns);

// Padded with blanks to `columns`; longer text stays as it is.
std::string PadLeft(std::string_view text, int columns);
std::string PadRight(std::string_view text, int columns);

// "U+6708"
std::string CodePointName(char32_t code_point);

// `text` with the five characters that XML and HTML reserve written as entities.
std::string EscapeXml(std::string_view text);

}  // namespace nmt

#endif  // NMT_REPORT_PRINTABLE_H_
