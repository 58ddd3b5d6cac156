#include "nmt/attention/precision.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace nmt {
namespace {

TEST(PrecisionScope, RunsProductsInBf16AndNothingElse) {
  const torch::Tensor x = torch::randn({3, 4}), weight = torch::randn({5, 4}).requires_grad_();
  EXPECT_EQ(ProductType(x), torch::kFloat32);
  torch::Tensor y;
  {
    const PrecisionScope scope(Precision::kBf16, torch::kCPU);
    EXPECT_EQ(ProductType(x), torch::kBFloat16);
    y = torch::nn::functional::linear(x, weight);
    EXPECT_EQ(y.scalar_type(), torch::kBFloat16);
    EXPECT_EQ((x + x).scalar_type(), torch::kFloat32);
  }
  EXPECT_EQ(ProductType(x), torch::kFloat32);
  EXPECT_EQ(torch::nn::functional::linear(x, weight).scalar_type(), torch::kFloat32);
  y.sum().backward();
  EXPECT_EQ(weight.grad().scalar_type(), torch::kFloat32);
}

TEST(PrecisionScope, OfFp32LeavesEverythingAsItIs) {
  const PrecisionScope scope(Precision::kFp32, torch::kCPU);
  EXPECT_EQ(ProductType(torch::ones({1}, torch::kFloat64)), torch::kFloat64);
}

}  // namespace
}  // namespace nmt
