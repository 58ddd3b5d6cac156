// The transformer for a search on the CPU: TransformerModel's Encode and Step without a tensor operation
// between two products, and without padding.
//
// A step of five rows is some hundred thousand multiplications a product. Started one by one through
// LibTorch, the operations of a step take longer than their work; here a step is one function over raw
// rows, and its products are those of packed_linear.h.
//
// The keys and values of the past stay where the step that made them put them. A beam that moves takes
// along only the list of where its past lies (`ancestors`), so that nothing of the cache is ever copied:
//
//   position        0     1     2
//   cached rows     a b   c d   e f        row 0 now: a d e        row 1 now: a d f
//   ancestors       0 0   1 1   0 1
#ifndef NMT_MODELS_TRANSFORMER_TRANSFORMER_INFERENCE_H_
#define NMT_MODELS_TRANSFORMER_TRANSFORMER_INFERENCE_H_

#include <memory>
#include <vector>

#include "nmt/models/inference.h"
#include "nmt/models/packed_linear.h"
#include "nmt/models/transformer/transformer_model.h"

namespace nmt {

struct PackedNorm {
  Tensor weight_D, bias_D;
  double epsilon = 1e-5;
};

// The layers of transformer_layers.h; products of the same input are one.
struct PackedSelfAttention {
  PackedNorm norm;
  PackedLinear query_key_value, output;
};
struct PackedFeedForward {
  PackedNorm norm;
  PackedLinear inner, outer;
};
struct PackedEncoderLayer {
  PackedSelfAttention self;
  PackedFeedForward feed_forward;
};
struct PackedDecoderLayer {
  PackedSelfAttention self;
  PackedNorm cross_norm;
  PackedLinear cross_query, cross_key_value, cross_output;
  PackedFeedForward feed_forward;
};

// N encoded sentences, one after another, without padding between them.
struct PackedSource {
  int64_t rows = 0, longest = 0;
  std::vector<int64_t> lengths_N, first_row_N;
  Tensor memory_PD;  // P = rows
};

class TransformerInference : public Inference {
 public:
  TransformerInference(const std::shared_ptr<TransformerModel>& model,
                       InferencePrecision precision);

  // Whether the attention's score is a dot product.
  static bool Takes(const ModelOptions& options);

  std::unique_ptr<StepDecoder> Start(const SourceBatch& source,
                                     const StartOptions& options) const override;

 private:
  friend class TransformerStepDecoder;
  PackedSource Encode(const SourceBatch& source) const;

  const std::shared_ptr<TransformerModel> transformer_;
  const ModelOptions options_;
  std::vector<PackedEncoderLayer> encoder_;
  std::vector<PackedDecoderLayer> decoder_;
  PackedNorm encoder_norm_, decoder_norm_;  // pre-norm only
};

}  // namespace nmt

#endif  // NMT_MODELS_TRANSFORMER_TRANSFORMER_INFERENCE_H_
