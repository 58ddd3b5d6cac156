// The gated recurrent unit (Cho et al. 2014, section 2.3), in the form that PyTorch and cuDNN
// compute, where the reset gate acts after the recurrent product:
//
//   r = sigma(W_r x + b_r + U_r h + c_r)
//   z = sigma(W_z x + b_z + U_z h + c_z)
//   n = tanh(W_n x + b_n + r * (U_n h + c_n))
//   h' = (1 - z) * n + z * h
//
// The products W x of all positions are one matrix product (InputGates); only U h waits for the
// step before.
#ifndef NMT_MODELS_GRU_GRU_CELL_H_
#define NMT_MODELS_GRU_GRU_CELL_H_

#include <torch/nn/module.h>
#include <torch/types.h>

namespace nmt {

using torch::Tensor;

// The equations after the two products, in plain operations. Gates lie side by side in the order r,
// z, n: [B 3H]. Its fast twins: nmt/models/gru/gru_kernels.h, which gru_sequence.h runs in training.
Tensor GruGates(const Tensor& input_gates_B3H, const Tensor& recurrent_gates_B3H,
                const Tensor& hidden_BH);

class GruCell : public torch::nn::Module {
 public:
  GruCell(int64_t input_size, int64_t hidden_size);

  // W x + b for any number of positions: [… I] to [… 3H].
  Tensor InputGates(const Tensor& input) const;

  // One step: h' from the position's input gates and h.
  Tensor Forward(const Tensor& input_gates_B3H, const Tensor& hidden_BH) const;

  const Tensor& input_weight_3HI() const { return input_weight_3HI_; }
  const Tensor& input_bias_3H() const { return input_bias_3H_; }
  const Tensor& recurrent_weight_3HH() const { return recurrent_weight_3HH_; }
  const Tensor& recurrent_bias_3H() const { return recurrent_bias_3H_; }

 private:
  Tensor input_weight_3HI_;
  Tensor input_bias_3H_;
  Tensor recurrent_weight_3HH_;
  Tensor recurrent_bias_3H_;
};

}  // namespace nmt

#endif  // NMT_MODELS_GRU_GRU_CELL_H_
