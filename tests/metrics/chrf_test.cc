#include "nmt/metrics/chrf.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nmt {
namespace {

using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

std::string Score(const Lines& hypotheses, const Lines& references, ChrfOptions options = {}) {
  return fmt::format("{:.2f}", CorpusChrf(hypotheses, references, options)->score);
}

TEST(Chrf, AnEmptyHypothesisLowersRecallOnly) {  // C33
  const Lines hypotheses{"", "the cat sees the moon"};
  const Lines references{"a dog likes bread", "the cat sees the moon"};
  EXPECT_EQ(Score(hypotheses, references), "61.28");
  EXPECT_NEAR(CorpusChrf(hypotheses, references)->precision, 100, 1e-9);
}

// The plain formula would count the n-grams of "a dog" as wrong and give 98.09.
TEST(Chrf, OrdersThatTheReferenceLacksAreNotCountedAgainstTheHypothesis) {  // C33
  EXPECT_EQ(Score({"the cat sees the moon", "a dog"}, {"the cat sees the moon", ""}), "100.00");
  const ChrfStatistics statistics = CountChrf("abcd", "ab");
  EXPECT_EQ(statistics.orders[0], (NgramCounts{.hypothesis = 4, .reference = 2, .matches = 2}));
  EXPECT_EQ(statistics.orders[1], (NgramCounts{.hypothesis = 3, .reference = 1, .matches = 1}));
  EXPECT_EQ(statistics.orders[2], NgramCounts{});
}

TEST(Chrf, NothingAtAllScoresZero) {  // C33
  EXPECT_EQ(Score({"", ""}, {"", ""}), "0.00");
  EXPECT_EQ(Score({"", ""}, {"the cat sees", "a dog"}), "0.00");
  EXPECT_EQ(Score({}, {}), "0.00");
}

TEST(Chrf, LettersOfAnotherCaseAreOtherLettersUnlessLowerCased) {  // C34
  const Lines hypotheses{"The Cat SEES the moon"};
  const Lines references{"the cat sees the moon"};
  EXPECT_EQ(Score(hypotheses, references), "36.06");
  EXPECT_EQ(Score(hypotheses, references, {.lowercase = true}), "100.00");
  EXPECT_EQ(Score(hypotheses, references, {.lowercase = true, .word_ngrams = true}), "100.00");
}

TEST(Chrf, ChineseNeedsNoTokenizer) {  // C34
  EXPECT_EQ(Score({"猫看见了月亮。"}, {"猫看到了月亮。"}), "36.23");
}

TEST(Chrf, SumsOfSentenceStatisticsGiveTheCorpusScore) {
  const Lines hypotheses{"one two", "three", "éàü 四"};
  const Lines references{"one too", "three four", "éàö 四"};
  const ChrfOptions options{.word_ngrams = true};
  const auto sentences = CountChrfPerSentence(hypotheses, references, options);
  ASSERT_TRUE(sentences.ok());
  ASSERT_EQ(sentences->size(), 3u);
  ChrfStatistics sum;
  for (const ChrfStatistics& sentence : *sentences) sum += sentence;
  EXPECT_EQ(sum.orders[0], (NgramCounts{.hypothesis = 15, .reference = 19, .matches = 13}));
  EXPECT_EQ(sum.orders[kChrfCharacterOrders],
            (NgramCounts{.hypothesis = 5, .reference = 6, .matches = 3}));
  EXPECT_EQ(sum, CorpusChrf(hypotheses, references, options)->statistics);
}

TEST(Chrf, UnequalNumbersOfLinesAreRefusedWithBothCounts) {  // C10
  const auto chrf = CorpusChrf({"a", "b"}, {"a", "b", "c"});
  EXPECT_EQ(ExitCode(chrf.status()), 1);
  EXPECT_THAT(std::string(chrf.status().message()), HasSubstr("2 lines"));
}

}  // namespace
}  // namespace nmt
