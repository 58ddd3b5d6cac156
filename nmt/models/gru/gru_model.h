// The GRU encoder-decoder with attention (Bahdanau et al. 2015).
#ifndef NMT_MODELS_GRU_GRU_MODEL_H_
#define NMT_MODELS_GRU_GRU_MODEL_H_

#include <memory>

#include "nmt/models/embeddings.h"
#include "nmt/models/gru/gru_decoder.h"
#include "nmt/models/gru/gru_encoder.h"
#include "nmt/models/seq2seq.h"

namespace nmt {

class GruModel : public Seq2Seq {
 public:
  GruModel(const ModelOptions& options, const VocabularySizes& sizes);

  using Seq2Seq::Encode;
  Encoded Encode(const SourceBatch& source, DropoutStream* dropout) override;
  DecoderOutput Forward(const Batch& batch, const ForwardOptions& options) override;
  DecoderState Start(const Encoded& encoded, int64_t beam_size) override;
  using Seq2Seq::Step;
  StepOutput Step(const Tensor& tokens_R, DecoderState& state, bool attention) override;

  Tensor OutputWeight_VD() const override { return embeddings_->output_weight_VD(); }
  Tensor OutputBias_V() const override { return embeddings_->output_bias_V(); }
  int64_t attention_layers() const override { return 1; }
  int64_t attention_heads() const override { return 1; }
  int64_t max_length() const override;

  // What a decoder made of these weights needs (gru_inference.h).
  const ModelOptions& options() const { return options_; }
  GruAttentionDecoder& decoder() const { return *decoder_; }
  Tensor EmbedTarget(const Tensor& tokens) const { return embeddings_->Target(tokens); }

 private:
  ModelOptions options_;
  std::shared_ptr<Embeddings> embeddings_;
  std::shared_ptr<GruEncoder> encoder_;
  std::shared_ptr<GruAttentionDecoder> decoder_;
};

}  // namespace nmt

#endif  // NMT_MODELS_GRU_GRU_MODEL_H_
