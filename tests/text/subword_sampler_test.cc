#include "nmt/text/subword_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<int64_t>;

constexpr int64_t kUnknown = 1;
constexpr int kDraws = 20000;

std::map<Ids, double> Frequencies(const SubwordSampler& sampler, const std::string& text,
                                  double sampling) {
  std::map<Ids, double> frequencies;
  for (int seed = 0; seed < kDraws; ++seed) {
    frequencies[sampler.Sample(text, sampling, seed)] += 1.0 / kDraws;
  }
  return frequencies;
}

const std::unordered_map<std::string, ScoredPiece> kUnigramPieces = {{"a", {10, -2.0}},
                                                                     {"b", {11, -2.5}},
                                                                     {"ab", {12, -3.0}},
                                                                     {"ba", {13, -3.5}},
                                                                     {"aba", {14, -5}}};

// All segmentations of "aba": a|b|a, ab|a, a|ba, aba.
TEST(SubwordSampler, UnigramDrawsEachSegmentationWithItsProbability) {
  const SubwordSampler sampler(kUnigramPieces, kUnknown, TokenizerType::kUnigram);
  for (const double alpha : {0.2, 1.0}) {
    std::map<Ids, double> expected = {{{10, 11, 10}, std::exp(alpha * -6.5)},
                                      {{12, 10}, std::exp(alpha * -5.0)},
                                      {{10, 13}, std::exp(alpha * -5.5)},
                                      {{14}, std::exp(alpha * -5.0)}};
    double sum = 0;
    for (const auto& [ids, weight] : expected) sum += weight;
    const std::map<Ids, double> drawn = Frequencies(sampler, "aba", alpha);
    EXPECT_EQ(drawn.size(), expected.size());
    for (const auto& [ids, weight] : expected) {
      EXPECT_NEAR(drawn.at(ids), weight / sum, 0.015) << "alpha " << alpha;
    }
  }
}

TEST(SubwordSampler, ALargeAlphaGivesTheBestSegmentation) {
  const SubwordSampler sampler({{"a", {10, -2.0}}, {"b", {11, -2.5}}, {"ab", {12, -3.0}}}, kUnknown,
                               TokenizerType::kUnigram);
  for (int seed = 0; seed < 100; ++seed) {
    EXPECT_THAT(sampler.Sample("abab", 1000, seed), ElementsAre(12, 12));
  }
}

// Merges by priority: b+c, a+b, then a+bc or ab+c. From a|b|c with dropout p:
//   b+c with 1-p, then a+bc with 1-p, or else a|bc stays;
//   a+b with p(1-p), then ab+c with 1-p, or else ab|c stays; a|b|c stays with p^2.
TEST(SubwordSampler, BpeDropsEachMergeWithTheGivenProbability) {
  const SubwordSampler sampler({{"a", {10, -10}},
                                {"b", {11, -11}},
                                {"c", {12, -12}},
                                {"bc", {13, 0}},
                                {"ab", {14, -1}},
                                {"abc", {15, -2}}},
                               kUnknown, TokenizerType::kBpe);
  const double p = 0.3;
  const std::map<Ids, double> drawn = Frequencies(sampler, "abc", p);
  EXPECT_EQ(drawn.size(), 4u);
  EXPECT_NEAR(drawn.at({15}), (1 - p) * (1 - p) * (1 + p), 0.015);
  EXPECT_NEAR(drawn.at({10, 13}), (1 - p) * p, 0.015);
  EXPECT_NEAR(drawn.at({14, 12}), p * (1 - p) * p, 0.015);
  EXPECT_NEAR(drawn.at({10, 11, 12}), p * p, 0.015);
}

// a|b|c|d with the merges a+b and c+d: a dropped merge is drawn again after another was done.
//   a+b first: 1-p, then c+d: 1-p.   Else c+d: p(1-p), then a+b anew: 1-p.
TEST(SubwordSampler, ADroppedMergeIsPossibleAgainInTheNextStep) {
  const SubwordSampler sampler({{"a", {10, -10}},
                                {"b", {11, -11}},
                                {"c", {12, -12}},
                                {"d", {13, -13}},
                                {"ab", {14, 0}},
                                {"cd", {15, -1}}},
                               kUnknown, TokenizerType::kBpe);
  const double p = 0.4;
  const std::map<Ids, double> drawn = Frequencies(sampler, "abcd", p);
  EXPECT_NEAR(drawn.at({14, 15}), (1 - p) * (1 - p) * (1 + p), 0.015);
  EXPECT_NEAR(drawn.at({14, 12, 13}), (1 - p) * p, 0.015);
  EXPECT_NEAR(drawn.at({10, 11, 15}), p * (1 - p) * p, 0.015);
  EXPECT_NEAR(drawn.at({10, 11, 12, 13}), p * p, 0.015);
}

TEST(SubwordSampler, ARunOfUnknownCharactersIsOnePiece) {
  for (const TokenizerType type : {TokenizerType::kUnigram, TokenizerType::kBpe}) {
    const SubwordSampler sampler({{"a", {10, -1}}}, kUnknown, type);
    EXPECT_THAT(sampler.Sample("a日本aé", 0.5, 1), ElementsAre(10, kUnknown, 10, kUnknown));
    EXPECT_THAT(sampler.Sample("", 0.5, 1), ElementsAre());
  }
}

// ab: exp(-1 alpha). Unknown + b: the unknown costs 10 more than the rarest piece.
TEST(SubwordSampler, AnUnknownCharacterIsRarerThanEveryPiece) {
  const SubwordSampler sampler({{"ab", {10, -1}}, {"b", {11, -2}}}, kUnknown,
                               TokenizerType::kUnigram);
  const double alpha = 0.2;
  const double unknown = std::exp(alpha * (-12 - 2));
  const double whole = std::exp(alpha * -1);
  const std::map<Ids, double> drawn = Frequencies(sampler, "ab", alpha);
  EXPECT_NEAR(drawn.at({kUnknown, 11}), unknown / (unknown + whole), 0.01);
}

TEST(SubwordSampler, TakesLinearithmicTimeOnALongWord) {
  std::unordered_map<std::string, ScoredPiece> pieces;
  for (int size = 1; size <= 16; ++size) {
    pieces[std::string(size, 'a')] = {size + 4, -1.0 * size};
  }
  const std::string word(200000, 'a');
  for (const TokenizerType type : {TokenizerType::kUnigram, TokenizerType::kBpe}) {
    const SubwordSampler sampler(pieces, kUnknown, type);
    int64_t letters = 0;
    for (const int64_t id : sampler.Sample(word, 0.1, 1)) letters += id - 4;
    EXPECT_EQ(letters, 200000);
  }
}

}  // namespace
}  // namespace nmt
