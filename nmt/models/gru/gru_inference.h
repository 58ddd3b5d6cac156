// The GRU translator's decoder for a search on the CPU: GruModel::Step with the products of
// packed_linear.h and the kernels of training for the gates and the additive attention.
#ifndef NMT_MODELS_GRU_GRU_INFERENCE_H_
#define NMT_MODELS_GRU_GRU_INFERENCE_H_

#include <memory>

#include "nmt/models/gru/gru_model.h"
#include "nmt/models/inference.h"
#include "nmt/models/packed_linear.h"

namespace nmt {

// The equations are those of gru_decoder.h, in its names.
struct PackedGruDecoder {
  PackedLinear input;            // W of the cell that reads E y
  PackedLinear first_recurrent;  // conditional: U of GRU_1
  PackedLinear recurrent;        // U of the GRU that reads c
  PackedLinear context;          // what that GRU reads of c
  PackedLinear query;            // W s of the attention
  PackedLinear readout;          // [U_o V_o C_o] of [s; E y; c]
  Tensor first_recurrent_bias_3H, recurrent_bias_3H, v_A;
};

class GruInference : public Inference {
 public:
  GruInference(const std::shared_ptr<GruModel>& model, InferencePrecision precision);

  // Whether the attention's score is additive.
  static bool Takes(const ModelOptions& options);

  std::unique_ptr<StepDecoder> Start(const SourceBatch& source,
                                     const StartOptions& options) const override;

 private:
  friend class GruStepDecoder;

  const std::shared_ptr<GruModel> gru_;
  PackedGruDecoder decoder_;
};

}  // namespace nmt

#endif  // NMT_MODELS_GRU_GRU_INFERENCE_H_
