#include "nmt/attention/dot_attention.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <string>

#include "nmt/attention/mask.h"
#include "nmt/attention/multi_head.h"
#include "nmt/attention/score.h"

namespace nmt {
namespace {

Tensor PlainTwin(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                 double rate, DropoutStream* stream) {
  return Attend(Dropout(MaskedSoftmax(ScaledDotScore(query, key), mask), rate, stream), value);
}

struct Case {
  const char* name;
  int64_t B, H, T, S, K;
  Tensor mask;
  double rate = 0;
};

std::vector<Case> Cases() {
  const Tensor padding = PaddingMask(torch::tensor({5, 0, 3}), 5);  // the second sees nothing
  return {{"no mask", 3, 2, 4, 5, 19, {}},
          {"padding", 3, 2, 4, 5, 16, padding},
          {"causal", 2, 3, 6, 6, 7, CausalMask(6, torch::kCPU)},
          {"a mask a head", 2, 3, 6, 4, 7, torch::rand({1, 3, 6, 4}) < 0.7},
          {"both, dropout", 3, 2, 5, 5, 33, And(padding, CausalMask(5, torch::kCPU)), 0.3},
          {"more queries than a block", 2, 2, 150, 37, 16, {}, 0.4},
          {"one query", 4, 2, 1, 18, 32, {}, 0.5}};
}

TEST(DotAttention, AgreesWithItsPlainTwinInValueAndGradientsForAnyThreads) {
  torch::manual_seed(1);
  const int before = at::get_num_threads();
  for (const Case& c : Cases()) {
    // As SplitHeads gives them: [B H T K] that lies as [B T H K].
    const auto leaf = [&](int64_t length) {
      return torch::randn({c.B, length, c.H, c.K}, torch::kFloat64)
          .transpose(1, 2)
          .requires_grad_();
    };
    const Tensor query = leaf(c.T), key = leaf(c.S), value = leaf(c.S);
    DropoutStream stream(3, 7);
    const Tensor expected = PlainTwin(query, key, value, c.mask, c.rate, &stream);
    const Tensor direction = torch::randn_like(expected);
    const auto gradients = torch::autograd::grad({expected}, {query, key, value}, {direction});
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      DropoutStream same(3, 7);
      const Tensor found = DotAttention(query, key, value, c.mask, c.rate, &same);
      EXPECT_TRUE(torch::allclose(found, expected, 0, 1e-12)) << c.name;
      const auto others = torch::autograd::grad({found}, {query, key, value}, {direction});
      for (size_t i = 0; i < others.size(); ++i)
        EXPECT_TRUE(torch::allclose(others[i], gradients[i], 0, 1e-12)) << c.name << " " << i;
      DropoutStream used = stream;
      EXPECT_EQ(same.NextKey().call, used.NextKey().call);  // one mask each
    }
  }
  at::set_num_threads(before);
}

TEST(DotAttention, ReadsTensorsOfAnyStrides) {
  const Tensor query = torch::randn({2, 8, 3, 2}).permute({0, 3, 2, 1});  // last stride not 1
  const Tensor packed = torch::randn({2, 5, 2, 2, 8});                    // keys beside values
  const Tensor key = packed.select(2, 0).transpose(1, 2);
  const Tensor value = packed.select(2, 1).transpose(1, 2);
  EXPECT_TRUE(torch::allclose(DotAttention(query, key, value, {}, 0, nullptr),
                              PlainTwin(query, key, value, {}, 0, nullptr), 1e-5, 1e-6));
}

TEST(DotAttention, AQueryThatMayLookNowhereGetsZeros) {
  const Tensor x = torch::randn({1, 1, 2, 4}).requires_grad_();
  const Tensor mask = torch::tensor({{false, false}, {true, false}}).view({1, 1, 2, 2});
  const Tensor context = DotAttention(x, x, x, mask, 0, nullptr);
  EXPECT_EQ(context.select(2, 0).abs().max().item<float>(), 0);
  EXPECT_TRUE(torch::equal(context.select(2, 1), x.select(2, 0)));  // all weight on the first
  context.sum().backward();
  EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
}

// Promise 9: a NaN is found, not turned into a weight of 0.
TEST(DotAttention, NanStaysNan) {
  for (const std::string which : {"all of a query", "one entry of a key"}) {
    Tensor query = torch::randn({1, 1, 2, 4}), key = torch::randn({1, 1, 3, 4});
    (which == "all of a query" ? query[0][0][0] : key[0][0][1][2])
        .fill_(std::numeric_limits<float>::quiet_NaN());
    const Tensor context = DotAttention(query, key, torch::randn({1, 1, 3, 4}), {}, 0, nullptr);
    EXPECT_TRUE(context[0][0][0].isnan().any().item<bool>()) << which;
  }
}

TEST(DotAttention, Bf16RoundsInputsAndResultsOnly) {
  torch::manual_seed(2);
  const auto leaf = [] {
    return torch::randn({2, 2, 9, 16}).to(torch::kBFloat16).requires_grad_();
  };
  const Tensor query = leaf(), key = leaf(), value = leaf();
  DropoutStream stream(1, 1), same(1, 1);
  const Tensor found = DotAttention(query, key, value, {}, 0.25, &stream);
  ASSERT_EQ(found.scalar_type(), torch::kBFloat16);
  const auto exact = [](const Tensor& x) {
    return x.detach().to(torch::kFloat64).requires_grad_();
  };
  const Tensor q = exact(query), k = exact(key), v = exact(value);
  const Tensor expected = PlainTwin(q, k, v, {}, 0.25, &same);
  // Half a step of bf16, 2^-9 of a number, and fp32's rounding where numbers are near 0.
  EXPECT_TRUE(torch::allclose(found.to(torch::kFloat64), expected, 0x1p-8, 1e-6));
  const auto gradients = torch::autograd::grad({found.sum()}, {query, key, value});
  const auto others = torch::autograd::grad({expected.sum()}, {q, k, v});
  for (size_t i = 0; i < gradients.size(); ++i)
    EXPECT_TRUE(torch::allclose(gradients[i].to(torch::kFloat64), others[i], 0x1p-8, 1e-5)) << i;
}

TEST(MultiHeadAttention, ContextIsForwardsContextWhetherFusedOrNot) {
  for (const AttentionScore score :
       {AttentionScore::kScaledDot, AttentionScore::kDot, AttentionScore::kAdditive}) {
    MultiHeadAttention attention({.model_size = 8, .heads = 2, .score = score, .dropout = 0.3});
    const Tensor x = torch::randn({2, 4, 8}), memory = torch::randn({2, 3, 8});
    const Tensor mask = PaddingMask(torch::tensor({3, 1}), 3);
    DropoutStream stream(1, 1), same(1, 1);
    EXPECT_TRUE(torch::allclose(
        attention.Context(x, attention.ProjectMemory(memory), mask, &stream),
        attention.Forward(x, attention.ProjectMemory(memory), mask, &same).context_BTD, 1e-5,
        1e-6));
  }
}

}  // namespace
}  // namespace nmt
