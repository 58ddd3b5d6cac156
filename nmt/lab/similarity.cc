#include <torch/torch.h>

#include <cmath>

#include "nmt/attention/mask.h"
#include "nmt/attention/score.h"
#include "nmt/lab/experiments.h"
#include "nmt/lab/small_tensors.h"

namespace nmt {
namespace {

double Score(Tensor (*score)(const Tensor&, const Tensor&), const std::vector<double>& query,
             const std::vector<double>& key) {
  return Numbers(score(Rows({query}), Rows({key})))[0];
}

}  // namespace

void Similarity(const LabOptions& /*options*/, LabReport& report) {
  report.Say(
      "The dot product is large when two vectors have large entries at the same places, and 0 when "
      "they share none. So it serves as a measure of how alike a query and a key are:");
  const std::vector<double> query = {1, 0, 1}, alike = {1, 0, .9}, other = {0, 1, 0};
  report.Expect("(1, 0, 1) · (1, 0, 0.9)", 1.9, Score(DotScore, query, alike), 1e-12);
  report.Expect("(1, 0, 1) · (0, 1, 0)", 0, Score(DotScore, query, other), 1e-12);
  // 1.9 / (sqrt(2) sqrt(1.81))
  report.Expect("cosine of the first pair", .99861782933, Score(CosineScore, query, alike), 1e-10);
  report.Expect("cosine of the second pair", 0, Score(CosineScore, query, other), 1e-12);

  report.Say(
      "The two measures differ in what length does. Make the second key longer: its dot product "
      "grows with it, its cosine stays. Take `q = (1, 0)`, a key `(1, 0)` that points the same way "
      "and a key of length `c` at 60 degrees, whose cosine is one half:");
  LabTable table{.columns = {"c", "dot: same way", "dot: 60°", "weight of 60°", "cosine: same way",
                             "cosine: 60°", "weight of 60°"}};
  const double half_root3 = std::sqrt(3.0) / 2;
  ChartSeries dot{.name = "dot product", .markers = true},
      cosine{.name = "cosine", .markers = true};
  double dot_at_4 = 0, cosine_at_4 = 0, cosine_at_1 = 0;
  for (const double c : {0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0}) {
    const Tensor q = Rows({{1, 0}}), keys = Rows({{1, 0}, {c * .5, c * half_root3}});
    const Tensor dot_scores = DotScore(q, keys), cosine_scores = CosineScore(q, keys);
    const auto d = Numbers(dot_scores), dw = Numbers(MaskedSoftmax(dot_scores, {}));
    const auto k = Numbers(cosine_scores), kw = Numbers(MaskedSoftmax(cosine_scores, {}));
    table.rows.push_back({LabNumber(c), LabFixed(d[0], 2), LabFixed(d[1], 2), LabFixed(dw[1], 3),
                          LabFixed(k[0], 2), LabFixed(k[1], 2), LabFixed(kw[1], 3)});
    dot.x.push_back(c), dot.y.push_back(dw[1]);
    cosine.x.push_back(c), cosine.y.push_back(kw[1]);
    if (c == 1) cosine_at_1 = kw[1];
    if (c == 4) dot_at_4 = dw[1], cosine_at_4 = kw[1];
  }
  report.Show(table);
  // softmax of (1, 2) and of (1, 1/2).
  report.Expect("dot: weight of the key at 60°, c = 4", 1 / (1 + std::exp(-1.0)), dot_at_4, 1e-10);
  report.Expect("cosine: the same", 1 / (1 + std::exp(.5)), cosine_at_4, 1e-10);
  report.Expect("cosine: change from c = 1 to 4", 0, cosine_at_4 - cosine_at_1, 1e-12);
  report.Draw(
      {.name = "similarity",
       .caption = "A longer key takes the attention under the dot product, not under the cosine.",
       .charts = {{.title = "Weight of the key that points 60° away",
                   .x = {.label = "length c of that key", .min = 0},
                   .y = {.label = "attention weight", .min = 0, .max = 1},
                   .series = {dot, cosine},
                   .levels = {{"equal shares", .5}}}}});
  report.Say(
      "With the dot product a key can say by its length \"look at me whatever you ask\", which a "
      "trained model may use and a badly scaled one suffers from. The cosine cannot, and since it "
      "lies in [−1, 1] its softmax is nearly flat; the cosine score of the translators "
      "(`model.attention: cosine`) therefore multiplies it by a learned scale (Henry et al. 2020), "
      "which starts at 10 here.");
}

}  // namespace nmt
