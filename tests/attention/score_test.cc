#include "nmt/attention/score.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <tuple>

#include "nmt/attention/mask.h"

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

TEST(GeneralScore, PutsAMatrixBetweenQueryAndKey) {
  // (1, 2) [[1, 2], [0, 3]] = (1, 8); times (1, 1) is 9.
  const Tensor weight = torch::tensor({{{1.0, 2.0}, {0.0, 3.0}}}, torch::kFloat64);
  ExpectNear(GeneralScore(Rows({{1, 2}}), Rows({{1, 1}}), weight), {9}, 1e-12);
}

TEST(Scores, RefuseKeysOfAnotherSize) {
  EXPECT_THROW(DotScore(Rows({{1, 2}}), Rows({{1, 2, 3}})), c10::Error);
}

class EveryScore : public testing::TestWithParam<AttentionScore> {};

TEST_P(EveryScore, HasOneNumberForEachPairAndAGradientThatAgreesWithDifferences) {
  torch::manual_seed(1);
  Scorer scorer(GetParam(), /*heads=*/2, /*head_size=*/3);
  scorer.to(torch::kFloat64);
  {
    torch::NoGradGuard no_grad;
    for (Tensor& parameter : scorer.parameters()) parameter.normal_();
  }
  Tensor query = torch::randn({2, 2, 4, 3}, torch::kFloat64).requires_grad_();
  const Tensor key = torch::randn({2, 2, 5, 3}, torch::kFloat64);
  const Tensor direction = torch::randn({2, 2, 4, 5}, torch::kFloat64);
  const auto value = [&](const Tensor& q) { return (scorer.Forward(q, key) * direction).sum(); };
  ASSERT_EQ(scorer.Forward(query, key).sizes(), torch::IntArrayRef({2, 2, 4, 5}));
  value(query).backward();
  torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (const int64_t i : {0, 7, 23}) {
    Tensor moved = query.detach().clone();
    moved.view(-1)[i] += kStep;
    const double up = value(moved).item<double>();
    moved.view(-1)[i] -= 2 * kStep;
    const double down = value(moved).item<double>();
    EXPECT_NEAR(query.grad().view(-1)[i].item<double>(), (up - down) / (2 * kStep), 1e-6);
  }
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

INSTANTIATE_TEST_SUITE_P(, EveryScore,
                         testing::Values(AttentionScore::kAdditive, AttentionScore::kDot,
                                         AttentionScore::kScaledDot, AttentionScore::kCosine,
                                         AttentionScore::kGeneral),
                         [](const auto& info) { return std::string(EnumName(info.param)); });

}  // namespace
}  // namespace nmt
