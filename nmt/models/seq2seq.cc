#include "nmt/models/seq2seq.h"

#include <torch/torch.h>

#include "nmt/models/gru/gru_model.h"
#include "nmt/models/initialization.h"
#include "nmt/models/transformer/transformer_model.h"

namespace nmt {

void Seq2Seq::Reorder(DecoderState& state, const Tensor& rows_R, const Tensor& sentences_N) const {
  for (Tensor& rows : state.rows) rows = rows.index_select(0, rows_R);
  if (!sentences_N.defined()) return;
  for (Tensor& memory : state.memory) memory = memory.index_select(0, sentences_N);
  state.mask_N11S = state.mask_N11S.index_select(0, sentences_N);
}

Tensor Seq2Seq::Logits(const Tensor& hidden) const {
  return torch::nn::functional::linear(hidden, OutputWeight_VD(), OutputBias_V());
}

int64_t CountParameters(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

std::shared_ptr<Seq2Seq> MakeModel(const ModelOptions& options, const VocabularySizes& sizes,
                                   uint64_t seed) {
  std::shared_ptr<Seq2Seq> model;
  if (options.type == ModelType::kGru) {
    model = std::make_shared<GruModel>(options, sizes);
  } else {
    model = std::make_shared<TransformerModel>(options, sizes);
  }
  InitializeParameters(*model, seed);
  return model;
}

}  // namespace nmt
