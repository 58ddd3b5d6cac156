#include "nmt/models/transformer/positions.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace nmt {
namespace {

TEST(SinusoidalPositions, AreTheSinesAndCosinesOfThePaper) {
  const Tensor table = SinusoidalPositions_TD(0, 50, 6);
  for (const int64_t position : {0, 1, 7, 49}) {
    for (int64_t i = 0; i < 3; ++i) {
      const double angle =
          static_cast<double>(position) / std::pow(10000.0, 2.0 * static_cast<double>(i) / 6.0);
      EXPECT_NEAR(table[position][2 * i].item<double>(), std::sin(angle), 1e-6);
      EXPECT_NEAR(table[position][2 * i + 1].item<double>(), std::cos(angle), 1e-6);
    }
  }
}

TEST(PositionEncoding, GoesOnBeyondItsTableWhenSinusoidal) {
  PositionEncoding positions(ModelOptions{.hidden_size = 6, .max_positions = 8});
  EXPECT_TRUE(torch::allclose(positions.Forward(0, 20), SinusoidalPositions_TD(0, 20, 6)));
  EXPECT_TRUE(torch::allclose(positions.Forward(15, 1), SinusoidalPositions_TD(15, 1, 6)));
}

TEST(PositionEncoding, RefusesPositionsBeyondALearnedTable) {
  PositionEncoding positions(
      ModelOptions{.hidden_size = 6, .positions = Positions::kLearned, .max_positions = 8});
  EXPECT_EQ(positions.Forward(0, 8).size(0), 8);
  EXPECT_THROW(positions.Forward(8, 1), c10::Error);
}

}  // namespace
}  // namespace nmt
