#include "nmt/attention/multi_head.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "nmt/base/progress.h"
#include "nmt/lab/cost.h"
#include "nmt/lab/experiments.h"
#include "nmt/models/seq2seq.h"

namespace nmt {

namespace {

constexpr int64_t kModel = 512, kHeads = 8;

// What one call holds at its peak: scores and weights of all heads, and six tensors [n d].
int64_t Bytes(int64_t n) { return 4 * (2 * kHeads * n * n + 6 * n * kModel); }

}  // namespace

void MultiHead(const LabOptions& options, LabReport& report) {
  report.Say(
      "Several heads look at once, each with projections of its own on `d_k = d/h` numbers, and "
      "`W_O` mixes what they found (Vaswani et al. 2017, section 3.2.2). With `d = 512` and `h = "
      "8`, `d_k = 64`, on sentences of `n` words:");
  report.Say(
      "    parameters     4 d² weights + 4 d biases         no n in it\n"
      "    multiply-adds  4 n d²  (W_Q, W_K, W_V, W_O)  +  2 n² d  (scores, weighted sums)\n"
      "    peak memory    2 h n² numbers (scores, weights)  +  6 n d  (queries, keys, values, "
      "sums)");
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  MultiHeadAttention attention({.model_size = kModel, .heads = kHeads});
  const torch::NoGradGuard no_grad;
  LabTable table{
      .columns = {"n", "parameters", "multiply-adds, counted", "4 n d² + 2 n² d", "ms", "peak MB"}};
  ChartSeries counted{.name = "counted", .markers = true},
      time{.name = "measured", .markers = true}, memory{.name = "measured", .markers = true};
  ChartSeries formula{.name = "4 n d² + 2 n² d", .dashed = true},
      kept{.name = "formula", .dashed = true};
  int64_t counted_at_1000 = 0, wrong = 0;
  double worst_memory = 0;
  for (const int64_t n : {125, 250, 500, 1000, 2000}) {
    const Tensor x_BTD = torch::randn({1, n, kModel});
    const Cost cost =
        MeasureCost([&] { attention.Forward(x_BTD, attention.ProjectMemory(x_BTD), {}, nullptr); },
                    torch::kCPU);
    const int64_t expected = 4 * n * kModel * kModel + 2 * n * n * kModel;
    if (cost.multiply_adds != expected) ++wrong;
    if (n == 1000) counted_at_1000 = cost.multiply_adds;
    table.rows.push_back({WithThousands(n), WithThousands(CountParameters(attention)),
                          WithThousands(cost.multiply_adds), WithThousands(expected),
                          LabFixed(cost.seconds * 1e3, 2),
                          LabFixed(static_cast<double>(cost.peak_bytes) / 1e6, 1)});
    for (ChartSeries* series : {&counted, &time, &memory, &formula, &kept})
      series->x.push_back(static_cast<double>(n));
    counted.y.push_back(static_cast<double>(cost.multiply_adds) / 1e6);
    formula.y.push_back(static_cast<double>(expected) / 1e6);
    time.y.push_back(cost.seconds * 1e3);
    memory.y.push_back(static_cast<double>(cost.peak_bytes) / 1e6);
    kept.y.push_back(static_cast<double>(Bytes(n)) / 1e6);
    worst_memory = std::max(worst_memory, std::abs(memory.y.back() / kept.y.back() - 1));
  }
  report.Show(table);
  report.ExpectCount("parameters, for every n", 4 * kModel * kModel + 4 * kModel,
                     CountParameters(attention));
  report.ExpectCount("multiply-adds at n = 1,000", 2072576000, counted_at_1000);
  report.ExpectCount("lengths whose count differs from the formula", 0, wrong);
  const auto last_three = [](const std::vector<double>& values) {
    return std::vector<double>(values.end() - 3, values.end());
  };
  const auto exponent = [&](const ChartSeries& series) {
    return FittedExponent(last_three(series.x), last_three(series.y));
  };
  report.Say(
      "The exponents of `n`, fitted over the last three lengths. At these lengths the "
      "multiply-adds "
      "are on their way from 1 (projections) to 2 (pairs); memory, which holds the pairs, is "
      "nearly there:");
  report.Expect("multiply-adds: exponent of the formula", exponent(formula), exponent(counted),
                1e-9);
  report.Expect("time: exponent", exponent(formula), exponent(time), .75);
  report.Expect("memory: exponent of the formula", exponent(kept), exponent(memory), .01);
  report.Expect("memory: largest share by which it differs from the formula", 0, worst_memory, .01);
  const ChartAxis length{.label = "words n", .scale = AxisScale::kLog};
  report.Draw({.name = "multi-head",
               .caption = "What a sentence of n words costs in multi-head attention (d = 512, 8 "
                          "heads), all axes logarithmic.",
               .charts = {{.title = "Multiply-adds",
                           .x = length,
                           .y = {.label = "millions", .scale = AxisScale::kLog},
                           .series = {counted, formula}},
                          {.title = "Time of one call",
                           .x = length,
                           .y = {.label = "ms", .scale = AxisScale::kLog},
                           .series = {time}},
                          {.title = "Peak memory of one call",
                           .x = length,
                           .y = {.label = "MB", .scale = AxisScale::kLog},
                           .series = {memory, kept}}}});
  report.Say(
      "In the code: `nmt/attention/multi_head.h`. The parameters know nothing of `n`, so one model "
      "reads sentences of every length; the time and memory of long ones grow with the square.");
}

}  // namespace nmt
