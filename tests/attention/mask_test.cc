#include "nmt/attention/mask.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace nmt {
namespace {

TEST(PaddingMask, AllowsTheFirstPositionsOfEachRow) {
  const Tensor mask = PaddingMask(torch::tensor({2, 0, 3}), 3);
  const Tensor expected =
      torch::tensor({true, true, false, false, false, false, true, true, true}).view({3, 1, 1, 3});
  EXPECT_TRUE(mask.equal(expected));
}

TEST(CausalMask, LetsATokenSeeItselfAndItsPast) {
  const Tensor expected =
      torch::tensor({true, false, false, true, true, false, true, true, true}).view({1, 1, 3, 3});
  EXPECT_TRUE(CausalMask(3, torch::kCPU).equal(expected));
}

TEST(And, NeedsBoth) {
  const Tensor both = And(PaddingMask(torch::tensor({2}), 3), CausalMask(3, torch::kCPU));
  const Tensor expected =
      torch::tensor({true, false, false, true, true, false, true, true, false}).view({1, 1, 3, 3});
  EXPECT_TRUE(both.equal(expected));
  EXPECT_TRUE(And({}, expected).equal(expected));
  EXPECT_TRUE(And(expected, {}).equal(expected));
}

TEST(MaskedSoftmax, OfOneTwoThreeAndItsJacobian) {
  const double sum = std::exp(1) + std::exp(2) + std::exp(3);
  const Tensor scores =
      torch::tensor({1.0, 2.0, 3.0}, torch::kFloat64).view({1, 1, 1, 3}).requires_grad_();
  const Tensor p = MaskedSoftmax(scores, {}).view({3});
  for (int64_t i = 0; i < 3; ++i) EXPECT_NEAR(p[i].item<double>(), std::exp(i + 1.0) / sum, 1e-12);
  // d p_i / d e_j = p_i ([i = j] - p_j)
  const Tensor expected = torch::diag(p.detach()) - torch::outer(p.detach(), p.detach());
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor row =
        torch::autograd::grad({p[i]}, {scores}, {}, /*retain_graph=*/true)[0].view({3});
    EXPECT_TRUE(torch::allclose(row, expected[i], /*rtol=*/0, /*atol=*/1e-12));
  }
}

TEST(MaskedSoftmax, GivesMaskedPositionsExactlyZeroAndRowsThatSumToOne) {
  torch::manual_seed(1);
  const Tensor mask = PaddingMask(torch::tensor({4, 1}), 6);
  const Tensor weights = MaskedSoftmax(torch::randn({2, 3, 5, 6}) * 10, mask);
  EXPECT_EQ(weights.masked_select(mask.logical_not().expand_as(weights)).abs().max().item<float>(),
            0);
  EXPECT_TRUE(torch::allclose(weights.sum(-1), torch::ones({2, 3, 5})));
}

TEST(MaskedSoftmax, IgnoresAConstantAddedToAllScoresOfAQuery) {
  torch::manual_seed(1);
  const Tensor scores = torch::randn({2, 1, 2, 5}, torch::kFloat64);
  const Tensor constant = torch::tensor({123.0, -45.0}, torch::kFloat64).view({1, 1, 2, 1});
  for (const Tensor& mask : {Tensor(), PaddingMask(torch::tensor({5, 3}), 5)}) {
    EXPECT_TRUE(torch::allclose(MaskedSoftmax(scores, mask), MaskedSoftmax(scores + constant, mask),
                                0, 1e-12));
  }
}

// Case C21: a sentence with nothing to look at must not spoil its neighbours.
TEST(MaskedSoftmax, GivesZerosNotNanForARowThatMayLookNowhere) {
  torch::manual_seed(1);
  const Tensor good = torch::randn({1, 1, 2, 4});
  Tensor scores = torch::cat({good, torch::randn({1, 1, 2, 4})}).requires_grad_();
  const Tensor weights = MaskedSoftmax(scores, PaddingMask(torch::tensor({3, 0}), 4));
  EXPECT_EQ(weights[1].abs().max().item<float>(), 0);
  EXPECT_TRUE(weights[0].equal(MaskedSoftmax(good, PaddingMask(torch::tensor({3}), 4))[0]));
  weights.square().sum().backward();
  EXPECT_TRUE(scores.grad().isfinite().all().item<bool>());
  EXPECT_EQ(scores.grad()[1].abs().max().item<float>(), 0);
  EXPECT_GT(scores.grad()[0].abs().max().item<float>(), 0);
}

}  // namespace
}  // namespace nmt
