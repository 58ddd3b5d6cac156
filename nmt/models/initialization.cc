#include "nmt/models/initialization.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <cmath>
#include <string_view>

namespace nmt {
namespace {

using torch::Tensor;

void XavierUniform(const Tensor& weight_OI, at::Generator& generator) {
  const double bound =
      std::sqrt(6.0 / static_cast<double>(weight_OI.size(-1) + weight_OI.size(-2)));
  weight_OI.uniform_(-bound, bound, generator);
}

void Orthogonal(const Tensor& weight_HH, at::Generator& generator) {
  const Tensor normal = torch::empty_like(weight_HH).normal_(0, 1, generator);
  const auto [q, r] = torch::linalg_qr(normal);
  // The sign makes the factorisation, and with it the draw, unique.
  weight_HH.copy_(q * r.diagonal().sign());
}

bool EndsWith(std::string_view name, std::string_view end) { return name.ends_with(end); }

void Initialize(std::string_view name, const Tensor& parameter, at::Generator& generator) {
  if (EndsWith(name, "embeddings.source") || EndsWith(name, "embeddings.target") ||
      EndsWith(name, "positions.weight")) {
    parameter.normal_(0, 1 / std::sqrt(static_cast<double>(parameter.size(1))), generator);
  } else if (EndsWith(name, "norm.weight") || EndsWith(name, "scorer.scale")) {
    return;
  } else if (EndsWith(name, "bias")) {
    parameter.zero_();
  } else if (EndsWith(name, "recurrent_weight")) {
    for (const Tensor& gate_HH : parameter.chunk(3)) Orthogonal(gate_HH, generator);
  } else if (EndsWith(name, "input_weight") || EndsWith(name, "context_gates.weight")) {
    for (const Tensor& gate_HI : parameter.chunk(3)) XavierUniform(gate_HI, generator);
  } else if (EndsWith(name, "scorer.v")) {
    const double bound = std::sqrt(3.0 / static_cast<double>(parameter.size(1)));
    parameter.uniform_(-bound, bound, generator);
  } else {
    TORCH_CHECK(parameter.dim() >= 2, "no rule to initialise parameter ", std::string(name));
    XavierUniform(parameter, generator);
  }
}

}  // namespace

void InitializeParameters(torch::nn::Module& model, uint64_t seed) {
  torch::NoGradGuard no_grad;
  at::Generator generator = at::detail::createCPUGenerator(seed);
  for (const auto& parameter : model.named_parameters()) {
    Initialize(parameter.key(), parameter.value(), generator);
  }
}

}  // namespace nmt
