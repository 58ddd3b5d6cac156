#include "nmt/training/adam.h"

#include <fmt/format.h>
#include <torch/torch.h>

namespace nmt {
namespace {

constexpr double kEpsilon = 1e-9;  // Vaswani et al. 2017, section 5.3

using FusedUpdate = void(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                         at::TensorList, at::TensorList, double, double, double, double, double,
                         bool, bool, const std::optional<at::Tensor>&,
                         const std::optional<at::Tensor>&);

}  // namespace

Adam::Adam(const torch::nn::Module& model, const TrainingOptions& options) : options_(options) {
  for (const auto& parameter : model.named_parameters()) {
    if (!parameter.value().requires_grad()) continue;
    names_.push_back(parameter.key());
    parameters_.push_back(parameter.value());
    first_moments_.push_back(torch::zeros_like(parameter.value()));
    second_moments_.push_back(torch::zeros_like(parameter.value()));
    steps_.push_back(torch::zeros({}, parameter.value().options().requires_grad(false)));
  }
}

void Adam::ZeroGradients() {
  for (torch::Tensor& parameter : parameters_) {
    torch::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined()) {
      gradient.zero_();
    } else {
      gradient = torch::zeros_like(parameter);
    }
  }
}

double Adam::ClipGradients(double clip_norm) {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : parameters_) gradients.push_back(parameter.grad());
  const double norm = torch::stack(torch::_foreach_norm(gradients)).norm().item<double>();
  if (clip_norm > 0 && norm > clip_norm) torch::_foreach_mul_(gradients, clip_norm / norm);
  return norm;
}

void Adam::Step(double learning_rate) {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : parameters_) gradients.push_back(parameter.grad());
  torch::_foreach_add_(steps_, 1);  // the kernel reads the number of this step, it does not count
  // Both kernels have one signature: AMSGrad and gradient scaling are off.
  auto* const update = options_.optimizer == Optimizer::kAdamW
                           ? static_cast<FusedUpdate*>(&at::_fused_adamw_)
                           : static_cast<FusedUpdate*>(&at::_fused_adam_);
  update(parameters_, gradients, first_moments_, second_moments_, {}, steps_, learning_rate,
         options_.adam_beta1, options_.adam_beta2,
         options_.optimizer == Optimizer::kAdamW ? options_.weight_decay : 0, kEpsilon,
         /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, /*found_inf=*/{});
}

double Adam::MeasuredStep(double learning_rate) {
  torch::NoGradGuard no_grad;
  const auto norm = [](const std::vector<torch::Tensor>& tensors) {
    return torch::stack(torch::_foreach_norm(tensors)).norm().item<double>();
  };
  std::vector<torch::Tensor> before;
  for (const torch::Tensor& parameter : parameters_) before.push_back(parameter.clone());
  const double size = norm(before);
  Step(learning_rate);
  return norm(torch::_foreach_sub(parameters_, before)) / size;
}

TensorFile Adam::State() const {
  TensorFile file;
  for (size_t i = 0; i < names_.size(); ++i) {
    file.tensors["first." + names_[i]] = first_moments_[i];
    file.tensors["second." + names_[i]] = second_moments_[i];
    file.tensors["step." + names_[i]] = steps_[i];
  }
  return file;
}

absl::Status Adam::Load(const TensorFile& file, const std::string& path) {
  torch::NoGradGuard no_grad;
  const TensorFile own = State();
  if (own.tensors.size() != file.tensors.size()) {
    return DataError(fmt::format("{}: holds {} tensors, but the model's optimiser has {}", path,
                                 file.tensors.size(), own.tensors.size()));
  }
  for (const auto& [name, tensor] : own.tensors) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end() || found->second.sizes() != tensor.sizes()) {
      return DataError(fmt::format("{}: tensor \"{}\" is missing or has another shape than {}",
                                   path, name, c10::str(tensor.sizes())));
    }
    tensor.copy_(found->second);
  }
  return absl::OkStatus();
}

}  // namespace nmt
