#include "nmt/models/gru/gru_cell.h"

#include <torch/torch.h>

#include "nmt/base/shape.h"

namespace nmt {
namespace {

class GruGatesFunction : public torch::autograd::Function<GruGatesFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& input_gates_B3H,
                        const Tensor& recurrent_gates_B3H, const Tensor& hidden_BH) {
    const int64_t size = hidden_BH.size(1);
    const Tensor rz_B2H = input_gates_B3H.narrow(1, 0, 2 * size)
                              .add(recurrent_gates_B3H.narrow(1, 0, 2 * size))
                              .sigmoid_();
    const Tensor r_BH = rz_B2H.narrow(1, 0, size), z_BH = rz_B2H.narrow(1, size, size);
    const Tensor recurrent_n_BH = recurrent_gates_B3H.narrow(1, 2 * size, size);
    const Tensor n_BH =
        torch::addcmul(input_gates_B3H.narrow(1, 2 * size, size), r_BH, recurrent_n_BH).tanh_();
    context->save_for_backward({rz_B2H, n_BH, recurrent_n_BH, hidden_BH});
    return torch::lerp(n_BH, hidden_BH, z_BH);  // n + z (h - n)
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grad) {
    const auto saved = context->get_saved_variables();
    const Tensor &rz_B2H = saved[0], &n_BH = saved[1], &recurrent_n_BH = saved[2],
                 &hidden_BH = saved[3];
    const int64_t size = hidden_BH.size(1);
    const Tensor r_BH = rz_B2H.narrow(1, 0, size), z_BH = rz_B2H.narrow(1, size, size);
    const Tensor& d_new = grad[0];

    Tensor d_input_B3H = torch::empty({hidden_BH.size(0), 3 * size}, hidden_BH.options());
    Tensor d_r = d_input_B3H.narrow(1, 0, size), d_z = d_input_B3H.narrow(1, size, size);
    Tensor d_n = d_input_B3H.narrow(1, 2 * size, size);
    // d tanh = 1 - n^2, d sigma = s (1 - s): written into the blocks of d_input.
    torch::mul_out(d_n, d_new, (1 - z_BH).mul_(1 - n_BH.square()));
    torch::mul_out(d_z, d_new, (hidden_BH - n_BH).mul_(z_BH).mul_(1 - z_BH));
    torch::mul_out(d_r, d_n, (1 - r_BH).mul_(r_BH).mul_(recurrent_n_BH));
    Tensor d_recurrent_B3H = d_input_B3H.clone();
    d_recurrent_B3H.narrow(1, 2 * size, size).mul_(r_BH);
    return {d_input_B3H, d_recurrent_B3H, d_new * z_BH};
  }
};

}  // namespace

Tensor GruGates(const Tensor& input_gates_B3H, const Tensor& recurrent_gates_B3H,
                const Tensor& hidden_BH) {
  return GruGatesFunction::apply(input_gates_B3H, recurrent_gates_B3H, hidden_BH);
}

Tensor GruGatesPlain(const Tensor& input_gates_B3H, const Tensor& recurrent_gates_B3H,
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
  const Tensor recurrent_gates_B3H =
      torch::nn::functional::linear(hidden_BH, recurrent_weight_3HH_, recurrent_bias_3H_);
  return GruGates(input_gates_B3H, recurrent_gates_B3H, hidden_BH);
}

}  // namespace nmt
