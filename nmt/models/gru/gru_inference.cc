#include "nmt/models/gru/gru_inference.h"

#include <torch/torch.h>

#include "nmt/attention/additive_attention.h"
#include "nmt/models/gru/gru_kernels.h"

namespace nmt {

class GruStepDecoder : public StepDecoder {
 public:
  GruStepDecoder(const GruInference& inference, const SourceBatch& source,
                 const StartOptions& options)
      : gru_(*inference.gru_), weights_(inference.decoder_), attention_(options.attention) {
    const Encoded encoded = gru_.Encode(source);
    const GruMemory memory = gru_.decoder().ProjectMemory(encoded);
    memory_ = {.key_BSA = memory.key_N1SA.squeeze(1).contiguous(),
               .value_BSC = memory.value_N1SC.squeeze(1).contiguous(),
               .mask_BS = memory.mask_N11S.squeeze(1).squeeze(1).contiguous(),
               .v_A = weights_.v_A};
    state_RH_ = gru_.decoder().InitialState(encoded.summary_ND);
    for (int64_t n = 0; n < state_RH_.size(0); ++n) sentences_R_.push_back(n);
  }

  StepOutput Step(const Ids& tokens_R) override {
    const Tensor embedded_RE = gru_.EmbedTarget(torch::tensor(tokens_R, torch::kInt64));
    const Tensor input_R3H = weights_.input.Forward(embedded_RE);
    const int64_t rows = embedded_RE.size(0);
    const Tensor looks_RS = torch::empty({rows, memory_.key_BSA.size(1)});
    const Tensor context_RC = torch::empty({rows, memory_.value_BSC.size(2)});
    const auto look = [&](const Tensor& state_RH) {
      AdditiveAttend(memory_, weights_.query.Forward(state_RH), looks_RS, context_RC, sentences_R_);
    };
    Tensor readout_RH;
    if (gru_.options().decoder == GruDecoder::kBahdanau) {
      readout_RH = state_RH_;
      look(state_RH_);
      state_RH_ =
          Gates(input_R3H, weights_.context.Forward(context_RC),
                weights_.recurrent.Forward(state_RH_), weights_.recurrent_bias_3H, state_RH_);
    } else {
      const Tensor between_RH = Gates(input_R3H, {}, weights_.first_recurrent.Forward(state_RH_),
                                      weights_.first_recurrent_bias_3H, state_RH_);
      look(between_RH);
      state_RH_ =
          Gates(weights_.context.Forward(context_RC), {}, weights_.recurrent.Forward(between_RH),
                weights_.recurrent_bias_3H, between_RH);
      readout_RH = state_RH_;
    }
    const Tensor sum =
        weights_.readout.Forward(torch::cat({readout_RH, embedded_RE, context_RC}, 1));
    return {gru_.options().readout == Readout::kTanh
                ? sum.tanh()
                : std::get<0>(sum.unflatten(-1, {-1, 2}).max(-1)),
            attention_ ? looks_RS : Tensor()};
  }

  void Reorder(const Ids& rows_R) override {
    state_RH_ = state_RH_.index_select(0, torch::tensor(rows_R, torch::kInt64));
    Ids sentences;
    for (const int64_t row : rows_R) sentences.push_back(sentences_R_[static_cast<size_t>(row)]);
    sentences_R_ = std::move(sentences);
  }

 private:
  Tensor Gates(const Tensor& input_R3H, const Tensor& more_input_R3H, const Tensor& recurrent_R3H,
               const Tensor& recurrent_bias_3H, const Tensor& hidden_RH) const {
    const Tensor tape_R4H = torch::empty({hidden_RH.size(0), 4 * hidden_RH.size(1)});
    const Tensor next_RH = torch::empty_like(hidden_RH);
    GruGatesForward({.input_B3H = input_R3H,
                     .more_input_B3H = more_input_R3H,
                     .recurrent_B3H = recurrent_R3H,
                     .recurrent_bias_3H = recurrent_bias_3H,
                     .hidden_BH = hidden_RH,
                     .tape_B4H = tape_R4H,
                     .next_BH = next_RH});
    return next_RH;
  }

  GruModel& gru_;
  const PackedGruDecoder& weights_;
  const bool attention_;
  AdditiveMemory memory_;
  Tensor state_RH_;
  Ids sentences_R_;  // of each row
};

GruInference::GruInference(const std::shared_ptr<GruModel>& model, InferencePrecision precision)
    : Inference(model, precision), gru_(model) {
  const torch::NoGradGuard no_grad;
  const auto parameters = model->named_parameters();
  const auto weight = [&](const std::string& name) {
    return parameters["decoder." + name].detach();
  };
  const bool conditional = model->options().decoder == GruDecoder::kConditional;
  const std::string second = conditional ? "context_cell." : "cell.";
  decoder_.input = {weight("cell.input_weight"), weight("cell.input_bias"), precision};
  if (conditional) {
    decoder_.first_recurrent = {weight("cell.recurrent_weight"), {}, precision};
    decoder_.first_recurrent_bias_3H = weight("cell.recurrent_bias");
    decoder_.context = {weight("context_cell.input_weight"), weight("context_cell.input_bias"),
                        precision};
  } else {
    decoder_.context = {weight("context_gates.weight"), {}, precision};
  }
  decoder_.recurrent = {weight(second + "recurrent_weight"), {}, precision};
  decoder_.recurrent_bias_3H = weight(second + "recurrent_bias");
  decoder_.query = {weight("query.weight"), {}, precision};
  decoder_.readout = {
      torch::cat({weight("readout_state.weight"), weight("readout_embedding.weight"),
                  weight("readout_context.weight")},
                 1),
      weight("readout_state.bias"), precision};
  decoder_.v_A = weight("scorer.v")[0].contiguous();
}

bool GruInference::Takes(const ModelOptions& options) {
  return options.attention == AttentionScore::kDefault ||
         options.attention == AttentionScore::kAdditive;
}

std::unique_ptr<StepDecoder> GruInference::Start(const SourceBatch& source,
                                                 const StartOptions& options) const {
  return std::make_unique<GruStepDecoder>(*this, source, options);
}

}  // namespace nmt
