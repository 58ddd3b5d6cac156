#include "nmt/training/average.h"

#include <torch/torch.h>

#include <map>
#include <string>

namespace nmt {

absl::Status AverageCheckpoints(const std::vector<std::filesystem::path>& checkpoints,
                                const TrainedModel& model) {
  torch::NoGradGuard no_grad;
  std::map<std::string, torch::Tensor> sums;
  for (const auto& checkpoint : checkpoints) {
    NMT_RETURN_IF_ERROR(LoadWeights(checkpoint, *model.model, model.tokenizers.checksum));
    for (const auto& parameter : model.model->named_parameters()) {
      const torch::Tensor value = parameter.value().to(torch::kFloat64);
      auto [sum, is_first] = sums.emplace(parameter.key(), value);
      if (!is_first) sum->second += value;
    }
  }
  for (const auto& parameter : model.model->named_parameters()) {
    parameter.value().copy_(sums[parameter.key()] / static_cast<double>(checkpoints.size()));
  }
  return absl::OkStatus();
}

}  // namespace nmt
