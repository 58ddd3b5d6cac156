#include "nmt/models/gru/gru_encoder.h"

#include <torch/torch.h>

#include <string>

#include "nmt/attention/mask.h"
#include "nmt/models/gru/gru_sequence.h"

namespace nmt {
namespace {

// The plain twin of GruSequence.
Tensor StatesStepByStep(const GruCell& cell, const Tensor& gates_SB3H, const Tensor& real_SB,
                        Direction direction) {
  const int64_t length = gates_SB3H.size(0);
  const auto gates = gates_SB3H.unbind(0);
  std::vector<Tensor> states(gates.size());
  Tensor state_BH =
      torch::zeros({gates_SB3H.size(1), gates_SB3H.size(2) / 3}, gates_SB3H.options());
  for (int64_t i = 0; i < length; ++i) {
    const auto s = static_cast<size_t>(direction == Direction::kForward ? i : length - 1 - i);
    state_BH = cell.Forward(gates[s], state_BH);
    if (real_SB.defined()) state_BH = state_BH * real_SB[static_cast<int64_t>(s)].unsqueeze(1);
    states[s] = state_BH;
  }
  return torch::stack(states);
}

Tensor States(const GruCell& cell, const Tensor& x_SBI, const Tensor& real_SB,
              Direction direction) {
  const Tensor gates_SB3H = cell.InputGates(x_SBI);
  if (!x_SBI.device().is_cpu()) return StatesStepByStep(cell, gates_SB3H, real_SB, direction);
  return GruSequence(gates_SB3H, cell.recurrent_weight_3HH(), cell.recurrent_bias_3H(), real_SB,
                     direction);
}

}  // namespace

GruEncoder::GruEncoder(const ModelOptions& options)
    : dropout_(options.dropout), hidden_size_(options.EncoderSize()) {
  for (int64_t layer = 0; layer < options.encoder_layers; ++layer) {
    const int64_t input_size = layer == 0 ? options.embedding_size : 2 * hidden_size_;
    const std::string number = std::to_string(layer);
    forward_.push_back(
        register_module("forward" + number, std::make_shared<GruCell>(input_size, hidden_size_)));
    backward_.push_back(
        register_module("backward" + number, std::make_shared<GruCell>(input_size, hidden_size_)));
  }
}

Encoded GruEncoder::Forward(const Tensor& x_BSE, const Tensor& lengths_B,
                            DropoutStream* dropout) const {
  const Tensor mask_N11S = PaddingMask(lengths_B, x_BSE.size(1));
  const Tensor real_SB = mask_N11S.squeeze(1).squeeze(1).t().to(x_BSE.scalar_type()).contiguous();
  Tensor layer_SBD = x_BSE.transpose(0, 1), summary_BH;
  for (size_t layer = 0; layer < forward_.size(); ++layer) {
    if (layer > 0) layer_SBD = Dropout(layer_SBD, dropout_, dropout);
    const Tensor forward_SBH = States(*forward_[layer], layer_SBD, {}, Direction::kForward);
    // Padding comes first here: the state stays 0 until the sentence begins.
    const Tensor backward_SBH = States(*backward_[layer], layer_SBD, real_SB, Direction::kBackward);
    layer_SBD = torch::cat({forward_SBH, backward_SBH}, 2);
    summary_BH = backward_SBH[0];
  }
  return {layer_SBD.transpose(0, 1).contiguous(), mask_N11S, summary_BH};
}

}  // namespace nmt
