#include "nmt/metrics/bleu.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Lines = std::vector<std::string>;

std::string Score(const Lines& hypotheses, const Lines& references, BleuOptions options = {}) {
  return fmt::format("{:.2f}", CorpusBleu(hypotheses, references, options)->score);
}

TEST(Bleu, AnEmptyHypothesisCountsByItsMissingWordsOnly) {  // C33
  const auto bleu =
      CorpusBleu({"the cat sees the moon", ""}, {"the cat sees the moon", "a dog is here"});
  EXPECT_THAT(bleu->precisions, ElementsAre(100, 100, 100, 100));
  EXPECT_EQ(Score({"", "the cat sees the moon"}, {"a dog likes bread", "the cat sees the moon"}),
            "44.93");
}

TEST(Bleu, AnEmptyReferenceKeepsItsPlaceAmongTheLines) {  // C33
  EXPECT_EQ(Score({"the cat sees the moon", "a dog"}, {"the cat sees the moon", ""}), "86.94");
}

TEST(Bleu, NothingAtAllScoresZero) {  // C33
  EXPECT_EQ(Score({"", ""}, {"", ""}), "0.00");
  EXPECT_EQ(Score({"", ""}, {"the cat sees", "a dog"}), "0.00");
  EXPECT_EQ(Score({}, {}), "0.00");
}

TEST(Bleu, LettersOfAnotherCaseAreOtherLettersUnlessLowerCased) {  // C34
  const Lines hypotheses{"The Cat SEES the moon"};
  const Lines references{"the cat sees the moon"};
  EXPECT_EQ(Score(hypotheses, references), "21.36");
  EXPECT_EQ(Score(hypotheses, references, {.lowercase = true}), "100.00");
}

TEST(Bleu, ChineseNeedsATokenizerThatCutsCharacters) {  // C34
  const Lines hypotheses{"猫看见了月亮。"};
  const Lines references{"猫看到了月亮。"};
  EXPECT_EQ(Score(hypotheses, references), "0.00");
  EXPECT_EQ(Score(hypotheses, references, {.tokenizer = BleuTokenizer::kZh}), "48.89");
  EXPECT_EQ(Score(hypotheses, references, {.tokenizer = BleuTokenizer::kChar}), "48.89");
}

TEST(Bleu, SumsOfSentenceStatisticsGiveTheCorpusScore) {
  const Lines hypotheses{"one two three four five", "one", "six seven eight nine"};
  const Lines references{"one two three four", "one two", "six seven eight nine ten"};
  const auto sentences = CountBleuPerSentence(hypotheses, references);
  ASSERT_TRUE(sentences.ok());
  ASSERT_EQ(sentences->size(), 3u);
  BleuStatistics sum;
  for (const BleuStatistics& sentence : *sentences) sum += sentence;
  EXPECT_THAT(sum.matches, ElementsAre(9, 6, 4, 2));
  EXPECT_THAT(sum.totals, ElementsAre(10, 7, 5, 3));
  EXPECT_EQ(sum.hypothesis_length, 10);
  EXPECT_EQ(sum.reference_length, 11);
  EXPECT_EQ(sum, CorpusBleu(hypotheses, references)->statistics);
}

TEST(Bleu, AWordCountsAtMostAsOftenAsInTheReference) {
  EXPECT_EQ(CountBleu("the the the the", "the cat the").matches[0], 2);
}

TEST(Bleu, UnequalNumbersOfLinesAreRefusedWithBothCounts) {  // C10
  const auto bleu = CorpusBleu({"a", "b"}, {"a", "b", "c"});
  EXPECT_EQ(ExitCode(bleu.status()), 1);
  const std::string message(bleu.status().message());
  EXPECT_THAT(message, HasSubstr("2 lines"));
  EXPECT_THAT(message, HasSubstr("3"));
}

TEST(Bleu, ShortSentencesScoreOverTheOrdersTheyHaveWhenAsked) {
  const BleuStatistics statistics = CountBleu("two words", "two words");
  EXPECT_EQ(ComputeBleu(statistics).score, 0);
  EXPECT_NEAR(ComputeBleu(statistics, {.effective_order = true}).score, 100, 1e-9);
  EXPECT_THAT(BleuSignature({.effective_order = true}), HasSubstr("eff:yes"));
}

