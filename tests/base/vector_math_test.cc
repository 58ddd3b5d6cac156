#include "nmt/base/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nmt {
namespace {

double RelativeError(double found, double expected) {
  return expected == 0 ? std::abs(found) : std::abs(found / expected - 1);
}

TEST(FastExp, IsWithinTwoTenMillionthsOverTheWholeRange) {
  double worst = 0;
  for (double x = -87; x <= 88; x += .000917) {
    const auto argument = static_cast<float>(x);
    worst = std::max(worst, RelativeError(FastExp(argument), std::exp(double{argument})));
  }
  EXPECT_LT(worst, 2e-7);
}

TEST(FastExp, VanishesFarBelowAndStaysFiniteFarAbove) {
  EXPECT_EQ(FastExp(-88.f), 0);
  EXPECT_EQ(FastExp(-std::numeric_limits<float>::infinity()), 0);
  EXPECT_TRUE(std::isfinite(FastExp(1000.f)));
  EXPECT_EQ(FastExp(0.f), 1);
}

TEST(FastTanh, IsWithinFiveTenMillionthsAndOdd) {
  double worst = 0;
  for (double x = -20; x <= 20; x += .000113) {
    const auto argument = static_cast<float>(x);
    worst = std::max(worst, RelativeError(FastTanh(argument), std::tanh(double{argument})));
    EXPECT_EQ(FastTanh(-argument), -FastTanh(argument));
  }
  EXPECT_LT(worst, 5e-7);
  EXPECT_EQ(FastTanh(1e30f), 1);
  EXPECT_EQ(FastTanh(0.f), 0);
}

TEST(FastSigmoid, IsTheLogisticFunction) {
  for (const float x : {-30.f, -1.f, 0.f, .3f, 20.f})
    EXPECT_LT(RelativeError(FastSigmoid(x), 1 / (1 + std::exp(-double{x}))), 1e-6) << x;
}

TEST(VectorMath, KeepsNanVisible) {
  EXPECT_TRUE(std::isnan(FastTanh(std::nanf(""))));
  EXPECT_TRUE(std::isnan(FastExp(std::nanf(""))));
  EXPECT_TRUE(std::isnan(FloatOfBf16(Bf16OfFloat(std::nanf("")))));
}

TEST(Bf16, RoundsToTheNearestTiesToEven) {
  EXPECT_EQ(FloatOfBf16(Bf16OfFloat(1.f)), 1.f);
  EXPECT_EQ(FloatOfBf16(Bf16OfFloat(-3.5f)), -3.5f);
  const float step = std::ldexp(1.f, -7);  // of the numbers from 1 to 2
  EXPECT_EQ(FloatOfBf16(Bf16OfFloat(1 + .4f * step)), 1.f);
  EXPECT_EQ(FloatOfBf16(Bf16OfFloat(1 + .6f * step)), 1 + step);
  EXPECT_EQ(FloatOfBf16(Bf16OfFloat(1 + .5f * step)), 1.f);
  EXPECT_EQ(FloatOfBf16(Bf16OfFloat(1 + 1.5f * step)), 1 + 2 * step);
}

}  // namespace
}  // namespace nmt
