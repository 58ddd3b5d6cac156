// The attention formula: how much a query q (what the decoder is about to say) scores a key k (a
// source position).
//
//   dot         e = q · k                                     Luong et al. 2015, section 3.1
//   scaled dot  e = q · k / sqrt(K)                           Vaswani et al. 2017, section 3.2.1
//   cosine      e = g · (q · k) / (|q| |k|), g learned        Henry et al. 2020 (QKNorm), section 3
//   general     e = q^T W k                                   Luong et al. 2015, section 3.1
//   additive    e = v^T tanh(q + k), q = W s, k = U h         Bahdanau et al. 2015, appendix A.1.2
//
// Softmax over the source positions makes weights of the scores, a = softmax(e), and the context is
// the weighted sum of the values, c = sum_s a_s value_s:
//
//   Tensor weights_BHTS = MaskedSoftmax(ScaledDotScore(query_BHTK, key_BHSK), mask);
//   Tensor context_BHTK = Attend(weights_BHTS, value_BHSK);
#ifndef NMT_ATTENTION_SCORE_H_
#define NMT_ATTENTION_SCORE_H_

#include <torch/nn/module.h>
#include <torch/types.h>

#include "nmt/config/options.h"

namespace nmt {

using torch::Tensor;

// Each takes queries [B H T K] and keys [B H S K] and gives scores [B H T S].
Tensor DotScore(const Tensor& query_BHTK, const Tensor& key_BHSK);
Tensor ScaledDotScore(const Tensor& query_BHTK, const Tensor& key_BHSK);
Tensor CosineScore(const Tensor& query_BHTK, const Tensor& key_BHSK);
Tensor GeneralScore(const Tensor& query_BHTK, const Tensor& key_BHSK, const Tensor& weight_HKK);
// Query and key are already projected (W s and U h), so that the keys' half is computed once a
// sentence.
Tensor AdditiveScore(const Tensor& query_BHTK, const Tensor& key_BHSK, const Tensor& v_HK);

// The context: weights [B H T S] times values [B H S K], to [B H T K].
Tensor Attend(const Tensor& weights_BHTS, const Tensor& value_BHSK);

// One of the five scores with the parameters that it needs: v_HK (additive), weight_HKK (general),
// scale_H (cosine).
class Scorer : public torch::nn::Module {
 public:
  // `kind` must not be kDefault.
  Scorer(AttentionScore kind, int64_t heads, int64_t head_size);

  // scores_BHTS
  Tensor Forward(const Tensor& query_BHTK, const Tensor& key_BHSK) const;

  AttentionScore kind() const { return kind_; }
  const Tensor& v_HK() const { return v_HK_; }

 private:
  AttentionScore kind_;
  Tensor v_HK_;
  Tensor weight_HKK_;
  Tensor scale_H_;
};

}  // namespace nmt

#endif  // NMT_ATTENTION_SCORE_H_