TEST(Bleu, AnUnknownTokenizerIsAUsageErrorThatListsTheKnown) {
  const auto tokenizer = ParseTokenizer("14b");
  EXPECT_EQ(ExitCode(tokenizer.status()), 2);
  EXPECT_THAT(std::string(tokenizer.status().message()), HasSubstr("\"14b\""));
  EXPECT_THAT(std::string(tokenizer.status().message()), HasSubstr("13a, none, intl, char, zh"));
}

TEST(Bleu, AnUnknownSmoothingIsAUsageErrorThatListsTheKnown) {
  const auto smoothing = ParseSmoothing("laplace");
  EXPECT_EQ(ExitCode(smoothing.status()), 2);
  EXPECT_THAT(std::string(smoothing.status().message()), HasSubstr("\"laplace\""));
  EXPECT_THAT(std::string(smoothing.status().message()), HasSubstr("exp, floor, add-k, none"));
}

// p_1 = 1/2, p_2 = 0, and no more words: of a pair of words of which one matches.
TEST(Bleu, SmoothingSaysWhatAnOrderWithoutAMatchCountsAs) {
  const BleuStatistics statistics = CountBleu("two words", "two cats");
  const auto score = [&statistics](BleuOptions options) {
    options.effective_order = true;
    return ComputeBleu(statistics, options).score;
  };
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::kExp}), 100 * std::sqrt(1. / 2 * 1 / 2), 1e-9);
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::kFloor}), 100 * std::sqrt(1. / 2 * 0.1), 1e-9);
  EXPECT_EQ(score({.smoothing = BleuSmoothing::kNone}), 0);
}

TEST(Bleu, BytesThatAreNotUtf8AreWordsLikeOthers) {
  const std::string broken = "ab\xff\xc3 cd \xe4\xb8";
  EXPECT_EQ(Tokenize(broken, BleuTokenizer::k13a).size(), 3);
  EXPECT_EQ(CountBleu(broken, broken).matches[0], 3);
}

TEST(BleuWarnings, TellOfTextWithoutBlanksUnderATokenizerThatNeedsThem) {  // C34
  const Lines chinese{"猫看见了月亮。"};
  EXPECT_THAT(BleuWarnings(chinese, chinese, {}), ElementsAre(HasSubstr("zh or char")));
  EXPECT_THAT(BleuWarnings(chinese, chinese, {.tokenizer = BleuTokenizer::kZh}), IsEmpty());
  EXPECT_THAT(BleuWarnings({"a 猫 cat"}, {"a 猫 cat"}, {}), IsEmpty());
}

TEST(OptionsFor, CutTextWithoutBlanksIntoCharacters) {  // C34
  EXPECT_EQ(OptionsFor({"猫看见了月亮。", "BLEU 很高"}).tokenizer, BleuTokenizer::kZh);
  for (const char* japanese : {"ねこがつきをみました。", "日本の首都は東京です。"})
    EXPECT_EQ(OptionsFor({japanese}).tokenizer, BleuTokenizer::kChar);
  EXPECT_EQ(OptionsFor({"แมวเห็นพระจันทร์"}).tokenizer, BleuTokenizer::kChar);
  for (const Lines& spaced :
       {Lines{"a 猫 cat"}, Lines{"고양이가 달을 보았다."}, Lines{""}, Lines{}})
    EXPECT_EQ(OptionsFor(spaced).tokenizer, BleuTokenizer::k13a);
}

TEST(BleuWarnings, TellOfTextThatIsTokenizedAlready) {
  const Lines tokenized(100, "a cat .");
  EXPECT_THAT(BleuWarnings(tokenized, tokenized, {}), ElementsAre(HasSubstr("100 hypotheses")));
  EXPECT_THAT(BleuWarnings(tokenized, tokenized, {.tokenizer = BleuTokenizer::kNone}), IsEmpty());
  EXPECT_THAT(BleuWarnings(Lines(99, "a cat ."), Lines(99, "a cat."), {}), IsEmpty());
}

}  // namespace
}  // namespace nmt
