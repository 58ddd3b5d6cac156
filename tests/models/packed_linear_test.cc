#include "nmt/models/packed_linear.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace nmt {
namespace {

// Any number of rows, inputs and outputs, around the sizes of blocks and panels.
TEST(PackedLinear, GivesWhatLinearGives) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(1);
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    for (const int64_t inputs : {1, 7, 128, 512}) {
      for (const int64_t outputs : {1, 127, 128, 300}) {
        const Tensor weight = torch::randn({outputs, inputs}), bias = torch::randn({outputs});
        const PackedLinear with_bias(weight, bias, InferencePrecision::kFp32),
            without_bias(weight, {}, InferencePrecision::kFp32);
        for (const int64_t rows : {1, 3, 5, 11, 31, 32, 33, 77}) {
          const Tensor x = torch::randn({rows, inputs});
          const Tensor expected = torch::nn::functional::linear(x, weight, bias);
          EXPECT_TRUE(torch::allclose(with_bias.Forward(x), expected, 1e-4, 1e-4))
              << rows << " x " << inputs << " x " << outputs;
          EXPECT_TRUE(torch::allclose(without_bias.Forward(x), expected - bias, 1e-4, 1e-4));
        }
      }
    }
  }
}

TEST(PackedLinear, AddsToWhatIsThere) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(2);
  constexpr int64_t kRows = 37;
  const Tensor weight = torch::randn({140, 20}), bias = torch::randn({140});
  const Tensor x = torch::randn({kRows, 20}), y = torch::randn({kRows, 140});
  const Tensor expected = y + torch::nn::functional::linear(x, weight, bias);
  PackedLinear(weight, bias, InferencePrecision::kFp32)
      .Forward(kRows, x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), /*add=*/true);
  EXPECT_TRUE(torch::allclose(y, expected, 1e-4, 1e-4));
}

// bf16 keeps 8 bits of each factor, int8 7 and a sign of the largest one.
TEST(PackedLinear, RoundsAsThePrecisionSays) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(3);
  for (const int64_t inputs : {1, 6, 130}) {
    const Tensor weight = torch::randn({200, inputs}), bias = torch::randn({200});
    const Tensor x = torch::randn({53, inputs});
    const Tensor expected = torch::nn::functional::linear(x, weight, bias);
    const auto rounded = [](const Tensor& t) { return t.to(torch::kBFloat16).to(torch::kFloat32); };
    const Tensor bf16 = PackedLinear(weight, bias, InferencePrecision::kBf16).Forward(x);
    EXPECT_TRUE(torch::allclose(
        bf16, torch::nn::functional::linear(rounded(x), rounded(weight), bias), 1e-4, 1e-4));
    const auto steps = [](const Tensor& t) {
      const Tensor scale = t.abs().amax(1, /*keepdim=*/true) / 127;
      return (t / scale).round() * scale;
    };
    const Tensor int8 = PackedLinear(weight, bias, InferencePrecision::kInt8).Forward(x);
    EXPECT_LT(
        (int8 - torch::nn::functional::linear(steps(x), steps(weight), bias)).norm().item<double>(),
        0.002 * expected.norm().item<double>());
    const double size = expected.norm().item<double>();
    EXPECT_LT((bf16 - expected).norm().item<double>(), 0.005 * size);
    EXPECT_LT((int8 - expected).norm().item<double>(), 0.02 * size);
  }
}

TEST(PackedLinear, NanStaysNan) {
  const torch::NoGradGuard no_grad;
  for (const auto precision :
       {InferencePrecision::kFp32, InferencePrecision::kBf16, InferencePrecision::kInt8}) {
    const PackedLinear linear(torch::ones({3, 20}), {}, precision);
    Tensor x = torch::ones({2, 20});
    x[1][7] = std::nanf("");
    const Tensor y = linear.Forward(x);
    EXPECT_TRUE(y[0].isfinite().all().item<bool>());
    EXPECT_TRUE(y[1].isnan().all().item<bool>());
  }
}

TEST(PackedLinear, RowsOfZerosGiveTheBias) {
  const torch::NoGradGuard no_grad;
  const Tensor bias = torch::randn({70});
  for (const auto precision :
       {InferencePrecision::kFp32, InferencePrecision::kBf16, InferencePrecision::kInt8}) {
    EXPECT_TRUE(PackedLinear(torch::zeros({70, 5}), bias, precision)
                    .Forward(torch::zeros({2, 5}))
                    .equal(bias.expand({2, 70})));
  }
}

// The processor's instructions against plain arithmetic, for every number of rows of a tile.
TEST(PanelProduct, GivesWhatPlainArithmeticGives) {
  torch::manual_seed(4);
  for (int64_t rows = 1; rows <= 13; ++rows) {
    for (const int64_t chunks : {1, 3, 40}) {
      const Tensor bytes_x = torch::randint(0, 256, {rows * chunks * 4}, torch::kUInt8),
                   bytes_w = torch::randint(0, 256, {chunks * kPanelColumns * 4}, torch::kUInt8);
      const Tensor bf16_x = torch::randn({rows * chunks * 2}).to(torch::kBFloat16),
                   bf16_w = torch::randn({chunks * kPanelColumns * 2}).to(torch::kBFloat16);
      const Tensor x = torch::randn({rows * chunks}), w = torch::randn({chunks * kPanelColumns});
      const auto product = [&](const Tensor& one, const Tensor& other) {
        return PanelProduct{rows, chunks, static_cast<const uint32_t*>(one.const_data_ptr()),
                            static_cast<const uint32_t*>(other.const_data_ptr())};
      };
      std::vector<int32_t> found(static_cast<size_t>(rows * kPanelColumns)), expected = found;
      MultiplyInt8(product(bytes_x, bytes_w), found.data());
      MultiplyInt8Plain(product(bytes_x, bytes_w), expected.data());
      EXPECT_EQ(found, expected);
      std::vector<float> sums(found.size()), plain(found.size());
      MultiplyFp32(product(x, w), sums.data());
      MultiplyFp32Plain(product(x, w), plain.data());
      for (size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], plain[i], 1e-4);
      MultiplyBf16(product(bf16_x, bf16_w), sums.data());
      MultiplyBf16Plain(product(bf16_x, bf16_w), plain.data());
      for (size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], plain[i], 1e-3);
    }
  }
}

}  // namespace
}  // namespace nmt
