// Autograd against central differences over every element of every leaf, in float64.
//
//   ExpectGradients([&] { return DotScore(query, key); }, {{"query", query}, {"key", key}});
//   ExpectGradients([&] { return cell.Forward(gates, hidden); }, WithParameters(cell, {{"hidden", hidden}}));
//
// `function` reads the leaves anew in each call and may give a tensor of any shape: its sum under
// fixed random weights y = sum_i w_i f_i is what is differentiated,
//
//   dy/dx = (y(x + h) - y(x - h)) / 2h + O(h^2)
#ifndef NMT_TESTS_GRADIENT_CHECK_H_
#define NMT_TESTS_GRADIENT_CHECK_H_

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace nmt {

using Leaves = std::vector<std::pair<std::string, torch::Tensor>>;

// A leaf of standard normal numbers.
inline torch::Tensor RandomLeaf(torch::IntArrayRef sizes) {
  return torch::randn(sizes, torch::kFloat64).requires_grad_();
}

// `inputs`, and each parameter of `module` by its name.
inline Leaves WithParameters(const torch::nn::Module& module, Leaves inputs = {}) {
  for (const auto& parameter : module.named_parameters()) {
    inputs.emplace_back(parameter.key(), parameter.value());
  }
  return inputs;
}

// The module in float64, its parameters random: none is 0, as biases are at first.
template <typename Module>
Module& ForGradients(Module& module) {
  module.to(torch::kFloat64);
  torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : module.parameters()) parameter.normal_(0, 0.5);
  return module;
}

inline void ExpectGradients(const std::function<torch::Tensor()>& function, const Leaves& leaves) {
  constexpr double kStep = 1e-5;  // rounding errs by 1e-16 / kStep, the formula by kStep^2
  constexpr double kTolerance = 1e-7;
  ASSERT_FALSE(leaves.empty());
  at::set_num_threads(1);  // thousands of calls on a few numbers each
  std::vector<torch::Tensor> inputs;
  for (const auto& [name, leaf] : leaves) {
    ASSERT_TRUE(leaf.is_leaf() && leaf.requires_grad() && leaf.is_contiguous()) << name;
    ASSERT_EQ(leaf.scalar_type(), torch::kFloat64) << name;
    inputs.push_back(leaf);
  }
  const torch::Tensor result = function();
  const torch::Tensor weights = torch::randn_like(result);
  const auto gradients = torch::autograd::grad({result}, inputs, {weights}, /*retain_graph=*/false,
                                               /*create_graph=*/false, /*allow_unused=*/true);
  torch::NoGradGuard no_grad;
  const auto value = [&] { return (function() * weights).sum().item<double>(); };
  for (size_t i = 0; i < leaves.size(); ++i) {
    torch::Tensor numeric = torch::empty_like(inputs[i]).flatten();
    double* const x = inputs[i].mutable_data_ptr<double>();
    for (int64_t element = 0; element < inputs[i].numel(); ++element) {
      const double before = x[element];
      x[element] = before + kStep;
      const double up = value();
      x[element] = before - kStep;
      const double down = value();
      x[element] = before;
      numeric[element] = (up - down) / (2 * kStep);
    }
    // An unused leaf has a gradient of 0, which the differences must confirm.
    const torch::Tensor found =
        gradients[i].defined() ? gradients[i].flatten() : torch::zeros_like(numeric);
    const torch::Tensor difference = (found - numeric).abs();
    const int64_t worst = difference.argmax().item<int64_t>();
    EXPECT_LE(difference.max().item<double>(),
              kTolerance * std::max(1.0, numeric.abs().max().item<double>()))
        << leaves[i].first << " of shape " << inputs[i].sizes() << ", element " << worst
        << ": gradient " << found[worst].item<double>() << ", but differences give "
        << numeric[worst].item<double>();
  }
}

}  // namespace nmt

#endif  // NMT_TESTS_GRADIENT_CHECK_H_
