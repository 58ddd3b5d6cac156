#include "nmt/models/transformer/transformer_model.h"

#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <string>

#include "nmt/attention/mask.h"
#include "nmt/attention/precision.h"
#include "nmt/base/shape.h"

namespace nmt {

TransformerModel::TransformerModel(const ModelOptions& options, const VocabularySizes& sizes)
    : options_(options) {
  const int64_t size = options.hidden_size;
  embeddings_ = register_module(
      "embeddings", std::make_shared<Embeddings>(options.tie_embeddings, sizes.source, sizes.target,
                                                 /*embedding_size=*/size, /*output_size=*/size));
  source_positions_ =
      register_module("source_positions", std::make_shared<PositionEncoding>(options));
  target_positions_ =
      register_module("target_positions", std::make_shared<PositionEncoding>(options));
  for (int64_t layer = 0; layer < options.encoder_layers; ++layer) {
    encoder_.push_back(register_module("encoder" + std::to_string(layer),
                                       std::make_shared<TransformerEncoderLayer>(options)));
  }
  for (int64_t layer = 0; layer < options.decoder_layers; ++layer) {
    decoder_.push_back(register_module("decoder" + std::to_string(layer),
                                       std::make_shared<TransformerDecoderLayer>(options)));
  }
  if (options.norm == NormPosition::kPre) {
    const torch::nn::LayerNormOptions norm({size});
    encoder_norm_ = register_module("encoder_norm", torch::nn::LayerNorm(norm));
    decoder_norm_ = register_module("decoder_norm", torch::nn::LayerNorm(norm));
  }
}

int64_t TransformerModel::max_length() const {
  return options_.positions == Positions::kLearned ? options_.max_positions
                                                   : std::numeric_limits<int64_t>::max();
}

Tensor TransformerModel::Embed(const Tensor& embedded_BTD, const PositionEncoding& positions,
                               int64_t first, DropoutStream* dropout) const {
  const double scale = std::sqrt(static_cast<double>(options_.hidden_size));
  const Tensor position_TD =
      positions.Forward(first, embedded_BTD.size(1), embedded_BTD.scalar_type());
  const Tensor x_BTD = embedded_BTD * scale + position_TD;
  return Dropout(x_BTD, options_.dropout, dropout);
}

Encoded TransformerModel::Encode(const SourceBatch& source, DropoutStream* dropout) {
  return Encode(source, dropout, /*attention_BLHSS=*/nullptr);
}

Encoded TransformerModel::Encode(const SourceBatch& source, DropoutStream* dropout,
                                 Tensor* attention_BLHSS) {
  CheckShape(source.ids_BS, "B S", {}, "source");
  const Tensor mask_N11S = PaddingMask(source.lengths_B, source.ids_BS.size(1));
  Tensor x_BSD = Embed(embeddings_->Source(source.ids_BS), *source_positions_, 0, dropout);
  std::vector<Tensor> attention;
  for (auto& layer : encoder_) {
    const auto output = layer->Forward(x_BSD, mask_N11S, dropout, attention_BLHSS != nullptr);
    x_BSD = output.x_BSD;
    attention.push_back(output.attention_BHSS);
  }
  if (attention_BLHSS != nullptr) *attention_BLHSS = torch::stack(attention, 1);
  return {InProductType(FinalNorm(x_BSD, encoder_norm_)), mask_N11S, {}};
}

DecoderOutput TransformerModel::Forward(const Batch& batch, const ForwardOptions& options) {
  DecoderOutput output;
  const Encoded encoded =
      Encode(batch.source, options.dropout,
             options.self_attention ? &output.encoder_attention_BLHSS : nullptr);
  Tensor x_BTD =
      Embed(embeddings_->Target(batch.target_input_BT), *target_positions_, 0, options.dropout);
  const Tensor causal = CausalMask(x_BTD.size(1), x_BTD.device());
  std::vector<Tensor> attention, value_norms, self_attention;
  for (auto& layer : decoder_) {
    TransformerDecoderLayer::Past past{{}, causal};
    const KeyValues memory = layer->ProjectMemory(encoded.memory_NSD);
    const auto step = layer->Forward(x_BTD, past, {memory, encoded.mask_N11S}, options.dropout,
                                     {options.attention, options.self_attention});
    x_BTD = step.x_BTD;
    if (options.attention) attention.push_back(step.attention_BHTS);
    if (options.self_attention) self_attention.push_back(step.self_attention_BHTT);
    if (options.value_norms) value_norms.push_back(layer->ValueNorms(memory));
  }
  output.hidden_BTD = FinalNorm(x_BTD, decoder_norm_);
  if (options.attention) output.attention_BLHTS = torch::stack(attention, 1);
  if (options.self_attention) output.decoder_attention_BLHTT = torch::stack(self_attention, 1);
  if (options.value_norms) output.value_norms_BLHS = torch::stack(value_norms, 1);
  return output;
}

// rows: keys and values of each layer's past; memory: keys and values of each layer's source.
DecoderState TransformerModel::Start(const Encoded& encoded, int64_t beam_size) {
  DecoderState state;
  state.mask_N11S = encoded.mask_N11S;
  const int64_t rows = encoded.memory_NSD.size(0) * beam_size;
  const Tensor nothing_RH0K =
      torch::empty({rows, options_.heads, 0, options_.hidden_size / options_.heads},
                   encoded.memory_NSD.options());
  for (auto& layer : decoder_) {
    const KeyValues memory = layer->ProjectMemory(encoded.memory_NSD);
    state.memory.insert(state.memory.end(), {memory.key_BHSK, memory.value_BHSK});
    state.rows.insert(state.rows.end(), {nothing_RH0K, nothing_RH0K});
  }
  return state;
}

Tensor TransformerModel::EmbedSource(const Tensor& ids_BS) const {
  return Embed(embeddings_->Source(ids_BS), *source_positions_, 0, /*dropout=*/nullptr);
}

Tensor TransformerModel::EmbedTarget(const Tensor& tokens_R, int64_t position) const {
  return Embed(embeddings_->Target(tokens_R.unsqueeze(1)), *target_positions_, position,
               /*dropout=*/nullptr)
      .squeeze(1);
}

StepOutput TransformerModel::Step(const Tensor& tokens_R, DecoderState& state, bool attention) {
  CheckShape(tokens_R, "R", {{"R", state.rows[0].size(0)}}, "tokens");
  Tensor x_R1D = EmbedTarget(tokens_R, state.position).unsqueeze(1);
  Tensor attention_RS;
  for (size_t i = 0; i < decoder_.size(); ++i) {
    TransformerDecoderLayer::Past past{{state.rows[2 * i], state.rows[2 * i + 1]}, {}};
    const TransformerDecoderLayer::Source source{{state.memory[2 * i], state.memory[2 * i + 1]},
                                                 state.mask_N11S};
    const bool is_asked = attention && i + 1 == decoder_.size();
    const auto output =
        decoder_[i]->Forward(x_R1D, past, source, /*dropout=*/nullptr, {.attention = is_asked});
    x_R1D = output.x_BTD;
    // The beams of a sentence looked together: [N H beam S].
    if (is_asked) attention_RS = output.attention_BHTS.mean(1).flatten(0, 1);
    state.rows[2 * i] = past.self.key_BHSK;
    state.rows[2 * i + 1] = past.self.value_BHSK;
  }
  ++state.position;
  return {FinalNorm(x_R1D, decoder_norm_).squeeze(1), attention_RS};
}

}  // namespace nmt
