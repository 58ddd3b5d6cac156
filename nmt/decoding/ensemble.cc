#include "nmt/decoding/ensemble.h"

#include <torch/torch.h>

#include <cmath>

namespace nmt {

EnsembleDecoder::EnsembleDecoder(const Ensemble& models,
                                 const std::vector<std::vector<Ids>>& sources,
                                 const StartOptions& options)
    : models_(models), steps_(models.size()) {
  TORCH_CHECK(!models.empty() && sources.size() == models.size(), sources.size(),
              " readings of the sources for ", models.size(), " models");
  for (size_t m = 0; m < models.size(); ++m) {
    StartOptions its = options;
    its.attention = options.attention && m == 0;
    decoders_.push_back(models[m]->Start(MakeSourceBatch(sources[m]), its));
  }
}

void EnsembleDecoder::Step(const Ids& tokens_R) {
  for (size_t m = 0; m < models_.size(); ++m) steps_[m] = decoders_[m]->Step(tokens_R);
}

void EnsembleDecoder::Reorder(const Ids& rows_R) {
  for (const auto& decoder : decoders_) decoder->Reorder(rows_R);
}

NextTokens EnsembleDecoder::Best(int64_t count) const {
  const std::vector<int64_t> excluded = {SpecialIds::kPad, SpecialIds::kBegin};
  if (models_.size() == 1) return models_[0]->output().Best(steps_[0].hidden_RD, count, excluded);
  return BestOf(LogProbabilities(), count, excluded);
}

Tensor EnsembleDecoder::LogProbabilities() const {
  std::vector<Tensor> each;
  for (size_t m = 0; m < models_.size(); ++m)
    each.push_back(models_[m]->output().LogProbabilities(steps_[m].hidden_RD));
  if (each.size() == 1) return each[0];
  return torch::stack(each).logsumexp(0) - std::log(static_cast<double>(each.size()));
}

}  // namespace nmt
