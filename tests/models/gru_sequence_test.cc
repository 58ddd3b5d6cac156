// The sequences as one autograd node against their twins, the loops over single steps.
#include "nmt/models/gru/gru_sequence.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/attention/mask.h"
#include "nmt/models/gru/gru_cell.h"
#include "nmt/models/gru/gru_decoder.h"

namespace nmt {
namespace {

void MakeRandom(torch::nn::Module& module) {
  module.to(torch::kFloat64);
  const torch::NoGradGuard no_grad;
  for (Tensor& parameter : module.parameters()) parameter.normal_(0, 0.5);
}

Tensor Random(torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kFloat64); }

// The gradients of (output * direction).sum() with respect to the parameters and `inputs`.
std::vector<Tensor> Gradients(const torch::nn::Module& module, const Tensor& output,
                              const Tensor& direction, std::vector<Tensor> inputs) {
  for (const Tensor& parameter : module.parameters()) inputs.push_back(parameter);
  return torch::autograd::grad({output}, inputs, {direction}, /*retain_graph=*/false,
                               /*create_graph=*/false, /*allow_unused=*/true);
}

void ExpectSame(const std::vector<Tensor>& found, const std::vector<Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].defined(), expected[i].defined()) << i;
    if (!found[i].defined()) continue;
    EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-10, 1e-12)) << i;
  }
}

class Sequences : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    before_ = at::get_num_threads();
    at::set_num_threads(GetParam());
    torch::manual_seed(1);
  }
  void TearDown() override { at::set_num_threads(before_); }

 private:
  int before_ = 1;
};

TEST_P(Sequences, OfAnEncoderGiveWhatItsStepsGive) {
  constexpr int64_t kLength = 5, kBatch = 33, kHidden = 19;
  GruCell cell(3, kHidden);
  MakeRandom(cell);
  const Tensor gates = Random({kLength, kBatch, 3 * kHidden}).requires_grad_();
  const Tensor real = torch::rand({kLength, kBatch}).gt(.2).to(torch::kFloat64);
  const Tensor direction = Random({kLength, kBatch, kHidden});
  for (const bool forward : {true, false}) {
    const Tensor fused = GruSequence(gates, cell.recurrent_weight_3HH(), cell.recurrent_bias_3H(),
                                     real, forward ? Direction::kForward : Direction::kBackward);
    std::vector<Tensor> states(kLength);
    Tensor state = torch::zeros({kBatch, kHidden}, torch::kFloat64);
    for (int64_t i = 0; i < kLength; ++i) {
      const int64_t s = forward ? i : kLength - 1 - i;
      state = cell.Forward(gates[s], state) * real[s].unsqueeze(1);
      states[static_cast<size_t>(s)] = state;
    }
    const Tensor plain = torch::stack(states);
    EXPECT_TRUE(torch::allclose(fused, plain, 0, 1e-12));
    ExpectSame(Gradients(cell, fused, direction, {gates}),
               Gradients(cell, plain, direction, {gates}));
  }
}

TEST_P(Sequences, OfADecoderGiveWhatItsStepsGive) {
  constexpr int64_t kBatch = 21, kSource = 6, kTarget = 4;
  for (const GruDecoder order : {GruDecoder::kBahdanau, GruDecoder::kConditional}) {
    ModelOptions options{.type = ModelType::kGru, .embedding_size = 7, .hidden_size = 18};
    options.encoder_hidden_size = 5;
    options.attention_size = 17;
    options.decoder = order;
    GruAttentionDecoder decoder(options);
    MakeRandom(decoder);
    const Tensor embedded_BTE = Random({kBatch, kTarget, 7}).requires_grad_();
    const Tensor initial_BH = Random({kBatch, 18}).requires_grad_();
    const Tensor annotations_BSC = Random({kBatch, kSource, 10}).requires_grad_();
    const Tensor lengths = torch::randint(1, kSource + 1, {kBatch}, torch::kInt64);
    const auto memory = [&] {  // each with a graph of its own
      return decoder.ProjectMemory({annotations_BSC, PaddingMask(lengths, kSource), {}});
    };
    const auto fused = decoder.ForwardAll(embedded_BTE, initial_BH, memory());

    const GruMemory step_memory = memory();
    Tensor state = initial_BH;
    std::vector<Tensor> readouts, contexts, weights;
    for (int64_t t = 0; t < kTarget; ++t) {
      const GruStep step =
          decoder.Forward(decoder.InputGates(embedded_BTE.select(1, t)), state, step_memory);
      state = step.state_RH;
      readouts.push_back(step.readout_RH);
      contexts.push_back(step.context_RC);
      weights.push_back(step.weights_RS);
    }
    const Tensor readout_BTH = torch::stack(readouts, 1), context_BTC = torch::stack(contexts, 1);
    EXPECT_TRUE(torch::allclose(fused.readout_BTH, readout_BTH, 0, 1e-12));
    EXPECT_TRUE(torch::allclose(fused.context_BTC, context_BTC, 0, 1e-12));
    const Tensor weights_BTS = torch::stack(weights, 1);
    EXPECT_TRUE(torch::allclose(fused.weights_BTS, weights_BTS, 0, 1e-12));
    const Tensor direction = Random({kBatch, kTarget, 28 + kSource});
    const auto gradients = [&](const std::vector<Tensor>& outputs) {
      const Tensor joined = torch::cat(outputs, 2);
      return Gradients(decoder, joined, direction.narrow(2, 0, joined.size(2)),
                       {embedded_BTE, initial_BH, annotations_BSC});
    };
    ExpectSame(gradients({fused.readout_BTH, fused.context_BTC, fused.weights_BTS}),
               gradients({readout_BTH, context_BTC, weights_BTS}));
  }
}

INSTANTIATE_TEST_SUITE_P(, Sequences, testing::Values(1, 2),
                         [](const auto& info) { return std::to_string(info.param) + "_threads"; });

}  // namespace
}  // namespace nmt
