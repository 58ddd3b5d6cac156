#include "nmt/models/output_layer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace nmt {
namespace {

void ExpectSame(const NextTokens& found, const NextTokens& expected) {
  ASSERT_EQ(found.count, expected.count);
  EXPECT_EQ(found.tokens, expected.tokens);
  for (size_t i = 0; i < expected.tokens.size(); ++i)
    EXPECT_NEAR(found.log_probabilities[i], expected.log_probabilities[i], 2e-5);
}

TEST(OutputLayer, FindsTheBestOfAllLogits) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(1);
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    for (const int64_t vocabulary : {20, 128, 1000, 9999}) {
      const OutputLayer output(torch::randn({vocabulary, 24}), torch::randn({vocabulary}));
      for (const int64_t rows : {1, 5, 70}) {
        const Tensor hidden = torch::randn({rows, 24});
        for (const int64_t count : {1, 5, 12}) {
          ExpectSame(output.Best(hidden, count, {0, 2}),
                     BestOf(output.LogProbabilities(hidden), count, {0, 2}));
        }
      }
    }
  }
}

// Log-probabilities by hand: logits 0, ln 2, ln 5, of which the last may not be taken but keeps its mass.
TEST(OutputLayer, ExcludedTokensKeepTheirMass) {
  const torch::NoGradGuard no_grad;
  const OutputLayer output(torch::zeros({3, 4}),
                           torch::tensor({0.0f, std::log(2.0f), std::log(5.0f)}));
  const NextTokens next = output.Best(torch::ones({1, 4}), 3, {2});
  EXPECT_EQ(next.tokens[0], 1);
  EXPECT_EQ(next.tokens[1], 0);
  EXPECT_NEAR(next.log_probabilities[0], std::log(2.0 / 8), 1e-6);
  EXPECT_NEAR(next.log_probabilities[1], std::log(1.0 / 8), 1e-6);
  EXPECT_EQ(next.log_probabilities[2], -INFINITY);
}

TEST(OutputLayer, TakesLogitsFarApart) {
  const torch::NoGradGuard no_grad;
  Tensor bias = torch::full({300}, -1000.0f);
  bias[257] = 2000.0f;
  const NextTokens next =
      OutputLayer(torch::zeros({300, 4}), bias).Best(torch::ones({2, 4}), 2, {});
  EXPECT_EQ(next.tokens[0], 257);
  EXPECT_EQ(next.log_probabilities[0], 0);
  EXPECT_EQ(next.log_probabilities[1], -3000);
}

TEST(OutputLayer, SaysWhenARowHoldsNan) {
  const torch::NoGradGuard no_grad;
  for (const float broken : {NAN, INFINITY}) {
    for (const int64_t place : {0, 299}) {
      Tensor bias = torch::zeros({300});
      bias[place] = broken;
      const OutputLayer output(torch::zeros({300, 4}), bias);
      EXPECT_THROW(output.Best(torch::ones({3, 4}), 2, {}), c10::Error);
    }
  }
}

}  // namespace
}  // namespace nmt
