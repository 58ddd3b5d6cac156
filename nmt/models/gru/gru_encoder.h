// The bidirectional encoder (Bahdanau et al. 2015, section 3.2): each source piece gets the
// annotation h_j = [forward h_j; backward h_j], a summary of the sentence with a focus on piece j.
//
//   x_1 ──> h_1 ──> h_2 ──> ... ──> h_S      forward
//   g_1 <── g_2 <── ... <── g_S <── x_S      backward; its last state g_1 starts the decoder
#ifndef NMT_MODELS_GRU_GRU_ENCODER_H_
#define NMT_MODELS_GRU_GRU_ENCODER_H_

#include <memory>
#include <vector>

#include "nmt/attention/dropout.h"
#include "nmt/config/options.h"
#include "nmt/models/gru/gru_cell.h"
#include "nmt/models/seq2seq.h"

namespace nmt {

class GruEncoder : public torch::nn::Module {
 public:
  explicit GruEncoder(const ModelOptions& options);

  // `x_BSE`: embedded source. The annotations have 2H numbers each, the summary H.
  Encoded Forward(const Tensor& x_BSE, const Tensor& lengths_B, DropoutStream* dropout) const;

 private:
  double dropout_;
  int64_t hidden_size_;
  std::vector<std::shared_ptr<GruCell>> forward_;  // one a layer
  std::vector<std::shared_ptr<GruCell>> backward_;
};

}  // namespace nmt

#endif  // NMT_MODELS_GRU_GRU_ENCODER_H_
