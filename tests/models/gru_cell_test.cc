#include "nmt/models/gru/gru_cell.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace nmt {
namespace {

TEST(GruCell, GivesTheSameWithoutGradientsWhereItsKernelRuns) {
  torch::manual_seed(1);
  GruCell cell(3, 5);
  cell.to(torch::kFloat64);
  const Tensor gates = torch::randn({6, 15}, torch::kFloat64);
  const Tensor h = torch::randn({6, 5}, torch::kFloat64);
  {
    torch::NoGradGuard no_grad;
    for (Tensor& parameter : cell.parameters()) parameter.normal_();
  }
  const Tensor plain = cell.Forward(gates, h);
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::allclose(cell.Forward(gates, h), plain, 0, 1e-12));
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
