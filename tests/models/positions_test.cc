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
      EXPECT_NEAR(table[position][2 * i].item<double>(), std::sin(angle), 1e-13);
      EXPECT_NEAR(table[position][2 * i + 1].item<double>(), std::cos(angle), 1e-13);
    }
  }
}

TEST(PositionEncoding, GoesOnBeyondItsTableWhenSinusoidal) {
  PositionEncoding positions(ModelOptions{.hidden_size = 6, .max_positions = 8});
  const Tensor table_PD = SinusoidalPositions_TD(0, 20, 6);
  EXPECT_TRUE(positions.Forward(0, 8, torch::kFloat64).equal(table_PD.narrow(0, 0, 8)));
  EXPECT_TRUE(positions.Forward(0, 20, torch::kFloat64).equal(table_PD));
  EXPECT_TRUE(positions.Forward(15, 1, torch::kFloat64).equal(table_PD.narrow(0, 15, 1)));
}

TEST(PositionEncoding, HasTheNumbersOfTheEmbeddings) {
  const PositionEncoding positions(ModelOptions{.hidden_size = 6, .max_positions = 8});
  for (const int64_t count : {8, 20}) {  // from the table and beyond
    EXPECT_TRUE(positions.Forward(0, count, torch::kFloat32)
                    .equal(SinusoidalPositions_TD(0, count, 6).to(torch::kFloat32)));
  }
}

TEST(PositionEncoding, RefusesPositionsBeyondALearnedTable) {
  PositionEncoding positions(
      ModelOptions{.hidden_size = 6, .positions = Positions::kLearned, .max_positions = 8});
  EXPECT_EQ(positions.Forward(0, 8, torch::kFloat32).size(0), 8);
  EXPECT_THROW(positions.Forward(8, 1, torch::kFloat32), c10::Error);
}

}  // namespace
}  // namespace nmt
