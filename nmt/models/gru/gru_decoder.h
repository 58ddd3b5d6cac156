// The decoder with attention, in two orders of looking and reading:
//
//   bahdanau                                  conditional
//     c_i = attend(s_{i-1})                     s'  = GRU_1(E y_{i-1}, s_{i-1})
//     s_i = GRU([E y_{i-1}; c_i], s_{i-1})      c_i = attend(s')
//                                               s_i = GRU_2(c_i, s')
//     readout of s_{i-1}, E y_{i-1}, c_i        readout of s_i, E y_{i-1}, c_i
//   (Bahdanau et al. 2015, appendix A.2.2)    (Sennrich et al. 2017, Nematus, section 2)
//
//   attend(s)   e_ij = v^T tanh(W s + U h_j),  a_i = softmax(e_i),  c_i = sum_j a_ij h_j
//               (or another score of nmt/attention/score.h on W s and U h_j)
//   readout     t = tanh(U_o s + V_o E y + C_o c), or the maximum of pairs;  logits = W_o t + b
#ifndef NMT_MODELS_GRU_GRU_DECODER_H_
#define NMT_MODELS_GRU_GRU_DECODER_H_

#include <torch/nn/modules/linear.h>

#include <memory>

#include "nmt/attention/score.h"
#include "nmt/config/options.h"
#include "nmt/models/gru/gru_cell.h"
#include "nmt/models/seq2seq.h"

namespace nmt {

// Annotations as the attention reads them; U h_j is computed once a sentence.
struct GruMemory {
  Tensor key_N1SA;
  Tensor value_N1SC;
  Tensor mask_N11S;
};

struct GruStep {
  Tensor state_RH;    // s_i
  Tensor readout_RH;  // the state that the readout takes
  Tensor context_RC;  // c_i
  Tensor weights_RS;  // a_i
};

class GruAttentionDecoder : public torch::nn::Module {
 public:
  explicit GruAttentionDecoder(const ModelOptions& options);

  // s_0 = tanh(W_s g_1 + b)
  Tensor InitialState(const Tensor& summary_NH);
  GruMemory ProjectMemory(const Encoded& encoded);

  // The part of the first gates that needs only E y: all positions in one product.
  Tensor InputGates(const Tensor& embedded) const { return cell_->InputGates(embedded); }

  // All steps of teacher forcing from embedded_BTE, as Forward() takes them one by one.
  struct Steps {
    Tensor readout_BTH, context_BTC;
    Tensor weights_BTS;
  };
  Steps ForwardAll(const Tensor& embedded_BTE, const Tensor& initial_BH, const GruMemory& memory);

  // One step for R = N x beam rows.
  GruStep Forward(const Tensor& input_gates_R3H, const Tensor& state_RH, const GruMemory& memory);

  // t of any number of positions at once.
  Tensor ReadOut(const Tensor& readout_state, const Tensor& embedded, const Tensor& context);

 private:
  struct Look {
    Tensor context_RC;
    Tensor weights_RS;
  };
  Look Attend(const Tensor& state_RH, const GruMemory& memory);
  Steps ForwardStepByStep(const Tensor& gates_BT3H, const Tensor& initial_BH,
                          const GruMemory& memory);

  GruDecoder order_;
  Readout readout_kind_;
  std::shared_ptr<GruCell> cell_;
  std::shared_ptr<GruCell> context_cell_;     // conditional: GRU_2
  torch::nn::Linear context_gates_{nullptr};  // bahdanau: the columns of W that read c_i
  torch::nn::Linear initial_{nullptr};
  torch::nn::Linear query_{nullptr};
  torch::nn::Linear key_{nullptr};
  std::shared_ptr<Scorer> scorer_;
  torch::nn::Linear readout_state_{nullptr};
  torch::nn::Linear readout_embedding_{nullptr};
  torch::nn::Linear readout_context_{nullptr};
};

}  // namespace nmt

#endif  // NMT_MODELS_GRU_GRU_DECODER_H_
