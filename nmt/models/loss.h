// Cross-entropy with label smoothing (Szegedy et al. 2016, section 7), over real target tokens only.
//
//   q(v) = (1 - smoothing) [v = y] + smoothing / (V - 1)   for v != padding
//   loss = - sum_v q(v) log p(v)
//
//   LossOutput output = BatchLoss(*model, batch, {.smoothing = 0.1, .dropout = &dropout});
//   (output.loss / batch.target_tokens).backward();
//
// Padding takes no smoothing mass and padded positions give no loss. Losses are sums in nats: the
// caller divides by the tokens of the whole update, so that accumulation equals the large batch.
#ifndef NMT_MODELS_LOSS_H_
#define NMT_MODELS_LOSS_H_

#include <torch/types.h>

#include <optional>

#include "nmt/models/seq2seq.h"

namespace nmt {

using torch::Tensor;

struct LossOutput {
  Tensor loss;  // scalar, with gradient: the smoothed cross-entropy, summed over tokens
  Tensor negative_log_likelihood;  // scalar, no gradient: - log p(y), summed; exp of its mean is
                                   // the perplexity
  Tensor correct;                  // scalar int64: tokens whose most probable prediction is y
  Tensor guided;  // BatchLoss: scalar, with gradient, GuidedAlignmentLoss(); else undefined
};

// The output layer, the softmax and the loss in one: logits are made and consumed in blocks of
// rows, their gradient in place, so that the [tokens, V] matrix is never stored; softmax, loss and
// gradient of a row take three passes over it in the cache. Its twin, which also runs on CUDA, is
// LabelSmoothedLoss(linear(hidden, ...)).
//   hidden_ND: one row a token; target_N: ids, none of them padding; weight_VD, bias_V: the output
//   layer.
// N = 0 gives a loss of 0.
LossOutput LinearLabelSmoothedLoss(const Tensor& hidden_ND, const Tensor& weight_VD,
                                   const Tensor& bias_V, const Tensor& target_N, double smoothing);

// The plain form on logits; positions whose target is padding are left out.
LossOutput LabelSmoothedLoss(const Tensor& logits_NV, const Tensor& target_N, double smoothing);

// R-Drop (Liang et al. 2021, equation 4, halved so that it stays on the scale of one pass): two passes
// with different dropout, P and Q, are to agree.
//
//   loss = (loss(P) + loss(Q)) / 2 + weight (KL(P || Q) + KL(Q || P)) / 4
//
// A block of rows at a time, as above. Likelihood and correct are those of P.
LossOutput LinearRDropLoss(const Tensor& hidden_ND, const Tensor& other_hidden_ND,
                           const Tensor& weight_VD, const Tensor& bias_V, const Tensor& target_N,
                           double smoothing, double weight);

// Guided alignment (Chen et al. 2016, section 3; Garg et al. 2019, section 4.2): the cross-entropy from
// known links g to the attention a, summed over the target pieces t that have any.
//
//   loss = - sum_t sum_s g_ts log a_ts
Tensor GuidedAlignmentLoss(const Tensor& attention_BTS, const Tensor& links_BTS);

// One layer's and head's attention, or the mean of a layer's heads.
struct GuidedAttention {
  int64_t layer = 0;  // from 0
  int64_t head = 0;   // from 0; -1: the mean
};

struct LossOptions {
  double smoothing = 0;
  DropoutStream* dropout = nullptr;      // null: evaluation
  double r_drop = 0;                     // above 0: two passes
  std::optional<GuidedAttention> guide;  // what the links of a batch guide, if it has any
};

// The loss of a batch under teacher forcing; padding does not reach the output layer. Of two passes the
// first is guided.
LossOutput BatchLoss(Seq2Seq& model, const Batch& batch, const LossOptions& options);

}  // namespace nmt

#endif  // NMT_MODELS_LOSS_H_
