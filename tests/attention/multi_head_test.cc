#include "nmt/attention/multi_head.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/attention/mask.h"

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

TEST(MultiHead, DoesNotSeeTheOrderOfItsMemory) {
  auto attention = MakeAttention(2);
  const Tensor query = torch::randn({1, 3, kModel}), memory = torch::randn({1, 5, kModel});
  const Tensor order = torch::tensor({3, 0, 4, 1, 2});
  const Tensor straight =
      attention->Forward(query, attention->ProjectMemory(memory), {}, nullptr).context_BTD;
  const Tensor permuted =
      attention
          ->Forward(query, attention->ProjectMemory(memory.index_select(1, order)), {}, nullptr)
          .context_BTD;
  EXPECT_TRUE(torch::allclose(straight, permuted, 1e-5, 1e-6));
}

TEST(MultiHead, DoesNotSeePadding) {
  auto attention = MakeAttention(4, AttentionScore::kAdditive);
  const Tensor query = torch::randn({1, 3, kModel}), memory = torch::randn({1, 4, kModel});
  const Tensor padded = torch::cat({memory, torch::full({1, 3, kModel}, 1e6)}, 1);
  const Tensor alone =
      attention->Forward(query, attention->ProjectMemory(memory), {}, nullptr).context_BTD;
  const Tensor with_padding = attention
                                  ->Forward(query, attention->ProjectMemory(padded),
                                            PaddingMask(torch::tensor({4}), 7), nullptr)
                                  .context_BTD;
  EXPECT_TRUE(torch::allclose(alone, with_padding, 1e-5, 1e-6));
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

}  // namespace
}  // namespace nmt
