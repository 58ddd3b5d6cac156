#include "nmt/report/quality_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/ter.h"

namespace nmt {
namespace {

using testing::HasSubstr;

Comparison TwoModels() {
  Comparison comparison;
  comparison.models.resize(2);
  const std::vector<std::vector<std::string>> texts = {
      {"der Hund schläft .", "the dog sleeps .", "the dog sleeps .", "the dog is asleep ."},
      {"die alte Katze sieht den Mond .", "the old cat sees the moon .", "the cat sees moon .",
       "the old cat sees the moon ."},
      {"ja", "yes", "yes", "no"}};
  for (const auto& text : texts) {
    comparison.sentences.push_back({.line = static_cast<int64_t>(comparison.sentences.size()) + 1,
                                    .source = text[0],
                                    .reference = text[1],
                                    .translations = {text[2], text[3]}});
  }
  return comparison;
}

TEST(SummarizeQuality, GivesTheScoresOfTheMetricsThemselves) {
  Comparison comparison = TwoModels();
  ASSERT_TRUE(SummarizeQuality(comparison).ok());
  std::vector<std::string> references;
  for (const SentenceRecord& sentence : comparison.sentences)
    references.push_back(sentence.reference);
  for (size_t m = 0; m < 2; ++m) {
    std::vector<std::string> translations;
    for (const SentenceRecord& sentence : comparison.sentences) {
      translations.push_back(sentence.translations[m]);
    }
    const ModelResult& model = comparison.models[m];
    EXPECT_DOUBLE_EQ(model.bleu, CorpusBleu(translations, references)->score);
    EXPECT_DOUBLE_EQ(model.chrf, CorpusChrf(translations, references)->score);
    EXPECT_DOUBLE_EQ(model.ter.value(), CorpusTer(translations, references)->score);
    EXPECT_THAT(model.bleu_signature, HasSubstr("tok:13a"));
    EXPECT_GT(model.chrf_interval.value().half_width, 0);
  }
  EXPECT_DOUBLE_EQ(comparison.sentences[0].bleu[0].value(), 100);
  EXPECT_DOUBLE_EQ(comparison.sentences[2].bleu[0].value(), 100);  // one word, no higher orders
  EXPECT_DOUBLE_EQ(comparison.sentences[1].ter[1].value(), 0);
}

TEST(SummarizeQuality, TestsTheGivenPairsOrAllAgainstTheFirst) {
  Comparison comparison = TwoModels();
  ASSERT_TRUE(SummarizeQuality(comparison, {.randomization = {.trials = 50}}).ok());
  ASSERT_EQ(comparison.tests.size(), 3u);
  EXPECT_EQ(comparison.tests[0].metric, "BLEU");
  EXPECT_EQ(comparison.tests[0].model, 1);
  EXPECT_EQ(comparison.tests[0].baseline, 0);
  EXPECT_EQ(comparison.tests[0].samples, 50);
  EXPECT_DOUBLE_EQ(comparison.tests[0].difference,
                   comparison.models[1].bleu - comparison.models[0].bleu);
  int64_t counted = 0;
  for (const int64_t count : comparison.tests[0].differences.counts) counted += count;
  EXPECT_EQ(counted, 50);

  comparison = TwoModels();
  ASSERT_TRUE(SummarizeQuality(comparison, {.pairs = {{{0, 1}}}}).ok());
  EXPECT_EQ(comparison.tests[0].baseline, 1);
}

TEST(SummarizeQuality, NamesTheLineThatLacksATranslation) {
  Comparison comparison = TwoModels();
  comparison.sentences[1].translations.pop_back();
  EXPECT_THAT(std::string(SummarizeQuality(comparison).message()),
              HasSubstr("line 2 has 1 translations; expected 2"));
}

TEST(BreakdownByLength, PutsEachSentenceIntoOnePart) {
  const Breakdown breakdown = BreakdownByLength(TwoModels(), {1, 3, 5, 6});
  ASSERT_EQ(breakdown.parts.size(), 3u);  // none of five words
  EXPECT_EQ(breakdown.parts[0].part, "1 to 2");
  EXPECT_EQ(breakdown.parts[1].part, "3 to 4");
  EXPECT_EQ(breakdown.parts[2].part, "6 and more");
  for (const PartResult& part : breakdown.parts) EXPECT_EQ(part.sentences, 1);
  EXPECT_DOUBLE_EQ(breakdown.parts[1].chrf[0], 100);
  EXPECT_DOUBLE_EQ(breakdown.parts[2].ter[1].value(), 0);
}

TEST(BreakdownByFrequency, CountsWordsThatBothTextsHave) {
  WordCounts training;
  CountWords("the the the dog . the . cat", training);
  EXPECT_EQ(training["the"], 4);
  EXPECT_EQ(training["."], 2);
  const Breakdown breakdown = BreakdownByFrequency(TwoModels(), training, {0, 1, 4});
  ASSERT_EQ(breakdown.parts.size(), 3u);
  EXPECT_EQ(breakdown.parts[0].part, "0");
  EXPECT_EQ(breakdown.parts[1].part, "1 to 3");
  // Often: "the" thrice in the references, twice in the first model's translations, twice matched.
  EXPECT_EQ(breakdown.parts[2].part, "4 and more");
  EXPECT_EQ(breakdown.parts[2].words, 3);
  EXPECT_DOUBLE_EQ(breakdown.parts[2].word_f[0].value(), 2.0 * 2 / (2 + 3));
  // Never: sleeps, old, sees, moon, yes against sees, moon, sleeps, yes.
  EXPECT_EQ(breakdown.parts[0].words, 5);
  EXPECT_DOUBLE_EQ(breakdown.parts[0].word_f[0].value(), 2.0 * 4 / (4 + 5));
}

TEST(SummarizeQuality, TestsNothingWhereItIsGivenNoPairs) {
  Comparison comparison = TwoModels();
  const QualityOptions none{.pairs = std::vector<std::pair<int64_t, int64_t>>()};
  ASSERT_TRUE(SummarizeQuality(comparison, none).ok());
  EXPECT_TRUE(comparison.tests.empty());
  comparison = TwoModels();
  ASSERT_TRUE(SummarizeQuality(comparison).ok());
  EXPECT_EQ(comparison.tests.size(), 3u);
}

TEST(TestAcrossSeeds, ComparesTheMeansOfEachGroupWithTheFirst) {
  Comparison comparison;
  const auto add = [&](const char* group, double bleu, double ter) {
    comparison.models.push_back({.name = "run", .group = group, .bleu = bleu, .ter = ter});
  };
  add("GRU", 30, 50);
  add("GRU", 32, 52);
  add("transformer", 35, 48);
  add("transformer", 33, 46);
  add("other", 31, 51);
  TestAcrossSeeds(comparison);
  // BLEU, chrF and TER of the transformer and of the other; no model has an AER.
  ASSERT_EQ(comparison.tests.size(), 6u);
  const PairedResult& test = comparison.tests[0];
  EXPECT_EQ(test.metric, "BLEU");
  EXPECT_EQ(test.over, "seeds");
  EXPECT_EQ(test.model, 2);
  EXPECT_EQ(test.baseline, 0);
  EXPECT_EQ(test.difference, 3);
  // By hand: of {35, 33} against {30, 32}, 2 of the 6 ways are 3 apart, this one and its mirror image.
  EXPECT_DOUBLE_EQ(test.p_value, 2. / 6);
  EXPECT_EQ(test.samples, 6);
  EXPECT_EQ(comparison.tests[1].model, 4);
  EXPECT_EQ(comparison.tests[1].samples, 3);
}

}  // namespace
}  // namespace nmt
