// Whole sequences of GRU steps, each one autograd node, on the CPU. The steps themselves must wait
// for each other; what need not wait is taken out of the loop:
//
//   - gradients of weights: one matrix product over all steps, not one a step and a sum of them;
//   - gradients of keys and values: of all steps at once, not one tensor a step and a sum of them;
//   - the query and the recurrent gates, which read the same state: one product with both weights.
//
// The twin is the loop over GruCell::Forward and GruAttentionDecoder::Forward, which other devices
// and scores take; Step() of the model is that loop's body, and a test holds both to each other.
// Tensors are time-major, so that a step is one block of memory.
#ifndef NMT_MODELS_GRU_GRU_SEQUENCE_H_
#define NMT_MODELS_GRU_GRU_SEQUENCE_H_

#include <torch/types.h>

namespace nmt {

using torch::Tensor;

enum class Direction { kForward, kBackward };

// The states after each step, states_SBH; the first state is 0. `real_SB`: 1 on real pieces, 0 on
// padding, whose states are then 0; undefined: all are real.
Tensor GruSequence(const Tensor& input_gates_SB3H, const Tensor& recurrent_weight_3HH,
                   const Tensor& recurrent_bias_3H, const Tensor& real_SB, Direction direction);

// What the decoder of nmt/models/gru/gru_decoder.h does at each step, with additive attention:
//
//   h = s_{t-1} (bahdanau), or GRU_1(input gates_t, s_{t-1}) (conditional)
//   c_t = attend(h)
//   s_t = GRU(input gates_t + C c_t, h) (bahdanau), or GRU_2(C c_t + b, h) (conditional)
struct DecoderSequence {
  Tensor input_gates_TB3H;
  Tensor initial_BH;
  Tensor key_BSA, value_BSC, mask_BS;
  Tensor query_weight_AH, v_A;
  Tensor context_weight_3HC;                       // C
  Tensor context_bias_3H;                          // conditional: b; else undefined
  Tensor recurrent_weight_3HH, recurrent_bias_3H;  // of the GRU that reads c_t
  Tensor first_weight_3HH, first_bias_3H;          // conditional: recurrent ones of GRU_1
};
struct DecoderTrace {
  Tensor readout_TBH;  // the state that the readout takes: s_{t-1} (bahdanau) or s_t (conditional)
  Tensor context_TBC;
  Tensor weights_TBS;
};
DecoderTrace GruDecoderSequence(const DecoderSequence& sequence);

}  // namespace nmt

#endif  // NMT_MODELS_GRU_GRU_SEQUENCE_H_
