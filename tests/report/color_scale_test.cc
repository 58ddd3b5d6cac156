#include "nmt/report/color_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nmt {
namespace {

double CieLightness(Color color) { return 116 * std::cbrt(Luminance(color)) - 16; }

TEST(ColorScale, ZeroIsPaperWhiteAndOneIsNearlyBlack) {
  EXPECT_EQ(HexOf(ColorOfWeight(0)), "#ffffff");
  EXPECT_LT(CieLightness(ColorOfWeight(1)), 17);
}

TEST(ColorScale, EqualStepsOfWeightAreEqualStepsOfLightness) {
  for (int i = 0; i < 20; ++i) {
    const double step =
        CieLightness(ColorOfWeight(i / 20.0)) - CieLightness(ColorOfWeight((i + 1) / 20.0));
    EXPECT_NEAR(step, 4.2, 0.5) << "from " << i / 20.0;
  }
}

TEST(ColorScale, EveryColorIsABlue) {
  for (int i = 1; i <= 20; ++i) {
    const Color color = ColorOfWeight(i / 20.0);
    EXPECT_GT(color.blue, color.green);
    EXPECT_GT(color.green, color.red);
  }
}

TEST(ColorScale, WeightsBeyondTheEndsTakeTheColorOfTheEnd) {
  EXPECT_EQ(ColorOfWeight(-3), ColorOfWeight(0));
  EXPECT_EQ(ColorOfWeight(1.0005), ColorOfWeight(1));
}

// W3C, Web Content Accessibility Guidelines 2.1, success criterion 1.4.3: 4.5 to 1.
TEST(ColorScale, TextIsReadableOnEveryColor) {
  for (int i = 0; i <= 100; ++i) {
    const Color ground = ColorOfWeight(i / 100.0);
    const double a = Luminance(ground) + 0.05;
    const double b = Luminance(ReadableOn(ground)) + 0.05;
    EXPECT_GE(std::max(a, b) / std::min(a, b), 4.5) << i;
  }
}

// The luminance of sRGB #808080 is 0.2159 (IEC 61966-2-1).
TEST(ColorScale, LuminanceFollowsTheStandardsCurve) {
  EXPECT_DOUBLE_EQ(Luminance({255, 255, 255}), 1);
  EXPECT_DOUBLE_EQ(Luminance({0, 0, 0}), 0);
  EXPECT_NEAR(Luminance({128, 128, 128}), 0.2159, 1e-4);
}

}  // namespace
}  // namespace nmt
