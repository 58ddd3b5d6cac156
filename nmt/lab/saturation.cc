#include <torch/torch.h>

#include <algorithm>

#include "nmt/attention/mask.h"
#include "nmt/attention/score.h"
#include "nmt/lab/experiments.h"
#include "nmt/lab/small_tensors.h"

namespace nmt {
namespace {

constexpr int64_t kQueries = 2000;
constexpr int64_t kKeys = 8;

// Of the largest weight a over the keys, averaged over the queries: a itself, and a (1 - a).
struct Saturated {
  double largest;
  double passed;
};
Saturated Measure(const Tensor& scores_N11S) {
  const Tensor largest_N = MaskedSoftmax(scores_N11S, {}).amax(-1).flatten().to(torch::kFloat64);
  return {largest_N.mean().item<double>(), (largest_N * (1 - largest_N)).mean().item<double>()};
}

void Jacobian(LabReport& report) {
  report.Say(
      "The derivative of the softmax says how much of a gradient reaches the scores. In closed "
      "form, and for the scores (1, 2, 3) by LibTorch's autograd through `MaskedSoftmax`:");
  report.Say("    ∂a_i / ∂e_j = a_i ([i = j] − a_j)          diag(a) − a aᵀ");
  const Tensor scores = Rows({{1, 2, 3}}).requires_grad_();
  const Tensor a = MaskedSoftmax(scores, {}).flatten();
  const Tensor closed = torch::diag(a.detach()) - torch::outer(a.detach(), a.detach());
  LabTable table{.columns = {"∂a_i/∂e_j", "j = 1", "j = 2", "j = 3"}};
  double difference = 0, last = 0;
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor row =
        torch::autograd::grad({a[i]}, {scores}, {}, /*retain_graph=*/true)[0].flatten();
    difference = std::max(difference, (row - closed[i]).abs().max().item<double>());
    last = row[2].item<double>();
    std::vector<std::string> cells = {"i = " + std::to_string(i + 1)};
    for (const std::string& cell : Cells(row, 4)) cells.push_back(cell);
    table.rows.push_back(cells);
  }
  report.Show(table);
  report.Expect("largest difference of the two", 0, difference, 1e-12);
  report.Expect("autograd's ∂a_3/∂e_3, by hand a_3 (1 − a_3)", .6652409558 * (1 - .6652409558),
                last, 1e-9);
}

}  // namespace

void Saturation(const LabOptions& options, LabReport& report) {
  Jacobian(report);
  report.Say(
      "On the diagonal stands `a (1 − a)`: nothing passes where a weight is near 0 or near 1. With "
      "8 keys and scores from random queries and keys, the largest weight goes to 1 as `d` grows, "
      "and less and less of the gradient passes (most at a = 1/2, hence the rise at first); "
      "divided by `sqrt(d)` both are, from d = 16 on, where 8 standard normal scores put them "
      "(means "
      "over 2,000 queries):");
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  const Saturated normal = Measure(torch::randn({kQueries, 1, 1, kKeys}));
  LabTable table{.columns = {"d", "largest weight", "a (1 − a)", "scaled: largest weight",
                             "scaled: a (1 − a)"}};
  ChartSeries unscaled{.name = "q·k", .markers = true}, scaled{.name = "q·k / √d", .markers = true};
  ChartSeries unscaled_passed = unscaled, scaled_passed = scaled;
  Saturated dot{}, divided{}, dot_at_16{};
  for (int64_t d = 1; d <= 1024; d *= 4) {
    const Tensor query = torch::randn({kQueries, 1, 1, d});
    const Tensor key = torch::randn({kQueries, 1, kKeys, d});
    dot = Measure(DotScore(query, key));
    divided = Measure(ScaledDotScore(query, key));
    if (d == 16) dot_at_16 = dot;
    table.rows.push_back({std::to_string(d), LabFixed(dot.largest, 3), LabFixed(dot.passed, 4),
                          LabFixed(divided.largest, 3), LabFixed(divided.passed, 4)});
    const auto size = static_cast<double>(d);
    for (ChartSeries* series : {&unscaled, &scaled, &unscaled_passed, &scaled_passed})
      series->x.push_back(size);
    unscaled.y.push_back(dot.largest), unscaled_passed.y.push_back(dot.passed);
    scaled.y.push_back(divided.largest), scaled_passed.y.push_back(divided.passed);
  }
  report.Show(table);
  // The standard error of the difference of two such means is .004.
  report.Expect("scaled, d = 1,024, against 8 normal scores", normal.largest, divided.largest, .02);
  report.ExpectAtLeast("unscaled, d = 1,024: largest weight", .95, dot.largest);
  report.ExpectAtMost("unscaled, d = 1,024: a (1 − a), share of the scaled one", .25,
                      dot.passed / divided.passed);
  report.ExpectAtLeast("unscaled: a (1 − a) shrinks from d = 16 to 1,024, factor", 3,
                       dot_at_16.passed / dot.passed);
  const ChartAxis size{.label = "d", .scale = AxisScale::kLog};
  report.Draw(
      {.name = "saturation",
       .caption =
           "Unscaled scores saturate the softmax as d grows, and pass ever less of the gradient.",
       .charts = {{.title = "Mean largest weight of 8 keys",
                   .x = size,
                   .y = {.label = "largest weight", .min = 0, .max = 1},
                   .series = {unscaled, scaled},
                   .levels = {{"8 normal scores", normal.largest}}},
                  {.title = "What the gradient passes",
                   .x = size,
                   .y = {.label = "a (1 − a)", .min = 0, .max = .25},
                   .series = {unscaled_passed, scaled_passed},
                   .levels = {{"8 normal scores", normal.passed}}}}});
}

}  // namespace nmt
