#include "nmt/metrics/ter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "nmt/metrics/tercom.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

int64_t Edits(std::string_view hypothesis, std::string_view reference) {
  return CountTer(hypothesis, reference).edits;
}

std::string Score(const Lines& hypotheses, const Lines& references, TerOptions options = {}) {
  return fmt::format("{:.2f}", CorpusTer(hypotheses, references, options)->score);
}

TEST(Ter, AMissingAnAddedAndAnotherWordAreAnEditEach) {
  EXPECT_EQ(Edits("the cat sees the moon", "the cat sees the moon"), 0);
  EXPECT_EQ(Edits("the cat sees moon", "the cat sees the moon"), 1);
  EXPECT_EQ(Edits("the cat now sees the moon", "the cat sees the moon"), 1);
  EXPECT_EQ(Edits("the cat sees the sun", "the cat sees the moon"), 1);
  EXPECT_EQ(Score({"the cat sees moon"}, {"the cat sees the moon"}), "20.00");
}

TEST(Ter, WordsInARowThatMoveAreOneEdit) {
  EXPECT_EQ(Edits("the moon the cat sees", "the cat sees the moon"), 1);
  EXPECT_EQ(Edits("c d e f a b", "a b c d e f"), 1);
  // A shift of "d e", and "x" for "y".
  EXPECT_EQ(Edits("d e a b x", "a b y d e"), 2);
}

std::vector<int32_t> Numbers(int32_t count) {
  std::vector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(Ter, OneShiftMovesAtMostTenWords) {
  for (const int moved : {10, 11}) {
    std::vector<int32_t> hypothesis = Numbers(30);
    std::rotate(hypothesis.begin(), hypothesis.begin() + moved, hypothesis.end());
    EXPECT_EQ(CountEditsWithShifts(hypothesis, Numbers(30)), moved == 10 ? 1 : 2) << moved;
  }
}

TEST(Ter, OneShiftGoesAtMostOverFiftyWords) {
  for (const int distance : {50, 51}) {
    std::vector<int32_t> hypothesis = Numbers(distance + 1);
    std::rotate(hypothesis.begin(), hypothesis.begin() + 1, hypothesis.end());
    EXPECT_EQ(CountEditsWithShifts(hypothesis, Numbers(distance + 1)), distance == 50 ? 1 : 2)
        << distance;
  }
}

TEST(Ter, AnEmptyHypothesisLacksEveryWord) {  // C33
  EXPECT_EQ(Edits("", "the cat sees"), 3);
  EXPECT_EQ(Score({""}, {"the cat sees"}), "100.00");
  EXPECT_EQ(Score({"", "the cat sees the moon"}, {"a dog likes bread", "the cat sees the moon"}),
            "44.44");
}

TEST(Ter, WordsForAnEmptyReferenceAreEditsOfTheCorpus) {  // C33
  EXPECT_EQ(Score({"the cat sees the moon", "a dog"}, {"the cat sees the moon", ""}), "40.00");
  EXPECT_EQ(Score({"a dog"}, {""}), "100.00");
}

TEST(Ter, NothingAtAllScoresZero) {  // C33
  EXPECT_EQ(Score({"", ""}, {"", ""}), "0.00");
  EXPECT_EQ(Score({}, {}), "0.00");
}

TEST(Ter, LettersOfAnotherCaseAreTheSameUnlessAskedFor) {  // C34
  const Lines hypotheses{"The Cat SEES the moon"};
  const Lines references{"the cat sees the moon"};
  EXPECT_EQ(Score(hypotheses, references), "0.00");
  EXPECT_EQ(Score(hypotheses, references, {.case_sensitive = true}), "60.00");
  EXPECT_THAT(TerSignature({.case_sensitive = true}), HasSubstr("case:mixed"));
}

TEST(Ter, ChineseSentencesAreWordsAsWholes) {  // C34
  EXPECT_EQ(Score({"猫看见了月亮。"}, {"猫看到了月亮。"}), "100.00");
}

TEST(Ter, SumsOfSentenceStatisticsGiveTheCorpusScore) {
  const Lines hypotheses{"one two", "three", "four five"};
  const Lines references{"one too", "three four", "five four"};
  const auto sentences = CountTerPerSentence(hypotheses, references);
  ASSERT_TRUE(sentences.ok());
  TerStatistics sum;
  for (const TerStatistics& sentence : *sentences) sum += sentence;
  EXPECT_EQ(sum, (TerStatistics{.edits = 3, .reference_length = 6}));
  EXPECT_EQ(sum, CorpusTer(hypotheses, references)->statistics);
}

TEST(Ter, UnequalNumbersOfLinesAreRefusedWithBothCounts) {  // C10
  const auto ter = CorpusTer({"a", "b"}, {"a", "b", "c"});
  EXPECT_EQ(ExitCode(ter.status()), 1);
  EXPECT_THAT(std::string(ter.status().message()), HasSubstr("2 lines"));
}

}  // namespace
}  // namespace nmt
