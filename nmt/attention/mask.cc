#include "nmt/attention/mask.h"

#include <torch/torch.h>

#include "nmt/base/shape.h"

namespace nmt {

Tensor PaddingMask(const Tensor& lengths_B, int64_t source_length) {
  CheckShape(lengths_B, "B", {}, "lengths");
  const Tensor position_S = torch::arange(source_length, lengths_B.options());
  return (position_S.unsqueeze(0) < lengths_B.unsqueeze(1)).unsqueeze(1).unsqueeze(1);
}

Tensor CausalMask(int64_t target_length, torch::Device device) {
  const auto options = torch::TensorOptions().dtype(torch::kBool).device(device);
  return torch::ones({1, 1, target_length, target_length}, options).tril();
}

Tensor And(const Tensor& mask, const Tensor& other) {
  if (!mask.defined()) return other;
  if (!other.defined()) return mask;
  return mask.logical_and(other);
}

Tensor MaskedSoftmax(const Tensor& scores_BHTS, const Tensor& mask) {
  if (!mask.defined()) return scores_BHTS.softmax(-1);
  const Tensor blocked = mask.logical_not();
  // A large finite number, not -inf: a row with nothing to see would be inf - inf = NaN, forward
  // and backward.
  constexpr double kFarBelow = -1e30;
  return scores_BHTS.masked_fill(blocked, kFarBelow).softmax(-1).masked_fill(blocked, 0);
}

}  // namespace nmt
