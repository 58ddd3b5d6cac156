// The transformer (Vaswani et al. 2017).
#ifndef NMT_MODELS_TRANSFORMER_TRANSFORMER_MODEL_H_
#define NMT_MODELS_TRANSFORMER_TRANSFORMER_MODEL_H_

#include <memory>
#include <vector>

#include "nmt/models/embeddings.h"
#include "nmt/models/seq2seq.h"
#include "nmt/models/transformer/positions.h"
#include "nmt/models/transformer/transformer_layers.h"

namespace nmt {

class TransformerModel : public Seq2Seq {
 public:
  TransformerModel(const ModelOptions& options, const VocabularySizes& sizes);

  using Seq2Seq::Encode;
  Encoded Encode(const SourceBatch& source, DropoutStream* dropout) override;
  DecoderOutput Forward(const Batch& batch, const ForwardOptions& options) override;
  DecoderState Start(const Encoded& encoded, int64_t beam_size) override;
  using Seq2Seq::Step;
  StepOutput Step(const Tensor& tokens_R, DecoderState& state, bool attention) override;

  Tensor OutputWeight_VD() const override { return embeddings_->output_weight_VD(); }
  Tensor OutputBias_V() const override { return embeddings_->output_bias_V(); }
  int64_t attention_layers() const override { return options_.decoder_layers; }
  int64_t attention_heads() const override { return options_.heads; }
  int64_t max_length() const override;

  // What a decoder made of these weights needs (transformer_inference.h).
  const ModelOptions& options() const { return options_; }
  // x_BSD of source ids from the first position on.
  Tensor EmbedSource(const Tensor& ids_BS) const;
  // x_RD of one token a row, at `position`.
  Tensor EmbedTarget(const Tensor& tokens_R, int64_t position) const;

 private:
  // `attention_BLHSS`: if not null, gets the weights of all layers.
  Encoded Encode(const SourceBatch& source, DropoutStream* dropout, Tensor* attention_BLHSS);
  // x = dropout(sqrt(D) embedding + position), section 3.4 and 5.4
  Tensor Embed(const Tensor& embedded_BTD, const PositionEncoding& positions, int64_t first,
               DropoutStream* dropout) const;
  Tensor FinalNorm(const Tensor& x, torch::nn::LayerNorm& norm) { return norm ? norm(x) : x; }

  ModelOptions options_;
  std::shared_ptr<Embeddings> embeddings_;
  std::shared_ptr<PositionEncoding> source_positions_;
  std::shared_ptr<PositionEncoding> target_positions_;
  std::vector<std::shared_ptr<TransformerEncoderLayer>> encoder_;
  std::vector<std::shared_ptr<TransformerDecoderLayer>> decoder_;
  torch::nn::LayerNorm encoder_norm_{
      nullptr};  // pre-norm only: the sum of all blocks is normalised once
  torch::nn::LayerNorm decoder_norm_{nullptr};
};

}  // namespace nmt

#endif  // NMT_MODELS_TRANSFORMER_TRANSFORMER_MODEL_H_
