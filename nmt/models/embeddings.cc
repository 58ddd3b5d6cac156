#include "nmt/models/embeddings.h"

#include <torch/torch.h>

namespace nmt {

Embeddings::Embeddings(TieEmbeddings tie, int64_t source_vocab_size, int64_t target_vocab_size,
                       int64_t embedding_size, int64_t output_size) {
  if (tie != TieEmbeddings::kNone) {
    TORCH_CHECK(embedding_size == output_size,
                "tied embeddings need an output layer of the embedding size ", embedding_size,
                ", not ", output_size);
  }
  if (tie == TieEmbeddings::kAll) {
    TORCH_CHECK(source_vocab_size == target_vocab_size,
                "tying all embeddings needs one vocabulary, not ", source_vocab_size, " and ",
                target_vocab_size, " pieces");
  } else {
    source_VE_ = register_parameter("source", torch::zeros({source_vocab_size, embedding_size}));
  }
  target_VE_ = register_parameter("target", torch::zeros({target_vocab_size, embedding_size}));
  if (tie == TieEmbeddings::kNone) {
    output_VD_ = register_parameter("output", torch::zeros({target_vocab_size, output_size}));
  }
  output_bias_V_ = register_parameter("output_bias", torch::zeros({target_vocab_size}));
}

Tensor Embeddings::Source(const Tensor& ids) const {
  return torch::embedding(source_VE_.defined() ? source_VE_ : target_VE_, ids);
}

Tensor Embeddings::Target(const Tensor& ids) const { return torch::embedding(target_VE_, ids); }

const Tensor& Embeddings::output_weight_VD() const {
  return output_VD_.defined() ? output_VD_ : target_VE_;
}

}  // namespace nmt
