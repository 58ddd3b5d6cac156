#include "nmt/models/gru/gru_decoder.h"

#include <torch/torch.h>

#include <vector>

#include "nmt/attention/mask.h"
#include "nmt/models/gru/gru_sequence.h"

namespace nmt {
namespace {

torch::nn::Linear NoBias(int64_t in, int64_t out) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));
}

}  // namespace

GruAttentionDecoder::GruAttentionDecoder(const ModelOptions& options)
    : order_(options.decoder), readout_kind_(options.readout) {
  const int64_t hidden = options.hidden_size, context = 2 * options.EncoderSize(),
                embedding = options.embedding_size, attention = options.AttentionSize();
  const AttentionScore score =
      options.attention == AttentionScore::kDefault ? AttentionScore::kAdditive : options.attention;
  cell_ = register_module("cell", std::make_shared<GruCell>(embedding, hidden));
  if (order_ == GruDecoder::kConditional) {
    context_cell_ = register_module("context_cell", std::make_shared<GruCell>(context, hidden));
  } else {
    context_gates_ = register_module("context_gates", NoBias(context, 3 * hidden));
  }
  initial_ = register_module("initial", torch::nn::Linear(options.EncoderSize(), hidden));
  query_ = register_module("query", NoBias(hidden, attention));
  key_ = register_module("key", torch::nn::Linear(context, attention));
  scorer_ = register_module("scorer", std::make_shared<Scorer>(score, /*heads=*/1, attention));
  const int64_t readout = options.ReadoutSize() * (readout_kind_ == Readout::kMaxout ? 2 : 1);
  readout_state_ = register_module("readout_state", torch::nn::Linear(hidden, readout));
  readout_embedding_ = register_module("readout_embedding", NoBias(embedding, readout));
  readout_context_ = register_module("readout_context", NoBias(context, readout));
}

Tensor GruAttentionDecoder::InitialState(const Tensor& summary_NH) {
  return initial_(summary_NH).tanh();
}

GruMemory GruAttentionDecoder::ProjectMemory(const Encoded& encoded) {
  return {key_(encoded.memory_NSD).unsqueeze(1), encoded.memory_NSD.unsqueeze(1),
          encoded.mask_N11S};
}

GruAttentionDecoder::Look GruAttentionDecoder::Attend(const Tensor& state_RH,
                                                      const GruMemory& memory) {
  const int64_t sentences = memory.key_N1SA.size(0), length = memory.key_N1SA.size(2);
  // The beams of a sentence are queries to the same keys: [R A] is [N 1 beam A].
  const Tensor query_N1RA = query_(state_RH).view({sentences, 1, -1, memory.key_N1SA.size(3)});
  const Tensor weights_N1RS =
      MaskedSoftmax(scorer_->Forward(query_N1RA, memory.key_N1SA), memory.mask_N11S);
  const Tensor context_N1RC = nmt::Attend(weights_N1RS, memory.value_N1SC);
  return {context_N1RC.reshape({state_RH.size(0), -1}), weights_N1RS.reshape({-1, length})};
}

GruStep GruAttentionDecoder::Forward(const Tensor& input_gates_R3H, const Tensor& state_RH,
                                     const GruMemory& memory) {
  if (order_ == GruDecoder::kBahdanau) {
    const Look look = Attend(state_RH, memory);
    const Tensor gates_R3H = input_gates_R3H + context_gates_(look.context_RC);
    return {cell_->Forward(gates_R3H, state_RH), state_RH, look.context_RC, look.weights_RS};
  }
  const Tensor between_RH = cell_->Forward(input_gates_R3H, state_RH);
  const Look look = Attend(between_RH, memory);
  const Tensor next_RH =
      context_cell_->Forward(context_cell_->InputGates(look.context_RC), between_RH);
  return {next_RH, next_RH, look.context_RC, look.weights_RS};
}

GruAttentionDecoder::Steps GruAttentionDecoder::ForwardStepByStep(const Tensor& gates_BT3H,
                                                                  const Tensor& initial_BH,
                                                                  const GruMemory& memory) {
  Tensor state_BH = initial_BH;
  std::vector<Tensor> readouts, contexts, weights;
  const auto gates = gates_BT3H.unbind(1);
  for (const Tensor& gates_B3H : gates) {
    const GruStep step = Forward(gates_B3H, state_BH, memory);
    state_BH = step.state_RH;
    readouts.push_back(step.readout_RH);
    contexts.push_back(step.context_RC);
    weights.push_back(step.weights_RS);
  }
  return {torch::stack(readouts, 1), torch::stack(contexts, 1), torch::stack(weights, 1)};
}

GruAttentionDecoder::Steps GruAttentionDecoder::ForwardAll(const Tensor& embedded_BTE,
                                                           const Tensor& initial_BH,
                                                           const GruMemory& memory) {
  if (!embedded_BTE.device().is_cpu() || scorer_->kind() != AttentionScore::kAdditive)
    return ForwardStepByStep(InputGates(embedded_BTE), initial_BH, memory);
  DecoderSequence sequence{.input_gates_TB3H = InputGates(embedded_BTE.transpose(0, 1)),
                           .initial_BH = initial_BH,
                           .key_BSA = memory.key_N1SA.squeeze(1),
                           .value_BSC = memory.value_N1SC.squeeze(1),
                           .mask_BS = memory.mask_N11S.squeeze(1).squeeze(1),
                           .query_weight_AH = query_->weight,
                           .v_A = scorer_->v_HK()[0]};
  if (order_ == GruDecoder::kBahdanau) {
    sequence.context_weight_3HC = context_gates_->weight;
    sequence.recurrent_weight_3HH = cell_->recurrent_weight_3HH();
    sequence.recurrent_bias_3H = cell_->recurrent_bias_3H();
  } else {
    sequence.context_weight_3HC = context_cell_->input_weight_3HI();
    sequence.context_bias_3H = context_cell_->input_bias_3H();
    sequence.recurrent_weight_3HH = context_cell_->recurrent_weight_3HH();
    sequence.recurrent_bias_3H = context_cell_->recurrent_bias_3H();
    sequence.first_weight_3HH = cell_->recurrent_weight_3HH();
    sequence.first_bias_3H = cell_->recurrent_bias_3H();
  }
  const DecoderTrace trace = GruDecoderSequence(sequence);
  return {trace.readout_TBH.transpose(0, 1), trace.context_TBC.transpose(0, 1),
          trace.weights_TBS.transpose(0, 1)};
}

Tensor GruAttentionDecoder::ReadOut(const Tensor& readout_state, const Tensor& embedded,
                                    const Tensor& context) {
  const Tensor sum =
      readout_state_(readout_state) + readout_embedding_(embedded) + readout_context_(context);
  if (readout_kind_ == Readout::kTanh) return sum.tanh();
  return std::get<0>(sum.unflatten(-1, {-1, 2}).max(-1));
}

}  // namespace nmt
