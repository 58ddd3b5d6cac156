#include "nmt/models/gru/gru_encoder.h"

#include <torch/torch.h>

#include <string>

#include "nmt/attention/mask.h"

namespace nmt {

GruEncoder::GruEncoder(const ModelOptions& options)
    : dropout_(options.dropout), hidden_size_(options.hidden_size) {
  for (int64_t layer = 0; layer < options.encoder_layers; ++layer) {
    const int64_t input_size = layer == 0 ? options.embedding_size : 2 * options.hidden_size;
    const std::string number = std::to_string(layer);
    forward_.push_back(register_module("forward" + number,
                                       std::make_shared<GruCell>(input_size, options.hidden_size)));
    backward_.push_back(register_module(
        "backward" + number, std::make_shared<GruCell>(input_size, options.hidden_size)));
  }
}

Encoded GruEncoder::Forward(const Tensor& x_BSE, const Tensor& lengths_B,
                            DropoutStream* dropout) const {
  const int64_t length = x_BSE.size(1);
  const Tensor mask_N11S = PaddingMask(lengths_B, length);
  const auto real_B1 = mask_N11S.squeeze(1).squeeze(1).unsqueeze(2).to(x_BSE.dtype()).unbind(1);
  Tensor layer_BSD = x_BSE, summary_BH;
  for (size_t layer = 0; layer < forward_.size(); ++layer) {
    if (layer > 0) layer_BSD = Dropout(layer_BSD, dropout_, dropout);
    const auto forward_gates = forward_[layer]->InputGates(layer_BSD).unbind(1);
    const auto backward_gates = backward_[layer]->InputGates(layer_BSD).unbind(1);
    std::vector<Tensor> forward(static_cast<size_t>(length)), backward(static_cast<size_t>(length));
    Tensor state_BH = torch::zeros({x_BSE.size(0), hidden_size_}, x_BSE.options());
    Tensor backward_state_BH = state_BH;
    for (size_t s = 0; s < forward.size(); ++s) {
      forward[s] = state_BH = forward_[layer]->Forward(forward_gates[s], state_BH);
    }
    for (size_t s = forward.size(); s-- > 0;) {
      // Padding comes first here: the state stays 0 until the sentence begins.
      backward_state_BH =
          backward_[layer]->Forward(backward_gates[s], backward_state_BH) * real_B1[s];
      backward[s] = backward_state_BH;
    }
    layer_BSD = torch::cat({torch::stack(forward, 1), torch::stack(backward, 1)}, 2);
    summary_BH = backward_state_BH;
  }
  return {layer_BSD, mask_N11S, summary_BH};
}

}  // namespace nmt
