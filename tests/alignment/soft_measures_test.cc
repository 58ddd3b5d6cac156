#include "nmt/alignment/soft_measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace nmt {
namespace {

constexpr double kTolerance = 1e-7;  // weights are float32

// Two target words over three source words and </s>.
SoftMatrix Example() {
  return {2,
          4,
          {0.5f, 0.25f, 0.25f, 0,  //
           0, 0.125f, 0.5f, 0.375f}};
}

SoftMatrix AllOnEnd() { return {2, 3, {0, 0, 1, 0, 0, 1}}; }

std::optional<double> Correlation(const std::vector<float>& a, const std::vector<float>& b) {
  return RankCorrelation(a, b);
}

TEST(SoftMatrix, ValuesThatDoNotFillItAreRefused) {
  EXPECT_THROW(SoftMatrix(2, 2, {1, 0, 1}), std::invalid_argument);
  EXPECT_EQ(Example().Row(1)[3], 0.375f);
  EXPECT_EQ(SoftMatrix(2, 2), SoftMatrix(2, 2, {0, 0, 0, 0}));
}

TEST(GoldMass, IsTheAttentionOnTheGoldSourcesOfTheWordsThatHaveAny) {
  // Target 0: sources 0 and 2, 0.75. Target 1: source 2, 0.5.
  const WordSum both = GoldMass(Example(), {{0, 0}, {2, 0, /*possible=*/true}, {2, 1}});
  EXPECT_EQ(both, (WordSum{1.25, 2}));
  EXPECT_EQ(both.Mean(), 0.625);
  EXPECT_EQ(GoldMass(Example(), {{1, 1}}), (WordSum{0.125, 1}));
}

TEST(GoldMass, ALinkThatIsGivenTwiceCountsOnce) {
  EXPECT_EQ(GoldMass(Example(), {{2, 1}, {2, 1, /*possible=*/true}}), (WordSum{0.5, 1}));
}

TEST(GoldMass, EdgesAreDefined) {
  EXPECT_EQ(GoldMass(Example(), {}).Mean(), std::nullopt);
  EXPECT_EQ(GoldMass(SoftMatrix(), {}).Mean(), std::nullopt);
  EXPECT_EQ(GoldMass(AllOnEnd(), {{0, 0}, {1, 1}}).Mean(), 0);
  EXPECT_THROW(GoldMass(Example(), {{3, 0}}), std::invalid_argument);  // </s> is no word
  EXPECT_THROW(GoldMass(Example(), {{0, 2}}), std::invalid_argument);
}

TEST(RowEntropy, IsZeroOnOneColumnAndLargestWhenUniform) {
  EXPECT_EQ(RowEntropy(AllOnEnd()).Mean(), 0);
  EXPECT_NEAR(*RowEntropy({1, 4, {0.25f, 0.25f, 0.25f, 0.25f}}).Mean(), std::log(4), kTolerance);
  // Row 0: 1.5 bits.
  EXPECT_NEAR(*RowEntropy({1, 3, {0.5f, 0.25f, 0.25f}}).Mean(), 1.5 * std::log(2), kTolerance);
}

TEST(RowEntropy, EdgesAreDefined) {
  EXPECT_EQ(RowEntropy(SoftMatrix()).Mean(), std::nullopt);
  EXPECT_EQ(RowEntropy({2, 1, {1, 1}}).Mean(), 0);  // an empty source: </s> alone
}

TEST(CoverageDeviation, IsTheDistanceOfWhatAWordReceivesFromOne) {
  // Received: 0.5, 0.375, 0.75; away from 1 by 0.5, 0.625, 0.25.
  EXPECT_EQ(CoverageDeviation(Example()), (WordSum{1.375, 3}));
  // Too much counts as too little does: 2 and 0.
  EXPECT_EQ(CoverageDeviation({2, 3, {1, 0, 0, 1, 0, 0}}).Mean(), 1);
  EXPECT_EQ(CoverageDeviation({2, 3, {0, 1, 0, 1, 0, 0}}).Mean(), 0);
}

TEST(CoverageDeviation, EdgesAreDefined) {
  EXPECT_EQ(CoverageDeviation(AllOnEnd()).Mean(), 1);
  EXPECT_EQ(CoverageDeviation({2, 1, {1, 1}}).Mean(), std::nullopt);  // no source word
  EXPECT_EQ(CoverageDeviation(SoftMatrix(0, 3)).Mean(), 1);           // no target word
  EXPECT_EQ(CoverageDeviation(SoftMatrix()).Mean(), std::nullopt);
}

TEST(LinkAgreement, IsTwiceTheCommonLinksOverAll) {
  const Links a{{0, 0}, {1, 1}, {2, 2}}, b{{1, 1, /*possible=*/true}, {2, 0}};
  EXPECT_EQ(LinkAgreement(a, b), (WordSum{2, 5}));
  EXPECT_EQ(LinkAgreement(b, a), LinkAgreement(a, b));
  EXPECT_EQ(LinkAgreement(a, a).Mean(), 1);
  EXPECT_EQ(LinkAgreement(a, {}).Mean(), 0);
  EXPECT_EQ(LinkAgreement({}, {}).Mean(), std::nullopt);
}

TEST(DirectionAgreement, IsTheSumOfProductsOverTheShorterSide) {
  // T = 1, S = 2: 0.5 * 0.25 + 0.25 * 1 = 0.375, over 1.
  const SoftMatrix forward_TS(1, 3, {0.5f, 0.25f, 0.25f});
  const SoftMatrix backward_ST(2, 2,
                               {0.25f, 0.75f,  //
                                1, 0});
  EXPECT_EQ(DirectionAgreement(forward_TS, backward_ST), (WordSum{0.375, 1}));
}

TEST(DirectionAgreement, IsOneForOneToOneLinksBothWays) {
  const SoftMatrix crossed(2, 3,
                           {0, 1, 0,  //
                            1, 0, 0});
  EXPECT_EQ(DirectionAgreement(crossed, crossed).Mean(), 1);
  EXPECT_EQ(DirectionAgreement(crossed, AllOnEnd()).Mean(), 0);
}

TEST(DirectionAgreement, EdgesAreDefined) {
  // No target word, one source word, which looks at </s>.
  EXPECT_EQ(DirectionAgreement(SoftMatrix(0, 2), SoftMatrix(1, 1, {1})).Mean(), std::nullopt);
  EXPECT_THROW(DirectionAgreement(Example(), Example()), std::invalid_argument);
}

TEST(JensenShannon, IsZeroForEqualRowsAndLnTwoForRowsWithoutACommonColumn) {
  EXPECT_EQ(JensenShannon(Example(), Example()).Mean(), 0);
  const SoftMatrix left(1, 3, {0.5f, 0.5f, 0}), right(1, 3, {0, 0, 1});
  EXPECT_NEAR(*JensenShannon(left, right).Mean(), std::log(2), kTolerance);
}

TEST(JensenShannon, IsThatOfTheDefinitionAndSymmetric) {
  // p = (1, 0), q = (1/2, 1/2), m = (3/4, 1/4):
  // (ln(4/3) + (1/2) ln(2/3) + (1/2) ln 2) / 2 = (ln(4/3) + (1/2) ln(4/3)) / 2.
  const SoftMatrix p(2, 2, {1, 0, 1, 0}), q(2, 2, {0.5f, 0.5f, 1, 0});
  EXPECT_NEAR(JensenShannon(p, q).sum, 0.75 * std::log(4. / 3), kTolerance);
  EXPECT_EQ(JensenShannon(p, q).count, 2);  // the second rows are equal
  EXPECT_EQ(JensenShannon(p, q), JensenShannon(q, p));
}

TEST(JensenShannon, EdgesAreDefined) {
  EXPECT_EQ(JensenShannon(SoftMatrix(), SoftMatrix()).Mean(), std::nullopt);
  EXPECT_EQ(JensenShannon({1, 1, {1}}, {1, 1, {1}}).Mean(), 0);
  EXPECT_THROW(JensenShannon(Example(), AllOnEnd()), std::invalid_argument);
}

TEST(RankCorrelation, LooksAtTheOrderAlone) {
  EXPECT_EQ(Correlation({0.1f, 0.2f, 0.7f}, {0.01f, 0.09f, 0.9f}), 1);
  EXPECT_EQ(Correlation({0.1f, 0.2f, 0.7f}, {0.7f, 0.2f, 0.1f}), -1);
  // Ranks 1 2 3 4 and 2 1 4 3: 1 - 6 * 4 / (4 * 15).
  EXPECT_NEAR(*Correlation({0.1f, 0.2f, 0.3f, 0.4f}, {0.2f, 0.1f, 0.4f, 0.3f}), 0.6, kTolerance);
}

TEST(RankCorrelation, EqualWeightsShareTheMeanOfTheirRanks) {
  // Ranks 1 2 3 and 1.5 1.5 3: (1/2 + 0 + 1) / sqrt(2 * 1.5).
  EXPECT_NEAR(*Correlation({0.1f, 0.2f, 0.7f}, {0, 0, 1}), 1.5 / std::sqrt(3), kTolerance);
}

TEST(RankCorrelation, ThereIsNoneWithoutTwoDifferentWeights) {
  EXPECT_EQ(Correlation({}, {}), std::nullopt);
  EXPECT_EQ(Correlation({1}, {1}), std::nullopt);
  EXPECT_EQ(Correlation({0.5f, 0.5f}, {0.2f, 0.8f}), std::nullopt);
  EXPECT_THROW(Correlation({1}, {0.5f, 0.5f}), std::invalid_argument);
}

TEST(WordSum, ACorpusWeighsWordsNotSentences) {
  WordSum sum{1, 1};
  sum += {0, 3};
  EXPECT_EQ(sum.Mean(), 0.25);
}

}  // namespace
}  // namespace nmt
