#include <torch/torch.h>

#include <cmath>

#include "nmt/attention/mask.h"
#include "nmt/attention/score.h"
#include "nmt/lab/experiments.h"
#include "nmt/lab/small_tensors.h"

namespace nmt {
namespace {

// The scores of `pairs` random queries with a key each: both ~ N(0, 1) in every entry.
struct PairScores {
  Tensor dot_N;
  Tensor scaled_N;
};
PairScores RandomPairs(int64_t pairs, int64_t d) {
  // A pair is a sentence with one query and one key.
  const Tensor query_N11K = torch::randn({pairs, d}).view({pairs, 1, 1, d});
  const Tensor key_N11K = torch::randn({pairs, d}).view({pairs, 1, 1, d});
  return {DotScore(query_N11K, key_N11K).flatten(), ScaledDotScore(query_N11K, key_N11K).flatten()};
}

// A tutorial's listing, draw by draw: what it built before it drew its queries moves the generator
// on.
void TutorialFigures(LabReport& report) {
  report.Say(
      "The figures of a well-known exercise: 2,000 pairs after `manual_seed(42)` and the draws of "
      "an `Embedding(20, 4)`, a `randn(1, 3, 4)` and three `Linear(4, 4)` without bias. LibTorch "
      "gives them to the printed digit:");
  torch::manual_seed(42);
  const torch::nn::Embedding embedding(20, 4);
  torch::randn({1, 3, 4});
  for (int i = 0; i < 3; ++i) torch::nn::Linear(torch::nn::LinearOptions(4, 4).bias(false));
  const struct {
    int64_t d;
    double deviation;
  } expected[] = {{4, 2.02}, {64, 8.11}, {512, 22.90}};
  for (const auto& [d, deviation] : expected) {
    const PairScores scores = RandomPairs(2000, d);
    report.Expect("deviation of q·k, d = " + std::to_string(d), deviation,
                  scores.dot_N.std().item<double>(), .005);
    report.Expect("the same divided by √d", 1.01, scores.scaled_N.std().item<double>(), .005);
  }
}

void SoftmaxOfLargeScores(LabReport& report) {
  report.Say(
      "Why that matters: softmax turns differences of scores into ratios of weights. Scores that "
      "grow with `sqrt(d)` leave all of the attention to one key:");
  const struct {
    double largest;
    double first, others;
  } expected[] = {{1, .5761, .2119}, {10, .9999, 0}, {50, 1.0, 0}};
  for (const auto& [largest, first, others] : expected) {
    const auto weights = Numbers(MaskedSoftmax(Rows({{largest, 0, 0}}), {}));
    const std::string scores = "softmax of (" + LabNumber(largest) + ", 0, 0): ";
    report.Expect(scores + "first", first, weights[0], 5e-5);
    report.Expect(scores + "others", others, weights[1], 5e-5);
  }
}

void VarianceGrowsLinearly(int64_t seed, LabReport& report) {
  report.Say(
      "Products of independent entries with mean 0 and variance 1 have mean 0 and variance 1; "
      "`q·k` adds up `d` of them, so its variance is `d`. Measured over 20,000 pairs, with four "
      "standard errors of a variance, `sqrt((2 d² + 6 d) / N)`, as the tolerance:");
  torch::manual_seed(static_cast<uint64_t>(seed));
  constexpr int64_t kPairs = 20000;
  ChartSeries dot{.name = "q·k", .markers = true}, root{.name = "√d", .dashed = true},
      scaled{.name = "q·k / √d", .markers = true};
  ChartSeries share{.name = "measured, ± 4 standard errors", .markers = true};
  for (int64_t d = 1; d <= 1024; d *= 2) {
    const PairScores scores = RandomPairs(kPairs, d);
    const double variance = scores.dot_N.var().item<double>();
    const auto size = static_cast<double>(d);
    const double error = std::sqrt((2 * size * size + 6 * size) / static_cast<double>(kPairs));
    const double tolerance = 4 * error;
    report.Expect("variance of q·k, d = " + std::to_string(d), size, variance, tolerance);
    dot.x.push_back(size), dot.y.push_back(std::sqrt(variance));
    share.x.push_back(size), share.y.push_back(variance / size);
    share.low.push_back((variance - 4 * error) / size);
    share.high.push_back((variance + 4 * error) / size);
    root.x.push_back(size), root.y.push_back(std::sqrt(size));
    scaled.x.push_back(size), scaled.y.push_back(scores.scaled_N.std().item<double>());
  }
  report.Draw({.name = "scaling",
               .caption =
                   "Left: the deviation of the scores grows with √d (dashed: theory) and stays "
                   "at 1 once divided by it. Right: the confidence interval of each measured "
                   "variance holds d.",
               .charts = {{.title = "Standard deviation of the scores",
                           .x = {.label = "d", .scale = AxisScale::kLog},
                           .y = {.label = "standard deviation", .scale = AxisScale::kLog},
                           .series = {dot, root, scaled}},
                          {.title = "Variance of q·k, divided by d",
                           .x = {.label = "d", .scale = AxisScale::kLog},
                           .y = {.label = "variance / d", .min = .8, .max = 1.2},
                           .series = {share},
                           .levels = {{"theory", 1}}}}});
}

}  // namespace

void Scaling(const LabOptions& options, LabReport& report) {
  report.Say(
      "Dot products grow with the size of the vectors. Vaswani et al. (2017, section 3.2.1 and "
      "footnote 4) divide them by `sqrt(d)`, which keeps their variance at 1 for every size.");
  TutorialFigures(report);
  SoftmaxOfLargeScores(report);
  VarianceGrowsLinearly(options.seed, report);
  report.Say(
      "In the code: `ScaledDotScore`. `model.attention: dot` trains a translator without the "
      "division.");
}

}  // namespace nmt
