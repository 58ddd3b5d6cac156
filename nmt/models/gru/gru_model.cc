#include "nmt/models/gru/gru_model.h"

#include <torch/torch.h>

#include <limits>

#include "nmt/base/shape.h"

namespace nmt {

GruModel::GruModel(const ModelOptions& options, const VocabularySizes& sizes) : options_(options) {
  embeddings_ = register_module(
      "embeddings",
      std::make_shared<Embeddings>(options.tie_embeddings, sizes.source, sizes.target,
                                   options.embedding_size, /*output_size=*/options.ReadoutSize()));
  encoder_ = register_module("encoder", std::make_shared<GruEncoder>(options));
  decoder_ = register_module("decoder", std::make_shared<GruAttentionDecoder>(options));
}

int64_t GruModel::max_length() const { return std::numeric_limits<int64_t>::max(); }

Encoded GruModel::Encode(const SourceBatch& source, DropoutStream* dropout) {
  CheckShape(source.ids_BS, "B S", {}, "source");
  const Tensor x_BSE = Dropout(embeddings_->Source(source.ids_BS), options_.dropout, dropout);
  return encoder_->Forward(x_BSE, source.lengths_B, dropout);
}

DecoderOutput GruModel::Forward(const Batch& batch, const ForwardOptions& options) {
  const Encoded encoded = Encode(batch.source, options.dropout);
  const GruMemory memory = decoder_->ProjectMemory(encoded);
  const Tensor embedded_BTE =
      Dropout(embeddings_->Target(batch.target_input_BT), options_.dropout, options.dropout);
  const GruAttentionDecoder::Steps steps =
      decoder_->ForwardAll(embedded_BTE, decoder_->InitialState(encoded.summary_ND), memory);
  const Tensor hidden_BTE = decoder_->ReadOut(steps.readout_BTH, embedded_BTE, steps.context_BTC);
  DecoderOutput output;
  output.hidden_BTD = Dropout(hidden_BTE, options_.dropout, options.dropout);
  if (options.attention) output.attention_BLHTS = steps.weights_BTS.unsqueeze(1).unsqueeze(1);
  // The context is the weighted sum of the annotations themselves.
  if (options.value_norms) output.value_norms_BLHS = memory.value_N1SC.norm(2, -1).unsqueeze(1);
  return output;
}

DecoderState GruModel::Start(const Encoded& encoded, int64_t beam_size) {
  const GruMemory memory = decoder_->ProjectMemory(encoded);
  const Tensor state_RH =
      decoder_->InitialState(encoded.summary_ND).repeat_interleave(beam_size, 0);
  return {{state_RH}, {memory.key_N1SA, memory.value_N1SC}, memory.mask_N11S};
}

StepOutput GruModel::Step(const Tensor& tokens_R, DecoderState& state, bool attention) {
  CheckShape(tokens_R, "R", {{"R", state.rows[0].size(0)}}, "tokens");
  const GruMemory memory{state.memory[0], state.memory[1], state.mask_N11S};
  const Tensor embedded_RE = embeddings_->Target(tokens_R);
  const GruStep step = decoder_->Forward(decoder_->InputGates(embedded_RE), state.rows[0], memory);
  state.rows[0] = step.state_RH;
  ++state.position;
  return {decoder_->ReadOut(step.readout_RH, embedded_RE, step.context_RC),
          attention ? step.weights_RS : Tensor()};
}

}  // namespace nmt
