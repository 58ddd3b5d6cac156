#include "nmt/report/printable.h"

#include <gtest/gtest.h>

#include "tests/report/report_testing.h"

namespace nmt {
namespace {

TEST(PrintableText, KeepsTextOfEveryScript) {
  for (const char* text :
       {"Haus", "猫 看 月亮", "고양이", "बिल्ली चाँद", "ñandú œuf ß ẞ", "القط", "😀", ""}) {
    EXPECT_EQ(PrintableText(text), text);
  }
}

TEST(PrintableText, ReplacesEachByteThatIsNotUtf8) {
  EXPECT_EQ(PrintableText("a\xff\xfe"), "a��");
  EXPECT_EQ(PrintableText("a\xc3"), "a�");          // cut off
  EXPECT_EQ(PrintableText("\xed\xa0\x80"), "���");  // a surrogate
  EXPECT_EQ(PrintableText("\xc0\xaf/"), "��/");     // overlong
}

TEST(PrintableText, ReplacesCharactersThatActRatherThanShow) {
  EXPECT_EQ(PrintableText(std::string_view("a\0b", 3)), "a�b");
  EXPECT_EQ(PrintableText("\x1b[2J\a\x7f"), "�[2J��");
  EXPECT_EQ(PrintableText("\xc2\x85\xe2\x80\xa8"), "��");  // NEL, U+2028
  EXPECT_EQ(PrintableText("\xe2\x80\xae"
                          "abc\xe2\x81\xa6"),
            "�abc�");                                          // bidi override, isolate
  EXPECT_EQ(PrintableText("\xef\xbf\xbe\xef\xb7\x90"), "��");  // U+FFFE, U+FDD0
}

TEST(PrintableText, TurnsTabsAndLineBreaksIntoBlanks) {
  EXPECT_EQ(PrintableText("a\tb\r\nc\v\f"), "a b  c  ");
}

TEST(DisplayWidth, CountsColumnsNotBytesOrCharacters) {
  EXPECT_EQ(DisplayWidth("Haus"), 4);
  EXPECT_EQ(DisplayWidth("Mädchen"), 7);
  EXPECT_EQ(DisplayWidth("月亮"), 4);
  EXPECT_EQ(DisplayWidth("고양이"), 6);
  EXPECT_EQ(DisplayWidth("a\xcc\x81"), 1);  // a and a combining acute
}

TEST(ElideToColumns, LeavesWhatFits) {
  EXPECT_EQ(ElideToColumns("Haus", 4), "Haus");
  EXPECT_EQ(ElideToColumns("月亮", 4), "月亮");
}

TEST(ElideToColumns, CutsBetweenCharactersWithinTheWidth) {
  EXPECT_EQ(ElideToColumns("Häuser", 4), "Häu…");
  EXPECT_EQ(ElideToColumns("月亮月亮", 4), "月…");  // the second would need a fifth column
  EXPECT_EQ(ElideToColumns("Haus", 0), "");
}

TEST(ElideToColumns, NeverPartsABaseFromItsMarks) {
  EXPECT_EQ(ElideToColumns("xa\xcc\x81zzz", 3), "xa\xcc\x81…");
}

TEST(ElideToColumns, NeverPartsWhatAReaderTakesForACharacter) {
  EXPECT_EQ(ElideToColumns("xकीyz", 3), "x…") << "a letter and its vowel, a column each";
  EXPECT_EQ(ElideToColumns("xकीyz", 4), "xकी…");
  EXPECT_EQ(ElideToColumns("👩\u200d👩\u200d👧xyz", 6), "…") << "one picture of three";
  EXPECT_EQ(ElideToColumns("xy🇫🇷zzz", 4), "xy…") << "a flag is a pair";
}

TEST(Pad, AlignsByColumns) {
  EXPECT_EQ(PadLeft("月", 4), "  月");
  EXPECT_EQ(PadRight("ä", 3), "ä  ");
  EXPECT_EQ(PadLeft("Haus", 2), "Haus");
}

TEST(EscapeXml, EscapesWhatXmlReserves) {
  EXPECT_EQ(EscapeXml("<a b='c' d=\"e\">&amp;"),
            "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;");
}

TEST(EscapeXml, MakesEveryHostileLabelWellFormed) {
  for (const std::string& label : HostileLabels()) {
    EXPECT_EQ(XmlError("<t a=\"" + EscapeXml(PrintableText(label)) + "\">" +
                       EscapeXml(PrintableText(label)) + "</t>"),
              "");
  }
}

TEST(CodePointName, HasFourDigitsOrMore) {
  EXPECT_EQ(CodePointName(0x6708), "U+6708");
  EXPECT_EQ(CodePointName(0x41), "U+0041");
  EXPECT_EQ(CodePointName(0xF1234), "U+F1234");
}

}  // namespace
}  // namespace nmt
