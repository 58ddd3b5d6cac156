#include "nmt/attention/score.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <tuple>

#include "nmt/attention/mask.h"
#include "tests/attention/every_score.h"

namespace nmt {
namespace {

// One sentence, one head: rows of numbers as [1 1 rows columns].
Tensor Rows(const std::vector<std::vector<double>>& rows) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return torch::tensor(flat, torch::kFloat64)
      .view({1, 1, static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())});
}

void ExpectNear(const Tensor& found, const std::vector<double>& expected, double tolerance) {
  const Tensor flat = found.flatten().to(torch::kFloat64);
  ASSERT_EQ(flat.numel(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(flat[static_cast<int64_t>(i)].item<double>(), expected[i], tolerance)
        << "entry " << i;
  }
}

// By hand: v = (1, -1), W s = (.5, -.5), U h in {(0,0), (1,0), (0,1)}.
TEST(AdditiveScore, EqualsTheNumbersWorkedOutByHand) {
  const Tensor scores = AdditiveScore(Rows({{.5, -.5}}), Rows({{0, 0}, {1, 0}, {0, 1}}),
                                      torch::tensor({{1.0, -1.0}}, torch::kFloat64));
  ExpectNear(scores, {.9242343145, 1.3672654109, 0}, 1e-10);
  ExpectNear(MaskedSoftmax(scores, {}), {.3384947099, .5271786898, .1343266003}, 1e-10);
}

// By hand: q = (2, 1), keys (1,0), (0,1), (-1,0), values 10, 20, 30; d = 2.
TEST(ScaledDotScore, GivesTheWorkedExample) {
  const Tensor scores = ScaledDotScore(Rows({{2, 1}}), Rows({{1, 0}, {0, 1}, {-1, 0}}));
  ExpectNear(scores, {2 / std::sqrt(2.0), 1 / std::sqrt(2.0), -2 / std::sqrt(2.0)}, 1e-12);
  const Tensor weights = MaskedSoftmax(scores, {});
  ExpectNear(weights, {.644, .318, .038}, 5e-4);
  ExpectNear(Attend(weights, Rows({{10}, {20}, {30}})), {13.94}, 5e-3);
}

TEST(DotScore, IsTheSumOfProducts) {
  ExpectNear(DotScore(Rows({{1, 0, 1}}), Rows({{1, 0, .9}, {0, 1, 0}})), {1.9, 0}, 1e-12);
}

TEST(CosineScore, DoesNotDependOnLengths) {
  ExpectNear(CosineScore(Rows({{3, 0}}), Rows({{5, 0}, {0, 2}, {1, 1}})),
             {1, 0, 1 / std::sqrt(2.0)}, 1e-12);
}

TEST(CosineScore, IsTheSameForVectorsOfAnyLength) {
  torch::manual_seed(1);
  const Tensor query = torch::randn({2, 2, 3, 4}, torch::kFloat64),
               key = torch::randn({2, 2, 5, 4}, torch::kFloat64);
  const Tensor query_length = torch::rand({2, 2, 3, 1}, torch::kFloat64) * 9 + 0.1,
               key_length = torch::rand({2, 2, 5, 1}, torch::kFloat64) * 9 + 0.1;
  EXPECT_TRUE(torch::allclose(CosineScore(query * query_length, key * key_length),
                              CosineScore(query, key), 0, 1e-12));
}

// What the tanh is for: without it, e = v q + v k, and the query adds the same number to all keys,
// which softmax does not feel. Where the inputs are tiny, tanh is the identity.
TEST(AdditiveScore, WeighsByTheQueryOnlyWhereTheTanhBends) {
  torch::manual_seed(1);
  const Tensor query = torch::randn({1, 1, 2, 6}, torch::kFloat64),
               key = torch::randn({1, 1, 5, 6}, torch::kFloat64),
               v = torch::randn({1, 6}, torch::kFloat64);
  const auto weights = [&](double size) {  // v / size keeps the scores in their range
    return MaskedSoftmax(AdditiveScore(query * size, key * size, v / size), {});
  };
  const Tensor tiny = weights(1e-5), ordinary = weights(1);
  EXPECT_TRUE(torch::allclose(tiny.select(2, 0), tiny.select(2, 1), 0, 1e-8));
  EXPECT_GT((ordinary.select(2, 0) - ordinary.select(2, 1)).abs().max().item<double>(), 0.05);
}

TEST(GeneralScore, PutsAMatrixBetweenQueryAndKey) {
  // (1, 2) [[1, 2], [0, 3]] = (1, 8); times (1, 1) is 9.
  const Tensor weight = torch::tensor({{{1.0, 2.0}, {0.0, 3.0}}}, torch::kFloat64);
  ExpectNear(GeneralScore(Rows({{1, 2}}), Rows({{1, 1}}), weight), {9}, 1e-12);
}

TEST(Scores, RefuseKeysOfAnotherSize) {
  EXPECT_THROW(DotScore(Rows({{1, 2}}), Rows({{1, 2, 3}})), c10::Error);
}

class EveryScore : public testing::TestWithParam<AttentionScore> {};

TEST_P(EveryScore, HasOneNumberForEachPair) {
  const Scorer scorer(GetParam(), /*heads=*/2, /*head_size=*/3);
  const Tensor query = torch::randn({2, 2, 4, 3}), key = torch::randn({2, 2, 5, 3});
  EXPECT_EQ(scorer.Forward(query, key).sizes(), torch::IntArrayRef({2, 2, 4, 5}));
}

TEST_P(EveryScore, TreatsEachSentenceAndHeadByItself) {
  torch::manual_seed(2);
  Scorer scorer(GetParam(), /*heads=*/1, /*head_size=*/4);
  torch::NoGradGuard no_grad;
  for (Tensor& parameter : scorer.parameters()) parameter.normal_();
  const Tensor query = torch::randn({3, 1, 2, 4}), key = torch::randn({3, 1, 6, 4});
  const Tensor all = scorer.Forward(query, key);
  for (int64_t b = 0; b < 3; ++b) {
    EXPECT_TRUE(torch::allclose(all.narrow(0, b, 1),
                                scorer.Forward(query.narrow(0, b, 1), key.narrow(0, b, 1)),
                                /*rtol=*/1e-5, /*atol=*/1e-6));
  }
}

// Case C21, with the scores of real queries: neither the sentence without words nor its neighbour
// may see a NaN, in values or gradients.
TEST_P(EveryScore, GivesNoNanWhereASentenceHasNothingToLookAt) {
  torch::manual_seed(3);
  Scorer scorer(GetParam(), /*heads=*/2, /*head_size=*/3);
  {
    torch::NoGradGuard no_grad;
    for (Tensor& parameter : scorer.parameters()) parameter.normal_();
  }
  const Tensor query = torch::randn({2, 2, 4, 3}).requires_grad_();
  const Tensor key = torch::randn({2, 2, 5, 3}).requires_grad_();
  const Tensor weights =
      MaskedSoftmax(scorer.Forward(query, key), PaddingMask(torch::tensor({3, 0}), 5));
  EXPECT_TRUE(torch::allclose(weights[0].sum(-1), torch::ones({2, 4})));
  EXPECT_EQ(weights[0].slice(-1, 3).abs().max().item<float>(), 0);
  EXPECT_EQ(weights[1].abs().max().item<float>(), 0);
  weights.square().sum().backward();
  for (const Tensor& leaf : {query, key}) {
    EXPECT_TRUE(leaf.grad().isfinite().all().item<bool>());
    EXPECT_GT(leaf.grad()[0].abs().max().item<float>(), 0);
    EXPECT_EQ(leaf.grad()[1].abs().max().item<float>(), 0);
  }
  EXPECT_EQ(key.grad()[0].slice(1, 3).abs().max().item<float>(), 0) << "of masked keys";
  for (const Tensor& parameter : scorer.parameters()) {
    EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryScore, EveryAttentionScore(), AttentionScoreName);

}  // namespace
}  // namespace nmt
