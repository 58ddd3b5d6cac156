// Every part of nmt/attention against central differences.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/attention/mask.h"
#include "nmt/attention/multi_head.h"
#include "nmt/attention/score.h"
#include "tests/attention/every_score.h"
#include "tests/gradient_check.h"

namespace nmt {
namespace {

class GradientsOfEveryScore : public testing::TestWithParam<AttentionScore> {
 protected:
  void SetUp() override { torch::manual_seed(1); }
};

TEST_P(GradientsOfEveryScore, AgreeWithDifferences) {
  Scorer scorer(GetParam(), /*heads=*/2, /*head_size=*/3);
  ForGradients(scorer);
  const Tensor query = RandomLeaf({2, 2, 4, 3}), key = RandomLeaf({2, 2, 5, 3});
  ExpectGradients([&] { return scorer.Forward(query, key); },
                  WithParameters(scorer, {{"query", query}, {"key", key}}));
}

TEST_P(GradientsOfEveryScore, AgreeWithDifferencesThroughMultiHeadAttention) {
  MultiHeadAttention attention({.model_size = 4, .heads = 2, .score = GetParam()});
  ForGradients(attention);
  const Tensor query = RandomLeaf({2, 3, 4}), memory = RandomLeaf({2, 5, 4});
  const Tensor mask = PaddingMask(torch::tensor({5, 2}), 5);
  const auto leaves = WithParameters(attention, {{"query", query}, {"memory", memory}});
  const auto attend = [&] {
    return attention.Forward(query, attention.ProjectMemory(memory), mask, nullptr);
  };
  ExpectGradients([&] { return attend().context_BTD; }, leaves);
  ExpectGradients([&] { return attend().weights_BHTS; }, leaves);
}

INSTANTIATE_TEST_SUITE_P(, GradientsOfEveryScore, EveryAttentionScore(), AttentionScoreName);

TEST(MaskedSoftmaxGradients, AgreeWithDifferencesUnderEveryMaskAndInRowsThatMayLookNowhere) {
  torch::manual_seed(2);
  const Tensor scores = RandomLeaf({2, 2, 4, 4});
  const Tensor padding = PaddingMask(torch::tensor({4, 2}), 4), causal = CausalMask(4, torch::kCPU);
  for (const Tensor& mask :
       {Tensor(), padding, causal, And(padding, causal), PaddingMask(torch::tensor({3, 0}), 4)}) {
    ExpectGradients([&] { return MaskedSoftmax(scores, mask); }, {{"scores", scores}});
  }
}

TEST(AttendGradients, AgreeWithDifferences) {
  torch::manual_seed(3);
  const Tensor weights = RandomLeaf({2, 2, 3, 4}), value = RandomLeaf({2, 2, 4, 3});
  ExpectGradients([&] { return Attend(weights, value); }, {{"weights", weights}, {"value", value}});
}

TEST(DropoutGradients, AgreeWithDifferencesUnderAFixedStream) {
  torch::manual_seed(4);
  const Tensor x = RandomLeaf({5, 30});
  ExpectGradients(
      [&] {
        DropoutStream stream(/*seed=*/7, /*update=*/8);
        return Dropout(x, 0.4, &stream);
      },
      {{"x", x}});
}

TEST(MultiHeadGradients, AgreeWithDifferencesUnderDropoutOfTheWeights) {
  torch::manual_seed(5);
  MultiHeadAttention attention({.model_size = 4, .heads = 2, .dropout = 0.4});
  ForGradients(attention);
  const Tensor query = RandomLeaf({2, 3, 4}), memory = RandomLeaf({2, 5, 4});
  ExpectGradients(
      [&] {
        DropoutStream stream(/*seed=*/7, /*update=*/8);
        return attention.Forward(query, attention.ProjectMemory(memory), {}, &stream).context_BTD;
      },
      WithParameters(attention, {{"query", query}, {"memory", memory}}));
}

TEST(MultiHeadGradients, AgreeWithDifferencesThroughCachedKeysAndValues) {
  torch::manual_seed(6);
  MultiHeadAttention attention({.model_size = 4, .heads = 2});
  ForGradients(attention);
  const Tensor x = RandomLeaf({2, 3, 4});
  ExpectGradients(
      [&] {
        KeyValues past;
        std::vector<Tensor> contexts;
        for (int64_t t = 0; t < 3; ++t) {
          past = Append(past, attention.ProjectMemory(x.narrow(1, t, 1)));
          contexts.push_back(attention.Forward(x.narrow(1, t, 1), past, {}, nullptr).context_BTD);
        }
        return torch::cat(contexts, 1);
      },
      WithParameters(attention, {{"x", x}}));
}

}  // namespace
}  // namespace nmt
