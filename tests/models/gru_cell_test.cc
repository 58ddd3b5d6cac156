#include "nmt/models/gru/gru_cell.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace nmt {
namespace {

TEST(GruGates, AgreeWithTheirPlainTwinInValueAndGradient) {
  torch::manual_seed(1);
  std::vector<Tensor> fused, plain;
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{5, 12}, {5, 12}, {5, 4}}) {
    const Tensor value = torch::randn(shape, torch::kFloat64);
    fused.push_back(value.clone().requires_grad_());
    plain.push_back(value.clone().requires_grad_());
  }
  const Tensor direction = torch::randn({5, 4}, torch::kFloat64);
  const Tensor a = GruGates(fused[0], fused[1], fused[2]),
               b = GruGatesPlain(plain[0], plain[1], plain[2]);
  EXPECT_TRUE(torch::allclose(a, b, 0, 1e-12));
  (a * direction).sum().backward();
  (b * direction).sum().backward();
  for (size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(torch::allclose(fused[i].grad(), plain[i].grad(), 0, 1e-12)) << i;
}

// An independent implementation: LibTorch's own cell, given the same weights.
TEST(GruCell, EqualsLibTorchsCell) {
  torch::manual_seed(2);
  GruCell ours(3, 4);
  torch::nn::GRUCell theirs(torch::nn::GRUCellOptions(3, 4));
  torch::NoGradGuard no_grad;
  auto weights = ours.named_parameters();
  weights["input_weight"].copy_(theirs->weight_ih);
  weights["input_bias"].copy_(theirs->bias_ih);
  weights["recurrent_weight"].copy_(theirs->weight_hh);
  weights["recurrent_bias"].copy_(theirs->bias_hh);
  const Tensor x = torch::randn({6, 3}), h = torch::randn({6, 4});
  EXPECT_TRUE(
      torch::allclose(ours.Forward(ours.InputGates(x), h), theirs->forward(x, h), 1e-5, 1e-6));
}

}  // namespace
}  // namespace nmt
