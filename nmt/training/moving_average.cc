#include "nmt/training/moving_average.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

namespace nmt {

MovingAverage::MovingAverage(const torch::nn::Module& model, double decay) : decay_(decay) {
  if (decay == 0) return;
  torch::NoGradGuard no_grad;
  for (const auto& parameter : model.named_parameters()) {
    names_.push_back(parameter.key());
    weights_.push_back(parameter.value());
    others_.push_back(parameter.value().detach().clone());
  }
}

void MovingAverage::Update(int64_t update) {
  if (weights_.empty()) return;
  torch::NoGradGuard no_grad;
  const double u = static_cast<double>(update);
  torch::_foreach_lerp_(others_, weights_, 1 - std::min(decay_, (1 + u) / (10 + u)));
}

void MovingAverage::Swap() {
  torch::NoGradGuard no_grad;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const torch::Tensor weight = weights_[i].detach().clone();
    weights_[i].copy_(others_[i]);
    others_[i].copy_(weight);
  }
}

void MovingAverage::AddState(TensorFile* optimizer) const {
  for (size_t i = 0; i < names_.size(); ++i) optimizer->tensors["raw." + names_[i]] = others_[i];
}

absl::Status MovingAverage::Load(TensorFile* optimizer, const std::string& path) {
  torch::NoGradGuard no_grad;
  for (size_t i = 0; i < names_.size(); ++i) {
    const auto found = optimizer->tensors.find("raw." + names_[i]);
    if (found == optimizer->tensors.end() || found->second.sizes() != others_[i].sizes()) {
      return DataError(fmt::format("{}: tensor \"raw.{}\" is missing or has another shape than {}",
                                   path, names_[i], c10::str(others_[i].sizes())));
    }
    others_[i].copy_(found->second);
    optimizer->tensors.erase(found);
  }
  Swap();
  return absl::OkStatus();
}

}  // namespace nmt
