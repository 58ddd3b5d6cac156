#include "nmt/training/moving_average.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace nmt {
namespace {

// d = min(0.9, (1 + u) / (10 + u)): 2/11 after update 1, 3/12 after update 2.
TEST(MovingAverage, FollowsItsFormula) {
  torch::nn::Linear layer(1, 1);
  torch::NoGradGuard no_grad;
  const auto set = [&](double value) {
    for (torch::Tensor& parameter : layer->parameters()) parameter.fill_(value);
  };
  set(0);
  MovingAverage average(*layer, 0.9);
  set(11);
  average.Update(1);  // 2/11 * 0 + 9/11 * 11 = 9
  set(1);
  average.Update(2);  // 3/12 * 9 + 9/12 * 1 = 3
  average.Swap();
  EXPECT_FLOAT_EQ(layer->weight.item<float>(), 3);
  average.Swap();
  EXPECT_FLOAT_EQ(layer->weight.item<float>(), 1);
  average.Update(1000000);  // 0.9 * 3 + 0.1 * 1 = 2.8
  average.Swap();
  EXPECT_FLOAT_EQ(layer->weight.item<float>(), 2.8f);
}

TEST(MovingAverage, IsSavedAndLoaded) {
  torch::nn::Linear layer(2, 3), other(2, 3);
  MovingAverage average(*layer, 0.5);
  {
    torch::NoGradGuard no_grad;
    layer->weight.add_(1);
  }
  average.Update(5);
  const torch::Tensor raw = layer->weight.clone();
  average.Swap();
  TensorFile file;
  average.AddState(&file);
  {
    torch::NoGradGuard no_grad;
    other->weight.copy_(layer->weight);  // as a checkpoint's weights
    other->bias.copy_(layer->bias);
  }
  MovingAverage loaded(*other, 0.5);
  ASSERT_TRUE(loaded.Load(&file, "file").ok());
  EXPECT_TRUE(file.tensors.empty());
  EXPECT_TRUE(other->weight.equal(raw));
  loaded.Swap();
  EXPECT_TRUE(other->weight.equal(layer->weight));
  EXPECT_EQ(ExitCode(loaded.Load(&file, "file")), 1);
}

TEST(MovingAverage, OfDecayZeroDoesNothing) {
  torch::nn::Linear layer(2, 3);
  const torch::Tensor before = layer->weight.clone();
  MovingAverage average(*layer, 0);
  average.Update(1);
  average.Swap();
  TensorFile file;
  average.AddState(&file);
  EXPECT_TRUE(file.tensors.empty());
  EXPECT_TRUE(layer->weight.equal(before));
}

}  // namespace
}  // namespace nmt
