#include "nmt/lab/cost.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/attention/score.h"

namespace nmt {
namespace {

const torch::Device kCpu(torch::kCPU);

TEST(MeasureCost, CountsTheMultiplyAddsOfEveryKindOfProduct) {
  const torch::NoGradGuard no_grad;
  const Tensor a = torch::randn({3, 4}), b = torch::randn({4, 5}), x = torch::randn({4});
  const auto count = [](const std::function<void()>& work) {
    return MeasureCost(work, kCpu, /*seconds=*/0).multiply_adds;
  };
  EXPECT_EQ(count([&] { torch::mm(a, b); }), 3 * 4 * 5);
  EXPECT_EQ(count([&] { torch::mv(a, x); }), 3 * 4);
  EXPECT_EQ(count([&] { torch::dot(x, x); }), 4);
  EXPECT_EQ(count([&] { torch::addmm(torch::zeros({5}), a, b); }), 3 * 4 * 5);
  EXPECT_EQ(count([&] {
              torch::matmul(torch::randn({2, 7, 3, 4}), torch::randn({2, 7, 4, 5}));
            }),
            2 * 7 * 3 * 4 * 5);
  EXPECT_EQ(count([&] {
              torch::nn::functional::linear(torch::randn({2, 3, 4}), b.t());
            }),
            2 * 3 * 4 * 5);
  EXPECT_EQ(count([&] { a + a; }), 0);
}

TEST(MeasureCost, SeesTheMostMemoryHeldAtATime) {
  const auto peak = [](const std::function<void()>& work) {
    return MeasureCost(work, kCpu, /*seconds=*/0).peak_bytes;
  };
  EXPECT_EQ(peak([] { torch::empty({1000}); }), 4000);
  // One after the other, and both at once.
  EXPECT_EQ(peak([] {
              torch::empty({1000});
              torch::empty({500});
            }),
            4000);
  EXPECT_EQ(peak([] {
              const Tensor first = torch::empty({1000});
              torch::empty({500});
            }),
            6000);
}

TEST(MeasureCost, DoesNotSeeWhatWasThereBefore) {
  Tensor held = torch::empty({1000000});
  EXPECT_EQ(MeasureCost([&] { held = torch::empty({100}); }, kCpu, /*seconds=*/0).peak_bytes, 400);
}

TEST(FittedExponent, FindsThePower) {
  EXPECT_NEAR(FittedExponent({1, 2, 4, 8}, {3, 12, 48, 192}), 2, 1e-12);
  EXPECT_NEAR(FittedExponent({10, 100}, {5, 5}), 0, 1e-12);
}

}  // namespace
}  // namespace nmt
