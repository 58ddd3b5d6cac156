#include "nmt/models/transformer/transformer_layers.h"

#include <torch/torch.h>

#include "nmt/attention/precision.h"

namespace nmt {
namespace {

MultiHeadOptions AttentionOptions(const ModelOptions& options) {
  return {.model_size = options.hidden_size,
          .heads = options.heads,
          .score = options.attention == AttentionScore::kDefault ? AttentionScore::kScaledDot
                                                                 : options.attention,
          .dropout = options.attention_dropout};
}

// The context of a look, and its weights where they are asked for; without them a faster way is open.
Tensor Look(MultiHeadAttention& attention, const Tensor& x_BTD, const KeyValues& memory,
            const Tensor& mask, DropoutStream* dropout, Tensor* weights_BHTS) {
  if (weights_BHTS == nullptr) return attention.Context(x_BTD, memory, mask, dropout);
  const AttentionOutput look = attention.Forward(x_BTD, memory, mask, dropout);
  *weights_BHTS = look.weights_BHTS;
  return look.context_BTD;
}

}  // namespace

Residual::Residual(const ModelOptions& options)
    : position_(options.norm), dropout_(options.dropout) {
  norm_ = register_module("norm",
                          torch::nn::LayerNorm(torch::nn::LayerNormOptions({options.hidden_size})));
}

Tensor Residual::Forward(const Tensor& x_BTD, DropoutStream* dropout,
                         const std::function<Tensor(const Tensor&)>& block) {
  if (position_ == NormPosition::kPre)
    return AddDropout(x_BTD, block(InProductType(norm_(x_BTD))), dropout_, dropout);
  return norm_(AddDropout(x_BTD, block(InProductType(x_BTD)), dropout_, dropout));
}

FeedForward::FeedForward(const ModelOptions& options) : activation_(options.activation) {
  inner_ =
      register_module("inner", torch::nn::Linear(options.hidden_size, options.feed_forward_size));
  outer_ =
      register_module("outer", torch::nn::Linear(options.feed_forward_size, options.hidden_size));
}

Tensor FeedForward::Forward(const Tensor& x_BTD) {
  const Tensor inner = inner_(x_BTD);
  return outer_(activation_ == Activation::kRelu ? inner.relu() : torch::gelu(inner));
}

TransformerEncoderLayer::TransformerEncoderLayer(const ModelOptions& options) {
  self_attention_ = register_module(
      "self_attention", std::make_shared<MultiHeadAttention>(AttentionOptions(options)));
  feed_forward_ = register_module("feed_forward", std::make_shared<FeedForward>(options));
  self_residual_ = register_module("self_residual", std::make_shared<Residual>(options));
  feed_forward_residual_ =
      register_module("feed_forward_residual", std::make_shared<Residual>(options));
}

TransformerEncoderLayer::Output TransformerEncoderLayer::Forward(const Tensor& x_BSD,
                                                                 const Tensor& mask_B11S,
                                                                 DropoutStream* dropout,
                                                                 bool attention) {
  Tensor weights_BHSS;
  const Tensor attended_BSD = self_residual_->Forward(x_BSD, dropout, [&](const Tensor& x) {
    return Look(*self_attention_, x, self_attention_->ProjectMemory(x), mask_B11S, dropout,
                attention ? &weights_BHSS : nullptr);
  });
  const Tensor out_BSD = feed_forward_residual_->Forward(
      attended_BSD, dropout, [&](const Tensor& x) { return feed_forward_->Forward(x); });
  return {out_BSD, weights_BHSS};
}

TransformerDecoderLayer::TransformerDecoderLayer(const ModelOptions& options) {
  self_attention_ = register_module(
      "self_attention", std::make_shared<MultiHeadAttention>(AttentionOptions(options)));
  cross_attention_ = register_module(
      "cross_attention", std::make_shared<MultiHeadAttention>(AttentionOptions(options)));
  feed_forward_ = register_module("feed_forward", std::make_shared<FeedForward>(options));
  self_residual_ = register_module("self_residual", std::make_shared<Residual>(options));
  cross_residual_ = register_module("cross_residual", std::make_shared<Residual>(options));
  feed_forward_residual_ =
      register_module("feed_forward_residual", std::make_shared<Residual>(options));
}

TransformerDecoderLayer::Output TransformerDecoderLayer::Forward(const Tensor& x_BTD, Past& past,
                                                                 const Source& source,
                                                                 DropoutStream* dropout,
                                                                 const Wanted& wanted) {
  Output output;
  const Tensor self_BTD = self_residual_->Forward(x_BTD, dropout, [&](const Tensor& x) {
    past.self = Append(past.self, self_attention_->ProjectMemory(x));
    return Look(*self_attention_, x, past.self, past.self_mask, dropout,
                wanted.self_attention ? &output.self_attention_BHTT : nullptr);
  });
  const int64_t sentences = source.mask_N11S.size(0);
  const Tensor cross_BTD = cross_residual_->Forward(self_BTD, dropout, [&](const Tensor& x) {
    const Tensor query_NTD = x.view({sentences, -1, x.size(2)});  // beam rows side by side
    return Look(*cross_attention_, query_NTD, source.memory, source.mask_N11S, dropout,
                wanted.attention ? &output.attention_BHTS : nullptr)
        .view(x.sizes());
  });
  output.x_BTD = feed_forward_residual_->Forward(
      cross_BTD, dropout, [&](const Tensor& x) { return feed_forward_->Forward(x); });
  return output;
}

}  // namespace nmt
