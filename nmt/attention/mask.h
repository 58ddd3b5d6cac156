// Masks, and the softmax that obeys them. One convention everywhere: a mask is a bool tensor, true
// where a query may look, and broadcasts against scores_BHTS.
//
//   Tensor mask = And(PaddingMask(lengths_B, S), CausalMask(T, device));      // [B 1 T S]
//   Tensor weights_BHTS = MaskedSoftmax(scores_BHTS, mask);                   // rows sum to 1
#ifndef NMT_ATTENTION_MASK_H_
#define NMT_ATTENTION_MASK_H_

#include <torch/types.h>

namespace nmt {

using torch::Tensor;

// [B 1 1 S]: true for the first lengths_B[b] positions of row b.
Tensor PaddingMask(const Tensor& lengths_B, int64_t source_length);

// [1 1 T T]: true where key position <= query position: a target token sees itself and its past.
Tensor CausalMask(int64_t target_length, torch::Device device);

// Both must allow. An undefined mask allows everything.
Tensor And(const Tensor& mask, const Tensor& other);

// softmax over the last dimension among the allowed positions:
//   a_s = m_s exp(e_s) / sum_r m_r exp(e_r)
// Masked weights are exactly 0, and so are their gradients. A row that may look nowhere gives
// zeros, not NaN. An undefined mask allows everything.
Tensor MaskedSoftmax(const Tensor& scores_BHTS, const Tensor& mask);

}  // namespace nmt

#endif  // NMT_ATTENTION_MASK_H_
