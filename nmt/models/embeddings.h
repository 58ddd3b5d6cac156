// Token vectors and the output layer, and which of them share a weight.
#ifndef NMT_MODELS_EMBEDDINGS_H_
#define NMT_MODELS_EMBEDDINGS_H_

#include <torch/nn/module.h>
#include <torch/types.h>

#include "nmt/config/options.h"

namespace nmt {

using torch::Tensor;

// Press and Wolf 2017: one matrix can serve as target embedding and output layer (`target`), and
// with one vocabulary as source embedding too (`all`). Shared weights are one parameter, used in
// two places, never two that are kept equal.
class Embeddings : public torch::nn::Module {
 public:
  // The output layer has `output_size` inputs; tying needs it equal to `embedding_size`.
  Embeddings(TieEmbeddings tie, int64_t source_vocab_size, int64_t target_vocab_size,
             int64_t embedding_size, int64_t output_size);

  // ids […] to vectors […, E]
  Tensor Source(const Tensor& ids) const;
  Tensor Target(const Tensor& ids) const;

  const Tensor& output_weight_VD() const;
  const Tensor& output_bias_V() const { return output_bias_V_; }

 private:
  Tensor source_VE_;  // undefined when tied
  Tensor target_VE_;
  Tensor output_VD_;  // undefined when tied
  Tensor output_bias_V_;
};

}  // namespace nmt

#endif  // NMT_MODELS_EMBEDDINGS_H_
