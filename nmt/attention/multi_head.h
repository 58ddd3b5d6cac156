// Multi-head attention (Vaswani et al. 2017, section 3.2.2), with any of the scores of score.h:
//
//   head_h = softmax(score(W_q x, W_k m)) W_v m        context = W_o [head_1; ...; head_H]
//
//   x_BTD ── W_q ── query_BHTK ──┐
//   m_BSD ─┬ W_k ── key_BHSK ── score ── mask, softmax ── weights_BHTS ── × ── W_o ── context_BTD
//          └ W_v ── value_BHSK ───────────────────────────────────────────┘
//
//   KeyValues memory = attention->ProjectMemory(memory_BSD);     // once a sentence
//   AttentionOutput output = attention->Forward(x_BTD, memory, mask, dropout);
#ifndef NMT_ATTENTION_MULTI_HEAD_H_
#define NMT_ATTENTION_MULTI_HEAD_H_

#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <memory>

#include "nmt/attention/dropout.h"
#include "nmt/attention/score.h"

namespace nmt {

struct MultiHeadOptions {
  int64_t model_size = 0;  // D
  int64_t heads = 1;       // H, divides D; K = D / H
  AttentionScore score = AttentionScore::kScaledDot;
  double dropout =
      0;  // of the weights, in training; the weights given out are those before dropout
};

// Projected keys and values of a memory: what a decoder keeps between steps.
struct KeyValues {
  Tensor key_BHSK;
  Tensor value_BHSK;
};

// A decoder's cache: keys and values of the past followed by those of the new tokens, which see all
// of them. Step by step this gives what a causal mask gives at once. An undefined past is empty.
//
//   KeyValues past;
//   past = Append(past, attention->ProjectMemory(x_B1D));            // one step
//   y_B1D = attention->Forward(x_B1D, past, /*mask=*/{}, dropout).context_BTD;
KeyValues Append(const KeyValues& past, const KeyValues& now);

struct AttentionOutput {
  Tensor context_BTD;
  Tensor weights_BHTS;
};

// [B T D] to [B H T K] and back.
Tensor SplitHeads(const Tensor& x_BTD, int64_t heads);
Tensor JoinHeads(const Tensor& x_BHTK);

class MultiHeadAttention : public torch::nn::Module {
 public:
  explicit MultiHeadAttention(const MultiHeadOptions& options);

  KeyValues ProjectMemory(const Tensor& memory_BSD);

  // `mask` broadcasts against [B H T S]; undefined allows all. `dropout` null: evaluation.
  AttentionOutput Forward(const Tensor& x_BTD, const KeyValues& memory, const Tensor& mask,
                          DropoutStream* dropout);

  // The context alone, the same to rounding, through the one-pass kernel of dot_attention.h where
  // the score and the device allow it: training and decoding need no weights.
  Tensor Context(const Tensor& x_BTD, const KeyValues& memory, const Tensor& mask,
                 DropoutStream* dropout);

  // |f_h(x_s)| with f_h(x) = (x W_V + b_V) W_O, the part of head h (Kobayashi et al. 2020, equation 5).
  Tensor ValueNorms(const KeyValues& memory) const;

 private:
  MultiHeadOptions options_;
  torch::nn::Linear query_{nullptr};
  torch::nn::Linear key_{nullptr};
  torch::nn::Linear value_{nullptr};
  torch::nn::Linear output_{nullptr};
  std::shared_ptr<Scorer> scorer_;
};

}  // namespace nmt

#endif  // NMT_ATTENTION_MULTI_HEAD_H_
