#include "nmt/attention/multi_head.h"

#include <torch/torch.h>

#include "nmt/attention/dot_attention.h"
#include "nmt/attention/mask.h"
#include "nmt/base/shape.h"

namespace nmt {

Tensor SplitHeads(const Tensor& x_BTD, int64_t heads) {
  const int64_t head_size = x_BTD.size(2) / heads;
  return x_BTD.view({x_BTD.size(0), x_BTD.size(1), heads, head_size}).transpose(1, 2);
}

Tensor JoinHeads(const Tensor& x_BHTK) { return x_BHTK.transpose(1, 2).contiguous().flatten(2); }

KeyValues Append(const KeyValues& past, const KeyValues& now) {
  if (!past.key_BHSK.defined()) return now;
  return {torch::cat({past.key_BHSK, now.key_BHSK}, 2),
          torch::cat({past.value_BHSK, now.value_BHSK}, 2)};
}

MultiHeadAttention::MultiHeadAttention(const MultiHeadOptions& options) : options_(options) {
  const int64_t size = options.model_size;
  TORCH_CHECK(size % options.heads == 0, "model size ", size, " is not a multiple of the ",
              options.heads, " heads");
  query_ = register_module("query", torch::nn::Linear(size, size));
  key_ = register_module("key", torch::nn::Linear(size, size));
  value_ = register_module("value", torch::nn::Linear(size, size));
  output_ = register_module("output", torch::nn::Linear(size, size));
  scorer_ = register_module(
      "scorer", std::make_shared<Scorer>(options.score, options.heads, size / options.heads));
}

KeyValues MultiHeadAttention::ProjectMemory(const Tensor& memory_BSD) {
  CheckShape(memory_BSD, "B S D", {{"D", options_.model_size}}, "memory");
  return {SplitHeads(key_(memory_BSD), options_.heads),
          SplitHeads(value_(memory_BSD), options_.heads)};
}

AttentionOutput MultiHeadAttention::Forward(const Tensor& x_BTD, const KeyValues& memory,
                                            const Tensor& mask, DropoutStream* dropout) {
  CheckShape(x_BTD, "B T D", {{"D", options_.model_size}}, "query");
  const Tensor query_BHTK = SplitHeads(query_(x_BTD), options_.heads);
  const Tensor scores_BHTS = scorer_->Forward(query_BHTK, memory.key_BHSK);
  const Tensor weights_BHTS = MaskedSoftmax(scores_BHTS, mask);
  const Tensor context_BHTK =
      Attend(Dropout(weights_BHTS, options_.dropout, dropout), memory.value_BHSK);
  return {output_(JoinHeads(context_BHTK)), weights_BHTS};
}

Tensor MultiHeadAttention::Context(const Tensor& x_BTD, const KeyValues& memory, const Tensor& mask,
                                   DropoutStream* dropout) {
  CheckShape(x_BTD, "B T D", {{"D", options_.model_size}}, "query");
  if (options_.score != AttentionScore::kScaledDot || !DotAttentionTakes(memory.key_BHSK))
    return Forward(x_BTD, memory, mask, dropout).context_BTD;
  const Tensor query_BHTK = SplitHeads(query_(x_BTD), options_.heads);
  return output_(JoinHeads(DotAttention(query_BHTK, memory.key_BHSK, memory.value_BHSK, mask,
                                        options_.dropout, dropout)));
}

Tensor MultiHeadAttention::ValueNorms(const KeyValues& memory) const {
  // W_O is [D, H K]: each head multiplies K of its columns.
  const Tensor output_HKD = output_->weight.t().view({options_.heads, -1, options_.model_size});
  return memory.value_BHSK.matmul(output_HKD).norm(2, -1);
}

}  // namespace nmt
