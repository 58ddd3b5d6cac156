#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nmt/attention/score.h"
#include "nmt/base/progress.h"
#include "nmt/lab/cost.h"
#include "nmt/lab/experiments.h"
#include "nmt/lab/recall_task.h"

namespace nmt {
namespace {

constexpr int64_t kHeads = 8, kHeadSize = 64;

// n queries against n keys, 8 heads of 64.
void CompareCosts(torch::Device device, LabReport& report) {
  const std::string where = device.is_cuda() ? "CUDA" : "CPU";
  LabTable table{.columns = {"n (" + where + ")", "additive: ms", "dot: ms", "ratio",
                             "additive: MB", "dot: MB", "ratio"}};
  ChartSeries additive_time{.name = "additive", .markers = true},
      dot_time{.name = "scaled dot product", .markers = true};
  ChartSeries additive_memory = additive_time, dot_memory = dot_time;
  Cost additive, dot;
  const torch::NoGradGuard no_grad;
  int64_t n = 16;
  for (; n <= 256; n *= 2) {
    const auto on_device = torch::TensorOptions().device(device);
    const Tensor query = torch::randn({1, kHeads, n, kHeadSize}, on_device);
    const Tensor key = torch::randn({1, kHeads, n, kHeadSize}, on_device);
    const Tensor v = torch::randn({kHeads, kHeadSize}, on_device);
    additive = MeasureCost([&] { AdditiveScore(query, key, v); }, device);
    dot = MeasureCost([&] { ScaledDotScore(query, key); }, device);
    const double megabyte = 1e6;
    table.rows.push_back(
        {std::to_string(n), LabFixed(additive.seconds * 1e3, 3), LabFixed(dot.seconds * 1e3, 3),
         LabFixed(additive.seconds / dot.seconds, 1),
         LabFixed(static_cast<double>(additive.peak_bytes) / megabyte, 2),
         LabFixed(static_cast<double>(dot.peak_bytes) / megabyte, 2),
         LabFixed(static_cast<double>(additive.peak_bytes) / static_cast<double>(dot.peak_bytes),
                  1)});
    for (ChartSeries* series : {&additive_time, &dot_time, &additive_memory, &dot_memory})
      series->x.push_back(static_cast<double>(n));
    additive_time.y.push_back(additive.seconds * 1e3), dot_time.y.push_back(dot.seconds * 1e3);
    additive_memory.y.push_back(static_cast<double>(additive.peak_bytes) / megabyte);
    dot_memory.y.push_back(static_cast<double>(dot.peak_bytes) / megabyte);
  }
  n /= 2;
  report.Show(table);
  const int64_t products = kHeads * n * n * kHeadSize;
  report.ExpectCount(fmt::format("{}: multiply-adds of dot, n = {}", where, n), products,
                     dot.multiply_adds);
  report.ExpectCount("multiply-adds of additive (and as many tanh)", products,
                     additive.multiply_adds);
  report.ExpectAtLeast("time of additive over dot", 2, additive.seconds / dot.seconds);
  report.ExpectAtLeast(
      fmt::format("memory of additive over dot (it holds 2 × {} numbers a score)", kHeadSize),
      static_cast<double>(kHeadSize) / 2,
      static_cast<double>(additive.peak_bytes) / static_cast<double>(dot.peak_bytes));
  const ChartAxis length{.label = "n", .scale = AxisScale::kLog};
  report.Draw({.name = device.is_cuda() ? "additive-vs-dot-cuda" : "additive-vs-dot",
               .caption = "Time and memory of the scores of n queries and n keys, 8 heads of 64 (" +
                          where + ").",
               .charts = {{.title = "Time of the scores",
                           .x = length,
                           .y = {.label = "ms", .scale = AxisScale::kLog},
                           .series = {additive_time, dot_time}},
                          {.title = "Memory of the scores",
                           .x = length,
                           .y = {.label = "MB", .scale = AxisScale::kLog},
                           .series = {additive_memory, dot_memory}}}});
}

// Losses over the updates of one training run, all in all: what a slow start costs shows here.
double MeanLoss(const TrainingCurve& curve) {
  return std::accumulate(curve.loss.begin(), curve.loss.end(), 0.0) /
         static_cast<double>(curve.loss.size());
}

void CompareQuality(int64_t seed, LabReport& report) {
  constexpr int64_t kUpdates = 500;
  constexpr int64_t kSeeds = 3;
  report.Say(fmt::format(
      "**Quality.** Vaswani et al. (section 3.2.1) report that additive attention does better than "
      "the plain dot product as `d` grows, and divide by `sqrt(d)` to close the gap. The recall "
      "task with each of the three, `W_Q` and `W_K` drawn from N(0, 1) so that the scores start "
      "with the variance that the argument assumes; {} updates of 64 lists, means over {} seeds of "
      "the loss over the whole of training and of the right answers at its end:",
      kUpdates, kSeeds));
  const struct {
    std::string name;
    AttentionScore score;
  } scores[] = {{"additive", AttentionScore::kAdditive},
                {"scaled dot", AttentionScore::kScaledDot},
                {"unscaled dot", AttentionScore::kDot}};
  LabTable table{.columns = {"d"}};
  for (const auto& [name, score] : scores) {
    table.columns.push_back(name + ": loss");
    table.columns.push_back("right");
  }
  std::vector<ChartSeries> series;
  for (const auto& entry : scores) series.push_back({.name = entry.name, .markers = true});
  double additive_right = 0, scaled_right = 0, unscaled_loss = 0, scaled_loss = 0;
  for (const int64_t d : {4, 16, 64, 256}) {
    std::vector<std::string> row = {std::to_string(d)};
    for (size_t i = 0; i < std::size(scores); ++i) {
      std::vector<double> losses;
      double right = 0;
      for (int64_t s = 0; s < kSeeds; ++s) {
        torch::manual_seed(static_cast<uint64_t>(seed + s));
        RecallAttention network({.d = d, .score = scores[i].score, .unit_variance = true});
        torch::manual_seed(static_cast<uint64_t>(seed + 100 + s));  // the same lists for all
        const TrainingCurve curve = TrainOnRecall(
            network, [&](const RecallBatch& batch) { return network.Forward(batch).logits_BV; },
            {.updates = kUpdates, .batch_size = 64});
        losses.push_back(MeanLoss(curve));
        right += curve.test_accuracy / static_cast<double>(kSeeds);
      }
      const double loss =
          std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
      const auto [low, high] = std::minmax_element(losses.begin(), losses.end());
      series[i].x.push_back(static_cast<double>(d)), series[i].y.push_back(loss);
      series[i].low.push_back(*low), series[i].high.push_back(*high);
      row.push_back(LabFixed(loss, 3));
      row.push_back(LabFixed(right, 3));
      if (d != 256) continue;
      if (scores[i].score == AttentionScore::kAdditive) additive_right = right;
      if (scores[i].score == AttentionScore::kScaledDot) scaled_right = right, scaled_loss = loss;
      if (scores[i].score == AttentionScore::kDot) unscaled_loss = loss;
    }
    table.rows.push_back(row);
  }
  report.Show(table);
  report.ExpectAtLeast("additive, d = 256: right answers", .99, additive_right);
  report.ExpectAtLeast("scaled dot, d = 256: right answers", .99, scaled_right);
  report.ExpectAtLeast("d = 256: loss of unscaled over scaled dot", 1.5,
                       unscaled_loss / scaled_loss);
  report.Draw({.name = "additive-vs-dot-quality",
               .caption = "Mean loss over the first 500 updates, lowest and highest of three "
                          "seeds as a band. Without the division the softmax starts saturated, and "
                          "learning pays for it.",
               .charts = {{.title = "Recall: loss over all of training",
                           .x = {.label = "d", .scale = AxisScale::kLog},
                           .y = {.label = "mean loss (nats)", .min = 0},
                           .series = series}}});
}

}  // namespace

void AdditiveVersusDot(const LabOptions& options, LabReport& report) {
  report.Say(
      "Both scores need the same number of multiply-adds for the same shapes: `n²` pairs times `d` "
      "entries. But the dot product of all pairs is one matrix product, the best-tuned routine of "
      "any machine, while the additive score takes a tanh of each entry of each pair, and as "
      "written keeps them all in memory. Scores of `n` queries and `n` keys, 8 heads of 64:");
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  CompareCosts(torch::kCPU, report);
  if (torch::cuda::is_available()) {
    CompareCosts(torch::Device(torch::kCUDA), report);
  } else {
    report.Say("(No CUDA device here: the same measurement runs on one where there is.)");
  }
  CompareQuality(options.seed, report);
}

}  // namespace nmt
