#include "nmt/models/gru/gru_cell.h"

#include <torch/torch.h>

#include "nmt/base/shape.h"
#include "nmt/models/gru/gru_kernels.h"

namespace nmt {

Tensor GruGates(const Tensor& input_gates_B3H, const Tensor& recurrent_gates_B3H,
                const Tensor& hidden_BH) {
  const auto input = input_gates_B3H.chunk(3, 1), recurrent = recurrent_gates_B3H.chunk(3, 1);
  const Tensor r = torch::sigmoid(input[0] + recurrent[0]);
  const Tensor z = torch::sigmoid(input[1] + recurrent[1]);
  const Tensor n = torch::tanh(input[2] + r * recurrent[2]);
  return (1 - z) * n + z * hidden_BH;
}

GruCell::GruCell(int64_t input_size, int64_t hidden_size) {
  input_weight_3HI_ =
      register_parameter("input_weight", torch::zeros({3 * hidden_size, input_size}));
  input_bias_3H_ = register_parameter("input_bias", torch::zeros({3 * hidden_size}));
  recurrent_weight_3HH_ =
      register_parameter("recurrent_weight", torch::zeros({3 * hidden_size, hidden_size}));
  recurrent_bias_3H_ = register_parameter("recurrent_bias", torch::zeros({3 * hidden_size}));
}

Tensor GruCell::InputGates(const Tensor& input) const {
  return torch::nn::functional::linear(input, input_weight_3HI_, input_bias_3H_);
}

Tensor GruCell::Forward(const Tensor& input_gates_B3H, const Tensor& hidden_BH) const {
  CheckShape(hidden_BH, "B H", {{"H", recurrent_weight_3HH_.size(1)}}, "hidden");
  if (hidden_BH.device().is_cpu() && !torch::GradMode::is_enabled()) {
    const int64_t rows = hidden_BH.size(0), size = hidden_BH.size(1);
    const Tensor tape_B4H = torch::empty({rows, 4 * size}, hidden_BH.options());
    const Tensor next_BH = torch::empty({rows, size}, hidden_BH.options());
    GruGatesForward({.input_B3H = input_gates_B3H.contiguous(),
                     .recurrent_B3H = torch::mm(hidden_BH, recurrent_weight_3HH_.t()),
                     .recurrent_bias_3H = recurrent_bias_3H_,
                     .hidden_BH = hidden_BH.contiguous(),
                     .tape_B4H = tape_B4H,
                     .next_BH = next_BH});
    return next_BH;
  }
  return GruGates(
      input_gates_B3H,
      torch::nn::functional::linear(hidden_BH, recurrent_weight_3HH_, recurrent_bias_3H_),
      hidden_BH);
}

}  // namespace nmt
