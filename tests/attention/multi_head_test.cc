#include "nmt/attention/multi_head.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/attention/mask.h"
#include "tests/attention/every_score.h"

namespace nmt {
namespace {

constexpr int64_t kModel = 8;

std::shared_ptr<MultiHeadAttention> MakeAttention(int64_t heads,
                                                  AttentionScore score = AttentionScore::kScaledDot,
                                                  double dropout = 0) {
  torch::manual_seed(3);
  auto attention = std::make_shared<MultiHeadAttention>(
      MultiHeadOptions{.model_size = kModel, .heads = heads, .score = score, .dropout = dropout});
  torch::NoGradGuard no_grad;
  for (Tensor& parameter : attention->parameters()) parameter.normal_(0, 0.5);
  return attention;
}

TEST(MultiHead, SplitAndJoinAreInverse) {
  const Tensor x = torch::randn({2, 5, kModel});
  EXPECT_EQ(SplitHeads(x, 4).sizes(), torch::IntArrayRef({2, 4, 5, 2}));
  EXPECT_TRUE(JoinHeads(SplitHeads(x, 4)).equal(x));
}

// An independent implementation: LibTorch's own, given the same weights.
TEST(MultiHead, EqualsLibTorchsMultiheadAttention) {
  auto ours = MakeAttention(/*heads=*/2);
  torch::nn::MultiheadAttention theirs(torch::nn::MultiheadAttentionOptions(kModel, 2));
  {
    torch::NoGradGuard no_grad;
    auto weights = ours->named_parameters();
    theirs->in_proj_weight.copy_(
        torch::cat({weights["query.weight"], weights["key.weight"], weights["value.weight"]}));
    theirs->in_proj_bias.copy_(
        torch::cat({weights["query.bias"], weights["key.bias"], weights["value.bias"]}));
    theirs->out_proj->weight.copy_(weights["output.weight"]);
    theirs->out_proj->bias.copy_(weights["output.bias"]);
  }
  const Tensor query = torch::randn({3, 4, kModel}), memory = torch::randn({3, 6, kModel});
  const Tensor lengths = torch::tensor({6, 2, 4});
  const Tensor mask = PaddingMask(lengths, 6);
  const AttentionOutput output = ours->Forward(query, ours->ProjectMemory(memory), mask, nullptr);
  const auto [context, weights] =
      theirs->forward(query.transpose(0, 1), memory.transpose(0, 1), memory.transpose(0, 1),
                      /*key_padding_mask=*/mask.squeeze(1).squeeze(1).logical_not());
  EXPECT_TRUE(torch::allclose(output.context_BTD, context.transpose(0, 1), 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(output.weights_BHTS.mean(1), weights, 1e-5, 1e-6));
}

// Case C20: dropout acts on what is added up, not on the weights that are shown.
TEST(MultiHead, ShowsWeightsThatSumToOneAlsoUnderDropout) {
  auto attention = MakeAttention(2, AttentionScore::kScaledDot, /*dropout=*/0.5);
  const Tensor query = torch::randn({1, 3, kModel}), memory = torch::randn({1, 5, kModel});
  DropoutStream stream(1, 1);
  const AttentionOutput dropped =
      attention->Forward(query, attention->ProjectMemory(memory), {}, &stream);
  const AttentionOutput kept =
      attention->Forward(query, attention->ProjectMemory(memory), {}, nullptr);
  EXPECT_TRUE(torch::allclose(dropped.weights_BHTS.sum(-1), torch::ones({1, 2, 3})));
  EXPECT_FALSE(torch::allclose(dropped.context_BTD, kept.context_BTD));
}

class MultiHeadWithEveryScore : public testing::TestWithParam<AttentionScore> {
 protected:
  MultiHeadWithEveryScore() { attention_->to(torch::kFloat64); }

  AttentionOutput Attention(const Tensor& query, const Tensor& memory, const Tensor& mask = {}) {
    return attention_->Forward(query, attention_->ProjectMemory(memory), mask, nullptr);
  }

  static Tensor Random(torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kFloat64); }
  static bool Close(const Tensor& a, const Tensor& b) { return torch::allclose(a, b, 0, 1e-12); }

  std::shared_ptr<MultiHeadAttention> attention_ = MakeAttention(/*heads=*/2, GetParam());
  const Tensor query_ = Random({3, 4, kModel}), memory_ = Random({3, 6, kModel});
};

TEST_P(MultiHeadWithEveryScore, GivesRowsThatSumToOneAndMaskedPositionsExactlyNothing) {
  const Tensor weights =
      Attention(query_, memory_, PaddingMask(torch::tensor({6, 2, 4}), 6)).weights_BHTS;
  EXPECT_TRUE(Close(weights.sum(-1), torch::ones({3, 2, 4}, torch::kFloat64)));
  EXPECT_EQ(weights[1].slice(-1, 2).abs().max().item<double>(), 0);
  EXPECT_EQ(weights[2].slice(-1, 4).abs().max().item<double>(), 0);
}

TEST_P(MultiHeadWithEveryScore, GivesASentenceWithNothingToLookAtTheOutputsBiasAndNoNan) {
  const Tensor query = query_.clone().requires_grad_(), memory = memory_.clone().requires_grad_();
  const AttentionOutput output = Attention(query, memory, PaddingMask(torch::tensor({6, 0, 4}), 6));
  const Tensor bias = attention_->named_parameters()["output.bias"];
  EXPECT_TRUE(output.context_BTD[1].equal(bias.expand({4, kModel})));
  EXPECT_TRUE(output.context_BTD.isfinite().all().item<bool>());
  output.context_BTD.square().sum().backward();
  EXPECT_TRUE(query.grad().isfinite().all().item<bool>());
  EXPECT_TRUE(memory.grad().isfinite().all().item<bool>());
  EXPECT_EQ(memory.grad()[1].abs().max().item<double>(), 0);
  for (const auto& parameter : attention_->named_parameters()) {
    EXPECT_TRUE(parameter.value().grad().isfinite().all().item<bool>()) << parameter.key();
  }
}

TEST_P(MultiHeadWithEveryScore, DoesNotSeeTheOrderOfItsMemory) {
  const Tensor order = torch::tensor({3, 0, 5, 4, 1, 2});
  EXPECT_TRUE(Close(Attention(query_, memory_).context_BTD,
                    Attention(query_, memory_.index_select(1, order)).context_BTD));
}

TEST_P(MultiHeadWithEveryScore, OfASentenceToItselfMovesItsWordsAsTheyAreMoved) {
  const Tensor order = torch::tensor({2, 0, 5, 4, 1, 3});
  const Tensor moved = memory_.index_select(1, order);
  EXPECT_TRUE(Close(Attention(moved, moved).context_BTD,
                    Attention(memory_, memory_).context_BTD.index_select(1, order)));
}

TEST_P(MultiHeadWithEveryScore, DoesNotSeePadding) {
  const Tensor padding = torch::full({3, 2, kModel}, 1e3, torch::kFloat64);
  const Tensor padded = torch::cat({memory_, padding}, 1);
  const Tensor mask = PaddingMask(torch::tensor({6, 6, 6}), 8);
  EXPECT_TRUE(
      Close(Attention(query_, padded, mask).context_BTD, Attention(query_, memory_).context_BTD));
}

TEST_P(MultiHeadWithEveryScore, GivesASentenceAloneWhatItGivesItInABatch) {
  const Tensor lengths = torch::tensor({6, 2, 4});
  const Tensor together = Attention(query_, memory_, PaddingMask(lengths, 6)).context_BTD;
  for (int64_t b = 0; b < 3; ++b) {
    const int64_t length = lengths[b].item<int64_t>();
    EXPECT_TRUE(Close(Attention(query_.narrow(0, b, 1), memory_.narrow(0, b, 1).slice(1, 0, length))
                          .context_BTD[0],
                      together[b]));
  }
}

TEST_P(MultiHeadWithEveryScore, OfOneHeadIsTheAttentionOfTheFormula) {
  namespace F = torch::nn::functional;
  attention_ = MakeAttention(/*heads=*/1, GetParam());
  attention_->to(torch::kFloat64);
  auto p = attention_->named_parameters();
  const auto project = [&](const std::string& name, const Tensor& x) {
    return F::linear(x, p[name + ".weight"], p[name + ".bias"]).unsqueeze(1);
  };
  const Tensor q = project("query", query_), k = project("key", memory_);
  const auto score = [&]() -> Tensor {
    switch (GetParam()) {
      case AttentionScore::kDot:
        return DotScore(q, k);
      case AttentionScore::kScaledDot:
        return ScaledDotScore(q, k);
      case AttentionScore::kCosine:
        return p["scorer.scale"] * CosineScore(q, k);
      case AttentionScore::kGeneral:
        return GeneralScore(q, k, p["scorer.weight"]);
      default:
        return AdditiveScore(q, k, p["scorer.v"]);
    }
  };
  const Tensor mask = PaddingMask(torch::tensor({6, 2, 4}), 6);
  const Tensor context_B1TD = Attend(MaskedSoftmax(score(), mask), project("value", memory_));
  EXPECT_TRUE(Close(Attention(query_, memory_, mask).context_BTD,
                    F::linear(context_B1TD.squeeze(1), p["output.weight"], p["output.bias"])));
}

TEST_P(MultiHeadWithEveryScore, StepByStepWithACacheEqualsTheCausalPassAtOnce) {
  const int64_t length = memory_.size(1);
  const AttentionOutput at_once = Attention(memory_, memory_, CausalMask(length, torch::kCPU));
  KeyValues past;
  for (int64_t t = 0; t < length; ++t) {
    const Tensor x_B1D = memory_.narrow(1, t, 1);
    past = Append(past, attention_->ProjectMemory(x_B1D));
    ASSERT_EQ(past.key_BHSK.size(2), t + 1);
    const AttentionOutput step = attention_->Forward(x_B1D, past, /*mask=*/{}, nullptr);
    EXPECT_TRUE(Close(step.context_BTD, at_once.context_BTD.narrow(1, t, 1))) << "step " << t;
    EXPECT_TRUE(Close(step.weights_BHTS, at_once.weights_BHTS.narrow(2, t, 1).slice(3, 0, t + 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(, MultiHeadWithEveryScore, EveryAttentionScore(), AttentionScoreName);

}  // namespace
}  // namespace nmt
