// Scores and multi-head attention against PyTorch: values and every gradient.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <map>

#include "nmt/attention/mask.h"
#include "nmt/attention/multi_head.h"
#include "nmt/attention/score.h"
#include "tests/golden_testing.h"

namespace nmt {
namespace {

Tensor Leaf(const Tensor& value, torch::ScalarType dtype) {
  return value.to(dtype).detach().clone().requires_grad_();
}

class AttentionGolden : public testing::TestWithParam<torch::ScalarType> {};

TEST_P(AttentionGolden, EveryScoreAndItsGradientsEqualPyTorchs) {
  const Golden golden("scores");
  for (const auto& [kind, kind_name] : EnumNames<AttentionScore>::values) {
    if (kind == AttentionScore::kDefault) continue;
    const std::string name = std::string(kind_name) + ".";
    const Tensor query = Leaf(golden[name + "query_BHTK"], GetParam());
    const Tensor key = Leaf(golden[name + "key_BHSK"], GetParam());
    Scorer scorer(kind, /*heads=*/query.size(1), /*head_size=*/query.size(3));
    scorer.to(GetParam());
    SetParameters(scorer, golden, name + "parameter.");
    const Tensor scores_BHTS = scorer.Forward(query, key);
    ExpectGolden(scores_BHTS, golden, name + "scores_BHTS");
    (scores_BHTS * golden[name + "direction_BHTS"].to(GetParam())).sum().backward();
    ExpectGolden(query.grad(), golden, name + "gradient.query_BHTK");
    ExpectGolden(key.grad(), golden, name + "gradient.key_BHSK");
    for (const auto& parameter : scorer.named_parameters()) {
      ExpectGolden(parameter.value().grad(), golden, name + "gradient." + parameter.key());
    }
  }
}

class MultiHeadGolden : public AttentionGolden {
 protected:
  MultiHeadGolden() {
    attention_->to(GetParam());
    SetParameters(*attention_, golden_, "parameter.");
  }

  // `run` gives the attention of query_BTD to memory_BSD; its values and gradients must be the
  // case's.
  void ExpectCase(
      const std::string& name,
      const std::function<AttentionOutput(const Tensor& query, const Tensor& memory)>& run) {
    SCOPED_TRACE(name);
    const std::string prefix = name + ".";
    attention_->zero_grad();
    const Tensor query = Leaf(golden_[prefix + "query_BTD"], GetParam());
    const Tensor memory = Leaf(golden_[prefix + "memory_BSD"], GetParam());
    const AttentionOutput output = run(query, memory);
    ExpectGolden(output.context_BTD, golden_, prefix + "context_BTD");
    ExpectGolden(output.weights_BHTS, golden_, prefix + "weights_BHTS");
    (output.context_BTD * golden_[prefix + "direction_BTD"].to(GetParam())).sum().backward();
    ExpectGolden(query.grad(), golden_, prefix + "gradient.query_BTD");
    ExpectGolden(memory.grad(), golden_, prefix + "gradient.memory_BSD");
    for (const auto& parameter : attention_->named_parameters()) {
      if (parameter.key() == "key.bias") {
        // It adds the same number to all scores of a query, which softmax does not feel.
        const double scale = golden_[prefix + "gradient.key.weight"].abs().max().item<double>();
        ExpectNearlyZero(parameter.value().grad(), scale, parameter.key());
      } else {
        ExpectGolden(parameter.value().grad(), golden_, prefix + "gradient." + parameter.key());
      }
    }
  }

  Tensor Causal() const { return CausalMask(5, torch::kCPU); }
  Tensor Padding(const std::string& name) const {
    return PaddingMask(golden_[name + ".lengths_B"], golden_[name + ".memory_BSD"].size(1));
  }

  const Golden golden_{"multi_head"};
  std::shared_ptr<MultiHeadAttention> attention_ =
      std::make_shared<MultiHeadAttention>(MultiHeadOptions{.model_size = 8, .heads = 2});
};

TEST_P(MultiHeadGolden, EqualsPyTorchsUnderEveryMask) {
  for (const auto& [name, mask] : std::map<std::string, Tensor>{
           {"none", {}},
           {"padding", Padding("padding")},
           {"causal", Causal()},
           {"padding_causal", And(Padding("padding_causal"), Causal())}}) {
    ExpectCase(name, [&, mask = mask](const Tensor& query, const Tensor& memory) {
      return attention_->Forward(query, attention_->ProjectMemory(memory), mask, nullptr);
    });
  }
}

TEST_P(MultiHeadGolden, StepByStepWithCachedKeysAndValuesEqualsPyTorchsCausalPass) {
  ExpectCase("causal", [&](const Tensor& query, const Tensor& memory) {
    KeyValues past;
    std::vector<Tensor> contexts, weights;
    for (int64_t t = 0; t < query.size(1); ++t) {
      past = Append(past, attention_->ProjectMemory(memory.narrow(1, t, 1)));
      const AttentionOutput step =
          attention_->Forward(query.narrow(1, t, 1), past, /*mask=*/{}, nullptr);
      contexts.push_back(step.context_BTD);
      // The future, which a step has not seen, has no weight.
      weights.push_back(torch::constant_pad_nd(step.weights_BHTS, {0, query.size(1) - t - 1}));
    }
    return AttentionOutput{torch::cat(contexts, 1), torch::cat(weights, 2)};
  });
}

INSTANTIATE_TEST_SUITE_P(, AttentionGolden, GoldenDtypes(),
                         [](const auto& info) { return DtypeName(info.param); });
INSTANTIATE_TEST_SUITE_P(, MultiHeadGolden, GoldenDtypes(),
                         [](const auto& info) { return DtypeName(info.param); });

}  // namespace
}  // namespace nmt
