#include "nmt/text/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/file.h"
#include "tests/text/trained_tokenizer.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::string_view_literals;
using namespace std::string_literals;

TEST(SplitLines, OnlyLineFeedEndsALine) {
  EXPECT_THAT(SplitLines("the\u2028cat\na\u2029b\nc\u0085d\ne\vf\ng\fh\ni\x1Cj\nk\x1Dl\nm\x1En\n"),
              ElementsAre("the\u2028cat", "a\u2029b",
                          "c\u0085"
                          "d",
                          "e\vf", "g\fh", "i\x1Cj", "k\x1Dl", "m\x1En"));
}

TEST(SplitLines, ACarriageReturnBeforeTheLineFeedBelongsToTheLineEnd) {
  EXPECT_THAT(SplitLines("the cat .\r\na dog .\r\n\r\nthe end\r\n"),
              ElementsAre("the cat .", "a dog .", "", "the end"));
}

TEST(SplitLines, ALoneCarriageReturnStaysInTheLine) {
  EXPECT_THAT(SplitLines("the cat\rsees\na dog .\r\r\nlast\r"),
              ElementsAre("the cat\rsees", "a dog .\r", "last\r"));
}

TEST(SplitLines, ALastLineWithoutLineFeedCountsAndNoneIsInvented) {
  EXPECT_THAT(SplitLines("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitLines("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitLines("a\nb\n\n"), ElementsAre("a", "b", ""));
  EXPECT_THAT(SplitLines("\n"), ElementsAre(""));
  EXPECT_THAT(SplitLines(""), IsEmpty());
}

TEST(SplitLines, EmptyLinesKeepTheirPlaces) {
  EXPECT_THAT(SplitLines("\nthe cat .\n\n\na dog .\n\n"),
              ElementsAre("", "the cat .", "", "", "a dog .", ""));
}

TEST(ReadLines, GivesTheLinesOfAFile) {
  const std::filesystem::path path = TestFolder() / "two.txt";
  ASSERT_TRUE(WriteFileAtomically(path, "a\0b\r\nc"sv).ok());
  const auto lines = ReadLines(path);
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_THAT(*lines, ElementsAre("a\0b"sv, "c"));
}

TEST(ReadLines, NamesAMissingFile) {
  const auto lines = ReadLines("no/such/file.de");
  EXPECT_EQ(ExitCode(lines.status()), 1);
  EXPECT_THAT(std::string(lines.status().message()), HasSubstr("no/such/file.de"));
}

TEST(LineReader, GivesTheSameLinesAsSplitLines) {
  const std::string contents = "a\r\n\nb\rc\nwith\0zero\n\xFF\nlast"s;
  std::FILE* stream = std::tmpfile();
  ASSERT_EQ(std::fwrite(contents.data(), 1, contents.size(), stream), contents.size());
  std::rewind(stream);
  LineReader reader(stream);
  std::vector<std::string> lines;
  while (std::optional<std::string> line = reader.Next()) lines.push_back(*line);
  EXPECT_EQ(lines, SplitLines(contents));
  EXPECT_EQ(lines.size(), 6u);
  std::fclose(stream);
}

TEST(CleanLine, MakesBlanksOfControlCharactersAndUnicodeLineEnds) {
  EXPECT_EQ(CleanLine("a\0b\tc\rd\ve\ff\x1Cg\x1Dh\x1Ei\x1Fj\x7Fk\nl"sv), "a b c d e f g h i j k l");
  EXPECT_EQ(CleanLine("a\u0085b\u2028c\u2029d\u0080e"), "a b c d e");
}

TEST(CleanLine, KeepsEveryOtherCharacter) {
  const std::string line = " Ünï · 日本\u3000語 😀 e\u0301 \u200D\u2581</s> ";
  EXPECT_EQ(CleanLine(line), line);
}

TEST(CleanLine, ReplacesIllFormedBytes) {
  EXPECT_EQ(CleanLine("a\xFF"
                      "b"),
            "a\uFFFD"
            "b");
  EXPECT_EQ(CleanLine("cut \xE2\x82"), "cut \uFFFD");
  EXPECT_EQ(CleanLine("\xC0\x80"), "\uFFFD\uFFFD");            // overlong NUL
  EXPECT_EQ(CleanLine("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_TRUE(IsValidUtf8(CleanLine("\xFE\xED\xA0\x80\xF5")));
}

TEST(IsValidUtf8, TellsIllFormedBytes) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("日本語 😀"));
  EXPECT_FALSE(IsValidUtf8("ok \xFF"));
  EXPECT_FALSE(IsValidUtf8("\xE2\x82"));
  EXPECT_FALSE(IsValidUtf8("\xC0\x80"));
}

TEST(Words, AreRunsWithoutUnicodeWhiteSpace) {
  EXPECT_THAT(Words("  the\tcat\u00A0sees\u3000the\u2003\u2009moon .\u0085x "),
              ElementsAre("the", "cat", "sees", "the", "moon", ".", "x"));
  EXPECT_THAT(Words("zero\u200Bwidth \u2581 \xFF"),
              ElementsAre("zero\u200Bwidth", "\u2581", "\xFF"));
}

TEST(WordSpans, CountBytes) {
  const std::vector<WordSpan> spans = WordSpans(" é\u3000b");
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].begin, 1u);
  EXPECT_EQ(spans[0].end, 3u);
  EXPECT_EQ(spans[1].begin, 6u);
  EXPECT_EQ(spans[1].end, 7u);
}

TEST(IsBlank, HoldsForLinesWithoutWords) {
  for (const char* line : {"", " ", "\t", "\u00A0", "\u3000\u3000", " \t\u00A0  ", "\u0085"}) {
    EXPECT_TRUE(IsBlank(line)) << line;
    EXPECT_THAT(Words(line), IsEmpty());
  }
  EXPECT_FALSE(IsBlank(" . "));
  EXPECT_FALSE(IsBlank("\u200D."));
}

TEST(IsBlank, HoldsForWordsThatNobodySees) {
  for (const char* line : {"\u2060", "\u00AD", "\u200D", "\u202E \u061C", "\u180E", "\u2800",
                           "\u3164", "\uFE0F", "\uFEFF"})
    EXPECT_TRUE(IsBlank(line)) << line;
}

TEST(WithoutByteOrderMark, TakesOneFromTheBeginningOnly) {
  EXPECT_EQ(WithoutByteOrderMark("\uFEFFa\n\uFEFFb\n"), "a\n\uFEFFb\n");
  EXPECT_EQ(WithoutByteOrderMark("\uFEFF"), "");
  EXPECT_EQ(WithoutByteOrderMark("a"), "a");
}

TEST(LowerCase, FollowsUnicode) {
  EXPECT_EQ(LowerCase("ÄÖÜ ΣΑΣ ДОМ Straße"), "äöü σας дом straße");
}

TEST(LowerCase, NeverChangesTheNumberOfWords) {
  for (const char* line :
       {"İSTANBUL I ıi", " ẞ\u3000ǅ  Ⅷ ", "ΟΔΟΣ Σ", "\u2126 \u212A \u00A0K", ""}) {
    EXPECT_EQ(Words(LowerCase(line)).size(), Words(line).size()) << line;
  }
}

}  // namespace
}  // namespace nmt
