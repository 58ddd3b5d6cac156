// Scaled dot-product attention in one pass (Vaswani et al. 2017, section 3.2.1):
//
//   context = Dropout(softmax(Q K^T / sqrt(K)), rate) V
//
// Sentences are short, so that a head's scores are a matrix of ten or thirty rows: too small for a
// matrix library, which is called for each, copies each, and writes scores, softmax, dropout's mask
// and their product to memory one after another. Here a head is read once, all of that stays in the
// cache, and the backward pass takes it again. CPU only; the plain twin is
// Attend(Dropout(MaskedSoftmax(ScaledDotScore(q, k), mask), rate, stream), v), with the same mask
// of dropout.
#ifndef NMT_ATTENTION_DOT_ATTENTION_H_
#define NMT_ATTENTION_DOT_ATTENTION_H_

#include <torch/types.h>

#include "nmt/attention/dropout.h"

namespace nmt {

// Whether DotAttention() takes tensors of this kind: float32, float64 or bfloat16 on the CPU.
bool DotAttentionTakes(const Tensor& key_BHSK);

// Query, key and value are of one type. context_BHTK, contiguous as [B T H K], in the type of the query; sums are in float32 for
// bfloat16. `mask` broadcasts against [B H T S]; undefined allows all. A query that may look nowhere
// gets zeros. `stream` null: evaluation.
Tensor DotAttention(const Tensor& query_BHTK, const Tensor& key_BHSK, const Tensor& value_BHSK,
                    const Tensor& mask, double dropout, DropoutStream* stream);

}  // namespace nmt

#endif  // NMT_ATTENTION_DOT_ATTENTION_H_
