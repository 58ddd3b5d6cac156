#include "nmt/metrics/significance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/ter.h"

namespace nmt {
namespace {

using ::testing::Each;
using Sentences = std::vector<TerStatistics>;

double Score(const TerStatistics& statistics) { return ComputeTer(statistics).score; }

// Four sentences of one word each: the baseline is wrong in three of them, the system in the other.
const Sentences kSystem{{0, 1}, {0, 1}, {0, 1}, {1, 1}};
const Sentences kBaseline{{1, 1}, {1, 1}, {1, 1}, {0, 1}};

// Four standard deviations of a share of `samples` draws.
double Error(double share, int64_t samples) {
  return 4 * std::sqrt(share * (1 - share) / static_cast<double>(samples));
}

// The scores of all samples that draw, for each sentence, one of `choices`: `sum_of` says the sum of
// one of the choices^4 samples.
template <typename SumOf>
std::vector<double> ScoresOfAll(int choices, SumOf sum_of) {
  std::vector<double> scores;
  for (int sample = 0; sample < std::pow(choices, 4); ++sample) {
    TerStatistics sum;
    for (int i = 0, rest = sample; i < 4; ++i, rest /= choices) sum += sum_of(i, rest % choices);
    scores.push_back(Score(sum));
  }
  return scores;
}

TEST(ApproximateRandomization, FindsTheShareOfAllChangesThatDifferMore) {
  // By hand: changes make the three errors to one into 4:0, 3:1, 2:2, 1:3 or 0:4; of the 16, two
  // differ by more than two errors.
  const std::vector<double> system_scores =
      ScoresOfAll(2, [](int i, int coin) { return coin == 0 ? kSystem[i] : kBaseline[i]; });
  const std::vector<double> baseline_scores =
      ScoresOfAll(2, [](int i, int coin) { return coin == 0 ? kBaseline[i] : kSystem[i]; });
  int64_t larger = 0;
  for (size_t sample = 0; sample < 16; ++sample) {
    if (std::abs(system_scores[sample] - baseline_scores[sample]) > 50) ++larger;
  }
  EXPECT_EQ(larger, 2);

  const PairedTest test = ApproximateRandomization(kSystem, kBaseline, Score);
  EXPECT_EQ(test.difference, -50);
  EXPECT_EQ(test.differences.size(), 10000u);
  EXPECT_NEAR(test.p_value, 2. / 16, Error(2. / 16, 10000));
}

TEST(PairedBootstrap, FindsTheShareOfAllSamplesThatDifferMoreThanByTheirMean) {
  const auto scores_of = [](const Sentences& sentences) {
    return ScoresOfAll(4, [&sentences](int, int drawn) { return sentences[drawn]; });
  };
  // All 256 samples: of few large differences, so that the share is not 0.
  const Sentences system{{0, 1}, {2, 1}, {1, 1}, {1, 1}};
  const Sentences baseline{{8, 1}, {1, 1}, {1, 1}, {1, 1}};
  const PairedTest all =
      BootstrapTest(Score({4, 4}) - Score({11, 4}), scores_of(system), scores_of(baseline));
  const double share = (all.p_value * 257 - 1) / 256;
  EXPECT_GT(share, 0.02);
  EXPECT_LT(share, 0.98);

  const BootstrapOptions options{.resamples = 20000};
  const PairedTest test = PairedBootstrap(system, baseline, Score, options);
  EXPECT_EQ(test.difference, -175);
  EXPECT_EQ(test.differences.size(), 20000u);
  EXPECT_NEAR(test.p_value, share, Error(share, options.resamples));
}

TEST(PairedBootstrap, DrawsTheSameSentencesForBothSystems) {
  // The system has an edit less in every sentence: in every sample too.
  Sentences system, baseline;
  for (int64_t i = 0; i < 20; ++i) {
    system.push_back({i, 10});
    baseline.push_back({i + 1, 10});
  }
  const PairedTest test = PairedBootstrap(system, baseline, Score);
  EXPECT_THAT(test.differences, Each(testing::DoubleNear(-10, 1e-9)));
  EXPECT_EQ(test.p_value, 1. / 1001);
}

TEST(PairedTests, SystemsOfEqualOutputShowNoDifference) {
  EXPECT_EQ(PairedBootstrap(kSystem, kSystem, Score).p_value, 1);
  EXPECT_EQ(ApproximateRandomization(kSystem, kSystem, Score).p_value, 1);
}

TEST(PairedTests, TheOrderOfTheTwoSystemsTurnsOnlyTheSign) {
  for (const auto& [one, other] :
       {std::pair{PairedBootstrap(kSystem, kBaseline, Score),
                  PairedBootstrap(kBaseline, kSystem, Score)},
        std::pair{ApproximateRandomization(kSystem, kBaseline, Score),
                  ApproximateRandomization(kBaseline, kSystem, Score)}}) {
    EXPECT_EQ(one.difference, -other.difference);
    EXPECT_EQ(one.p_value, other.p_value);
  }
}

TEST(PairedTests, EqualSeedsGiveEqualSamplesAndOthersDoNot) {
  const BootstrapOptions seed_1{.seed = 1}, seed_2{.seed = 2};
  EXPECT_EQ(BootstrapScores(kSystem, Score, seed_1), BootstrapScores(kSystem, Score, seed_1));
  EXPECT_NE(BootstrapScores(kSystem, Score, seed_1), BootstrapScores(kSystem, Score, seed_2));
  const auto differences = [](uint64_t seed) {
    return ApproximateRandomization(kSystem, kBaseline, Score, {.seed = seed}).differences;
  };
  EXPECT_EQ(differences(1), differences(1));
  EXPECT_NE(differences(1), differences(2));
}

TEST(PairedTests, WithoutSentencesThereIsNoDifference) {
  EXPECT_EQ(PairedBootstrap(Sentences{}, Sentences{}, Score).p_value, 1);
  EXPECT_EQ(ApproximateRandomization(Sentences{}, Sentences{}, Score).p_value, 1);
}

TEST(PairedTests, ChangingEverySentenceChangesTheSystems) {
  // More than 64 sentences: more than one word of coins. One of two outputs is all wrong.
  Sentences system(130, {0, 1}), baseline(130, {1, 1});
  const PairedTest test = ApproximateRandomization(system, baseline, Score, {.trials = 1000});
  for (size_t r = 0; r < test.differences.size(); ++r) {
    EXPECT_NEAR(test.system_scores[r] + test.baseline_scores[r], 100, 1e-9);
  }
  const double mean = std::accumulate(test.system_scores.begin(), test.system_scores.end(), 0.) /
                      static_cast<double>(test.system_scores.size());
  EXPECT_NEAR(mean, 50, 4 * 100 * std::sqrt(0.25 / 130 / 1000));
}

TEST(EstimateInterval, LeavesOutOneInFortyOnEitherSide) {
  std::vector<double> scores(1000);
  std::iota(scores.rbegin(), scores.rend(), 0.);  // in any order
  const ScoreInterval interval = EstimateInterval(scores);
  EXPECT_NEAR(interval.mean, 499.5, 1e-9);
  EXPECT_NEAR(interval.half_width, (974 - 25) / 2., 1e-9);
  EXPECT_EQ(EstimateInterval({}).half_width, 0);
}

TEST(EstimateInterval, HoldsTheMeanOfNormalScores) {
  // 400 sentences, right or wrong by halves: 50 +- 1.96 * 2.5.
  Sentences sentences(200, {0, 1});
  sentences.resize(400, {1, 1});
  const ScoreInterval interval = EstimateInterval(BootstrapScores(sentences, Score));
  EXPECT_NEAR(interval.mean, 50, 4 * 2.5 / std::sqrt(1000));
  EXPECT_NEAR(interval.half_width, 4.9, 4 * 0.03 * 4.9);
}

TEST(PairedTests, TakeEveryMetric) {
  const std::vector<std::string> references{"the cat sees the moon", "a dog", "one two three four"};
  const std::vector<std::string> system{"the cat sees a moon", "a dog", "one two four"};
  const std::vector<std::string> baseline{"the cat saw the sun", "the dog", "one two three four"};
  const auto bleu = [](const BleuStatistics& sum) { return ComputeBleu(sum).score; };
  const auto chrf = [](const ChrfStatistics& sum) { return ComputeChrf(sum).score; };
  const PairedTest by_bleu = ApproximateRandomization(
      *CountBleuPerSentence(system, references), *CountBleuPerSentence(baseline, references), bleu);
  const PairedTest by_chrf = PairedBootstrap(*CountChrfPerSentence(system, references),
                                             *CountChrfPerSentence(baseline, references), chrf);
  EXPECT_DOUBLE_EQ(by_bleu.difference,
                   CorpusBleu(system, references)->score - CorpusBleu(baseline, references)->score);
  EXPECT_DOUBLE_EQ(by_chrf.difference,
                   CorpusChrf(system, references)->score - CorpusChrf(baseline, references)->score);
}

TEST(SeedPermutationTest, CountsTheWaysThatAreAtLeastAsFarApart) {
  // By hand: of {1, 2, 4, 3}, the pairs of the system's two have means 1.5 (as found), 2.5, 2, 3, 2.5 and
  // 3.5 against 3.5, 2.5, 3, 2, 2.5 and 1.5: two of the six differ by 2.
  const PairedTest test = SeedPermutation({1, 2}, {4, 3});
  EXPECT_EQ(test.difference, -2);
  EXPECT_THAT(test.differences, ::testing::UnorderedElementsAre(-2, 0, -1, 1, 0, 2));
  EXPECT_DOUBLE_EQ(test.p_value, 2. / 6);
}

TEST(SeedPermutationTest, OfThreeRunsEachIsNeverBelowATenth) {
  EXPECT_DOUBLE_EQ(SeedPermutation({40.1, 40.3, 40.2}, {10.1, 10.3, 10.2}).p_value, 2. / 20);
  EXPECT_DOUBLE_EQ(SeedPermutation({5, 5, 5}, {5, 5, 5}).p_value, 1);
  EXPECT_DOUBLE_EQ(SeedPermutation({0.1, 0.7}, {}).p_value, 1);
}

TEST(SeedPermutationTest, DrawsWaysWhereThereAreTooMany) {
  // Of 15 + 15 scores there are 155 million ways.
  std::vector<double> system(15), baseline(15);
  std::iota(system.begin(), system.end(), 0);
  std::iota(baseline.begin(), baseline.end(), 0);
  const PairedTest equal = SeedPermutation(system, baseline);
  EXPECT_EQ(equal.differences.size(), 10'000u);
  EXPECT_EQ(equal.p_value, 1);
  std::iota(system.begin(), system.end(), 15);
  EXPECT_DOUBLE_EQ(SeedPermutation(system, baseline).p_value, 1e-4);
}

}  // namespace
}  // namespace nmt
