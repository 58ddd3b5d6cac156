// The layers of the transformer (Vaswani et al. 2017, section 3.1).
//
//   encoder layer   x ── self-attention ── feed-forward ── out
//   decoder layer   x ── self-attention to the past ── attention to the source ── feed-forward ── out
//
// Every block stands in a residual connection with layer norm, after it (post, as in the paper) or
// before it (pre, Xiong et al. 2020):
//
//   post   norm(x + dropout(f(x)))
//   pre    x + dropout(f(norm(x)))
#ifndef NMT_MODELS_TRANSFORMER_TRANSFORMER_LAYERS_H_
#define NMT_MODELS_TRANSFORMER_TRANSFORMER_LAYERS_H_

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <functional>
#include <memory>

#include "nmt/attention/multi_head.h"
#include "nmt/config/options.h"

namespace nmt {

// One residual connection with its norm.
class Residual : public torch::nn::Module {
 public:
  explicit Residual(const ModelOptions& options);

  Tensor Forward(const Tensor& x_BTD, DropoutStream* dropout,
                 const std::function<Tensor(const Tensor&)>& block);

 private:
  NormPosition position_;
  double dropout_;
  torch::nn::LayerNorm norm_{nullptr};
};

// FFN(x) = W_2 activation(W_1 x + b_1) + b_2   (section 3.3)
class FeedForward : public torch::nn::Module {
 public:
  explicit FeedForward(const ModelOptions& options);
  Tensor Forward(const Tensor& x_BTD);

 private:
  Activation activation_;
  torch::nn::Linear inner_{nullptr};
  torch::nn::Linear outer_{nullptr};
};

class TransformerEncoderLayer : public torch::nn::Module {
 public:
  explicit TransformerEncoderLayer(const ModelOptions& options);
  struct Output {
    Tensor x_BSD;
    Tensor attention_BHSS;  // if asked for
  };
  Output Forward(const Tensor& x_BSD, const Tensor& mask_B11S, DropoutStream* dropout,
                 bool attention);

 private:
  std::shared_ptr<MultiHeadAttention> self_attention_;
  std::shared_ptr<FeedForward> feed_forward_;
  std::shared_ptr<Residual> self_residual_;
  std::shared_ptr<Residual> feed_forward_residual_;
};

class TransformerDecoderLayer : public torch::nn::Module {
 public:
  explicit TransformerDecoderLayer(const ModelOptions& options);

  KeyValues ProjectMemory(const Tensor& memory_NSD) {
    return cross_attention_->ProjectMemory(memory_NSD);
  }
  Tensor ValueNorms(const KeyValues& memory) const { return cross_attention_->ValueNorms(memory); }

  struct Past {
    KeyValues self;    // of the tokens before x; undefined at the first; replaced by that of all
                       // tokens up to x
    Tensor self_mask;  // [1 1 T T] causal in training, undefined in a step (all of the past is
                       // allowed)
  };
  struct Source {
    KeyValues memory;  // projected once a sentence
    Tensor mask_N11S;
  };
  struct Wanted {
    bool attention = false;       // weights of the attention to the source
    bool self_attention = false;  // and of that to the past
  };
  struct Output {
    Tensor x_BTD;
    Tensor attention_BHTS, self_attention_BHTT;  // if asked for
  };
  // x_BTD: T new tokens of B = N x beam rows. The beams of a sentence ask the same source together.
  Output Forward(const Tensor& x_BTD, Past& past, const Source& source, DropoutStream* dropout,
                 const Wanted& wanted);

 private:
  std::shared_ptr<MultiHeadAttention> self_attention_;
  std::shared_ptr<MultiHeadAttention> cross_attention_;
  std::shared_ptr<FeedForward> feed_forward_;
  std::shared_ptr<Residual> self_residual_;
  std::shared_ptr<Residual> cross_residual_;
  std::shared_ptr<Residual> feed_forward_residual_;
};

}  // namespace nmt

#endif  // NMT_MODELS_TRANSFORMER_TRANSFORMER_LAYERS_H_
