#include <torch/torch.h>

#include <cmath>

#include "nmt/attention/mask.h"
#include "nmt/attention/score.h"
#include "nmt/lab/experiments.h"
#include "nmt/lab/small_tensors.h"

namespace nmt {
namespace {

const std::vector<std::string> kKeys = {"(1, 0)", "(0, 1)", "(−1, 0)"};

Tensor ScaledDotProduct(LabReport& report) {
  report.Say(
      "A query `q` asks, keys `k` answer how well they fit, values `v` are what is fetched. "
      "Scaled dot-product attention (Vaswani et al. 2017, section 3.2.1) in three steps:");
  report.Say(
      "    e_s = q · k_s / sqrt(d)          how well key s fits the query\n"
      "    a_s = exp(e_s) / sum_r exp(e_r)  its share of the attention\n"
      "    c   = sum_s a_s v_s              the weighted mean of the values");
  report.Say("With `d = 2`, `q = (2, 1)`, and the values 10, 20 and 30:");
  const Tensor query = Rows({{2, 1}}), key = Rows({{1, 0}, {0, 1}, {-1, 0}}),
               value = Rows({{10}, {20}, {30}});
  const Tensor products = DotScore(query, key), scores = ScaledDotScore(query, key);
  const Tensor weights = MaskedSoftmax(scores, /*mask=*/{});
  const Tensor context = Attend(weights, value);

  const auto product = Numbers(products), score = Numbers(scores), weight = Numbers(weights),
             v = Numbers(value);
  LabTable steps{.columns = {"key", "q · k", "/ √2", "exp", "weight", "value", "weight × value"}};
  for (size_t s = 0; s < kKeys.size(); ++s) {
    steps.rows.push_back({kKeys[s], LabFixed(product[s], 0), LabFixed(score[s], 4),
                          LabFixed(std::exp(score[s]), 4), LabFixed(weight[s], 4),
                          LabFixed(v[s], 0), LabFixed(weight[s] * v[s], 4)});
  }
  report.Show(steps);
  report.Expect("weight of key (1, 0)", .644, weight[0], 5e-4);
  report.Expect("weight of key (0, 1)", .318, weight[1], 5e-4);
  report.Expect("weight of key (−1, 0)", .038, weight[2], 5e-4);
  report.Expect("sum of the weights", 1, weight[0] + weight[1] + weight[2], 1e-12);
  report.Expect("result", 13.94, Numbers(context)[0], 5e-3);
  return weights;
}

Tensor Additive(LabReport& report) {
  report.Say(
      "Additive attention (Bahdanau et al. 2015, appendix A.1.2) scores with a small network; the "
      "other two steps are the same:");
  report.Say("    e_j = v^T tanh(W s + U h_j)");
  report.Say(
      "With `v = (1, −1)`, `W s = (0.5, −0.5)` and `U h` = (0, 0), (1, 0), (0, 1). The middle one "
      "pushes the first unit up, which `v` likes; the last pushes the second up, which it does "
      "not:");
  const Tensor sum = Rows({{.5, -.5}, {1.5, -.5}, {.5, .5}});
  const Tensor scores = AdditiveScore(Rows({{.5, -.5}}), Rows({{0, 0}, {1, 0}, {0, 1}}),
                                      torch::tensor({{1.0, -1.0}}, torch::kFloat64));
  const Tensor weights = MaskedSoftmax(scores, /*mask=*/{});
  const std::vector<std::string> states = {"(0, 0)", "(1, 0)", "(0, 1)"};
  LabTable steps{.columns = {"U h", "W s + U h", "tanh", "e", "weight"}};
  const auto e = Numbers(scores), a = Numbers(weights);
  for (int64_t j = 0; j < 3; ++j) {
    const Tensor row = sum[0][0][j];
    const auto in = Cells(row, 1), out = Cells(row.tanh(), 4);
    const auto i = static_cast<size_t>(j);
    steps.rows.push_back({states[i], "(" + in[0] + ", " + in[1] + ")",
                          "(" + out[0] + ", " + out[1] + ")", LabFixed(e[i], 4),
                          LabFixed(a[i], 4)});
  }
  report.Show(steps);
  const double expected_e[] = {.9242343145, 1.3672654109, 0};
  const double expected_a[] = {.3384947099, .5271786898, .1343266003};
  for (size_t j = 0; j < 3; ++j) {
    report.Expect("score of " + states[j], expected_e[j], e[j], 1e-10);
  }
  for (size_t j = 0; j < 3; ++j) {
    report.Expect("weight of " + states[j], expected_a[j], a[j], 1e-10);
  }
  return weights;
}

}  // namespace

void WorkedExample(const LabOptions& /*options*/, LabReport& report) {
  const Tensor dot = ScaledDotProduct(report), additive = Additive(report);
  const auto panel = [](const std::string& title, const std::vector<std::string>& keys,
                        const Tensor& weights) {
    return Heatmap{.title = title,
                   .source_labels = keys,
                   .target_labels = {"query"},
                   .weights_TS = Floats(weights)};
  };
  report.Draw(
      {.name = "worked-example",
       .caption = "The weights of both examples: one row, which sums to 1.",
       .heatmaps = {panel("scaled dot product: keys k", kKeys, dot),
                    panel("additive: keys U h", {"(0, 0)", "(1, 0)", "(0, 1)"}, additive)}});
  report.Say(
      "Both scores are one function each in `nmt/attention/score.h`; the softmax is "
      "`MaskedSoftmax` in `nmt/attention/mask.h`. The lines above called the functions that train "
      "and translate.");
}

}  // namespace nmt
