#include "nmt/training/adam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace nmt {
namespace {

class Parameters : public torch::nn::Module {
 public:
  Parameters() { value = register_parameter("value", torch::tensor({1.0f, -2.0f})); }
  void SetGradient(float a, float b) { value.mutable_grad() = torch::tensor({a, b}); }
  torch::Tensor value;
};

// The update of Kingma and Ba 2015, Algorithm 1, worked in double precision.
TEST(Adam, FollowsTheAlgorithmOfThePaper) {
  const TrainingOptions options{.adam_beta1 = 0.9, .adam_beta2 = 0.98};
  Parameters module;
  Adam adam(module, options);
  double p = 1, m = 0, v = 0;
  for (int step = 1; step <= 5; ++step) {
    const double g = 0.3 * step - 0.5;
    module.SetGradient(static_cast<float>(g), 0);
    adam.Step(/*learning_rate=*/0.01 * step);
    m = 0.9 * m + 0.1 * g;
    v = 0.98 * v + 0.02 * g * g;
    p -= 0.01 * step * (m / (1 - std::pow(0.9, step))) /
         (std::sqrt(v / (1 - std::pow(0.98, step))) + 1e-9);
    EXPECT_NEAR(module.value[0].item<double>(), p, 1e-6) << "step " << step;
  }
  EXPECT_EQ(module.value[1].item<float>(), -2);
}

TEST(AdamW, DecaysTheWeightsThemselves) {
  const TrainingOptions options{.optimizer = Optimizer::kAdamW, .weight_decay = 0.1};
  Parameters module;
  Adam adam(module, options);
  module.SetGradient(0, 0);
  adam.Step(/*learning_rate=*/0.5);
  EXPECT_NEAR(module.value[0].item<double>(), 1 - 0.5 * 0.1, 1e-6);
}

TEST(Adam, ClipsByTheNormOfAllGradients) {
  Parameters module;
  Adam adam(module, {});
  module.SetGradient(3, 4);
  EXPECT_NEAR(adam.ClipGradients(10), 5, 1e-6);
  EXPECT_EQ(module.value.grad()[0].item<float>(), 3);
  EXPECT_NEAR(adam.ClipGradients(1), 5, 1e-6);
  EXPECT_NEAR(module.value.grad().norm().item<double>(), 1, 1e-6);
}

TEST(Adam, GoesOnFromItsSavedState) {
  Parameters a, b;
  Adam first(a, {}), second(b, {});
  a.SetGradient(1, 2);
  first.Step(0.1);
  b.value.data().copy_(a.value);
  ASSERT_TRUE(second.Load(first.State(), "x").ok());
  for (Parameters* module : {&a, &b}) module->SetGradient(-1, 0.5);
  first.Step(0.1);
  second.Step(0.1);
  EXPECT_TRUE(a.value.equal(b.value));
  EXPECT_THAT(std::string(second.Load({}, "moments.safetensors").message()),
              testing::HasSubstr("moments.safetensors"));
}

}  // namespace
}  // namespace nmt
