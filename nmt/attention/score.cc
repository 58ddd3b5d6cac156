#include "nmt/attention/score.h"

#include <torch/torch.h>

#include <cmath>

#include "nmt/base/shape.h"

namespace nmt {
namespace {

// Softmax of cosines alone is nearly flat (they lie in [-1, 1]); the learned scale starts where ten
// times the cosine of a good key stands out among 20 others.
constexpr double kInitialCosineScale = 10;

void CheckQueryAndKey(const Tensor& query_BHTK, const Tensor& key_BHSK) {
  CheckShape(query_BHTK, "B H T K", {}, "query");
  CheckShape(key_BHSK, "B H S K",
             {{"B", query_BHTK.size(0)}, {"H", query_BHTK.size(1)}, {"K", query_BHTK.size(3)}},
             "key");
}

}  // namespace

Tensor DotScore(const Tensor& query_BHTK, const Tensor& key_BHSK) {
  CheckQueryAndKey(query_BHTK, key_BHSK);
  return torch::matmul(query_BHTK, key_BHSK.transpose(-2, -1));
}

Tensor ScaledDotScore(const Tensor& query_BHTK, const Tensor& key_BHSK) {
  CheckQueryAndKey(query_BHTK, key_BHSK);
  const double scale = 1 / std::sqrt(static_cast<double>(query_BHTK.size(-1)));
  // The queries are scaled, not the scores: T x K products instead of T x S.
  return torch::matmul(query_BHTK * scale, key_BHSK.transpose(-2, -1));
}

Tensor CosineScore(const Tensor& query_BHTK, const Tensor& key_BHSK) {
  namespace F = torch::nn::functional;
  const auto last = F::NormalizeFuncOptions().dim(-1);
  return DotScore(F::normalize(query_BHTK, last), F::normalize(key_BHSK, last));
}

Tensor GeneralScore(const Tensor& query_BHTK, const Tensor& key_BHSK, const Tensor& weight_HKK) {
  CheckShape(weight_HKK, "H K K", {{"H", query_BHTK.size(1)}, {"K", query_BHTK.size(3)}}, "weight");
  return DotScore(torch::matmul(query_BHTK, weight_HKK), key_BHSK);
}

Tensor AdditiveScore(const Tensor& query_BHTK, const Tensor& key_BHSK, const Tensor& v_HK) {
  CheckQueryAndKey(query_BHTK, key_BHSK);
  CheckShape(v_HK, "H K", {{"H", query_BHTK.size(1)}, {"K", query_BHTK.size(3)}}, "v");
  const Tensor sum_BHTSK = query_BHTK.unsqueeze(3) + key_BHSK.unsqueeze(2);
  // A sum over K as a product with v as one column: [B H T S K] x [H 1 K 1].
  return torch::matmul(sum_BHTSK.tanh(), v_HK.unsqueeze(1).unsqueeze(-1)).squeeze(-1);
}

Tensor Attend(const Tensor& weights_BHTS, const Tensor& value_BHSK) {
  return torch::matmul(weights_BHTS, value_BHSK);
}

Scorer::Scorer(AttentionScore kind, int64_t heads, int64_t head_size) : kind_(kind) {
  TORCH_CHECK(kind != AttentionScore::kDefault, "a scorer needs a score by name");
  if (kind == AttentionScore::kAdditive) {
    v_HK_ = register_parameter("v", torch::zeros({heads, head_size}));
  } else if (kind == AttentionScore::kGeneral) {
    weight_HKK_ = register_parameter("weight", torch::zeros({heads, head_size, head_size}));
  } else if (kind == AttentionScore::kCosine) {
    scale_H_ = register_parameter("scale", torch::full({heads}, kInitialCosineScale));
  }
}

Tensor Scorer::Forward(const Tensor& query_BHTK, const Tensor& key_BHSK) const {
  switch (kind_) {
    case AttentionScore::kDot:
      return DotScore(query_BHTK, key_BHSK);
    case AttentionScore::kScaledDot:
      return ScaledDotScore(query_BHTK, key_BHSK);
    case AttentionScore::kCosine:
      return CosineScore(query_BHTK, key_BHSK) * scale_H_.view({1, -1, 1, 1});
    case AttentionScore::kGeneral:
      return GeneralScore(query_BHTK, key_BHSK, weight_HKK_);
    case AttentionScore::kAdditive:
      return AdditiveScore(query_BHTK, key_BHSK, v_HK_);
    case AttentionScore::kDefault:
      break;
  }
  TORCH_CHECK(false, "unreachable: a scorer without a score");
}

}  // namespace nmt
