// The equations of one GRU step after its matrix products, forward and backward, in one pass over
// the rows (nmt/models/gru/gru_cell.h has the equations). CPU only; GruGates is the twin.
#ifndef NMT_MODELS_GRU_GRU_KERNELS_H_
#define NMT_MODELS_GRU_GRU_KERNELS_H_

#include <torch/types.h>

namespace nmt {

using torch::Tensor;

// Numbers that go into or come out of matrix products are of the type P of the products, the others of
// the type of the states: both float32, both float64, or bfloat16 and float32. All contiguous but for
// `recurrent`, whose rows may lie further apart.
//   input_B3H, more_input_B3H, input_bias_3H   summands of W x + b; P, P and not; the latter two optional
//   recurrent_B3H                              U h without its bias; P
//   hidden_BH                                  h
//   real_B                                     optional: 1, or 0 for rows whose new state is 0
// Fills tape_B4H with r, z, n and U_n h + c_n, which the backward pass needs, next_BH, and, where it
// is given, next_product_BH, the same in P.
struct GruForward {
  Tensor input_B3H, more_input_B3H, input_bias_3H, recurrent_B3H, recurrent_bias_3H, hidden_BH,
      real_B;
  Tensor tape_B4H, next_BH, next_product_BH;
};
void GruGatesForward(const GruForward& step);

// From the gradient of the new state, the sum of d_next_BH and, where given, of d_product_BH (P) and
// d_output_BH: fills d_input_B3H and d_recurrent_B3H (P; the latter's rows may lie further apart) and, for
// the way through z alone, d_hidden_BH.
struct GruBackward {
  Tensor tape_B4H, hidden_BH, real_B, d_next_BH, d_product_BH, d_output_BH;
  Tensor d_input_B3H, d_recurrent_B3H, d_hidden_BH;
};
void GruGatesBackward(const GruBackward& step);

}  // namespace nmt

#endif  // NMT_MODELS_GRU_GRU_KERNELS_H_
