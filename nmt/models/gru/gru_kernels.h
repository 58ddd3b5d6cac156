// The equations of one GRU step after its matrix products, forward and backward, in one pass over
// the rows (nmt/models/gru/gru_cell.h has the equations). CPU only; GruGates is the twin.
#ifndef NMT_MODELS_GRU_GRU_KERNELS_H_
#define NMT_MODELS_GRU_GRU_KERNELS_H_

#include <torch/types.h>

namespace nmt {

using torch::Tensor;

// Contiguous but for `recurrent`, whose rows may lie further apart; float32 or float64.
//   input_B3H, recurrent_B3H   W x + b, and U h without its bias
//   hidden_BH                  h
//   real_B                     optional: 1, or 0 for rows whose new state is 0
// Fills tape_B4H with r, z, n and U_n h + c_n, which the backward pass needs, and next_BH.
struct GruForward {
  Tensor input_B3H, recurrent_B3H, recurrent_bias_3H, hidden_BH, real_B;
  Tensor tape_B4H, next_BH;
};
void GruGatesForward(const GruForward& step);

// From d_next_BH: fills d_input_B3H, d_recurrent_B3H (rows may lie further apart) and, for the way
// through z alone, d_hidden_BH.
struct GruBackward {
  Tensor tape_B4H, hidden_BH, real_B, d_next_BH;
  Tensor d_input_B3H, d_recurrent_B3H, d_hidden_BH;
};
void GruGatesBackward(const GruBackward& step);

}  // namespace nmt

#endif  // NMT_MODELS_GRU_GRU_KERNELS_H_
