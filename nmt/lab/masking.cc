#include <torch/torch.h>

#include "nmt/attention/mask.h"
#include "nmt/attention/score.h"
#include "nmt/lab/experiments.h"
#include "nmt/lab/small_tensors.h"

namespace nmt {
namespace {

const std::vector<std::string> kWords = {"the", "cat", "sleeps", "(pad)"};

void ShowRows(const Tensor& matrix_11TS, LabReport& report) {
  LabTable table{.columns = {""}};
  table.columns.insert(table.columns.end(), kWords.begin(), kWords.end());
  for (int64_t t = 0; t < matrix_11TS.size(2); ++t) {
    std::vector<std::string> row = {kWords[static_cast<size_t>(t)]};
    for (const std::string& cell : Cells(matrix_11TS[0][0][t], 3)) row.push_back(cell);
    table.rows.push_back(row);
  }
  report.Show(table);
}

double Largest(const Tensor& x) { return x.abs().max().item<double>(); }

// The largest weight that went where the mask says no.
double Leak(const Tensor& weights, const Tensor& mask) {
  return Largest(weights.masked_select(mask.logical_not().expand_as(weights)));
}

Heatmap Panel(const std::string& title, const Tensor& weights) {
  return {.title = title,
          .source_labels = kWords,
          .target_labels = kWords,
          .weights_TS = Floats(weights)};
}

}  // namespace

void Masking(const LabOptions& options, LabReport& report) {
  report.Say(
      "A mask says where a query may look. Here it is a tensor of booleans, true for yes, and "
      "masked scores take no part in the softmax:");
  report.Say("    a_s = m_s exp(e_s) / sum_r m_r exp(e_r)");
  report.Say(
      "Four words, the last of them padding, with random queries (rows) and keys (columns) of size "
      "8:");
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  const Tensor query = torch::randn({1, 1, 4, 8}, torch::kFloat64);
  const Tensor key = torch::randn({1, 1, 4, 8}, torch::kFloat64);
  const Tensor scores = ScaledDotScore(query, key);
  ShowRows(scores, report);

  report.Say(
      "**Padding.** A batch holds sentences of several lengths; the shorter ones are filled up, "
      "and nobody may look at the filling. `PaddingMask(lengths, 4)` with length 3:");
  const Tensor padding = PaddingMask(torch::tensor({3}), 4);
  const Tensor without_padding = MaskedSoftmax(scores, padding);
  ShowRows(without_padding, report);
  report.Expect("weight on padding", 0, Leak(without_padding, padding), 0);
  report.Expect("largest |sum of a row − 1|", 0, Largest(without_padding.sum(-1) - 1), 1e-12);
  const Tensor shorter = MaskedSoftmax(scores.narrow(3, 0, 3), {});
  report.Expect("difference from the sentence without padding", 0,
                Largest(without_padding.narrow(3, 0, 3) - shorter), 1e-12);

  report.Say(
      "**Causal.** A decoder that is trained on all positions of a sentence at once must not see "
      "the word that it is to predict. Its input is the target moved by one place, so that at word "
      "t "
      "it predicts word t + 1: with `CausalMask(4)` each word sees itself and what came before:");
  const Tensor causal = CausalMask(4, torch::kCPU);
  const Tensor past = MaskedSoftmax(scores, causal);
  ShowRows(past, report);
  report.Expect("weight on the future", 0, Leak(past, causal), 0);
  report.Expect("the first word sees only itself", 1, past[0][0][0][0].item<double>(), 1e-12);
  const Tensor changed = torch::cat({key.narrow(2, 0, 3), key.narrow(2, 3, 1) + 100}, 2);
  const Tensor after = MaskedSoftmax(ScaledDotScore(query, changed), causal);
  report.Expect("another last key: change of the first three rows", 0,
                Largest((after - past).narrow(2, 0, 3)), 0);

  report.Say("**Both.** `And(padding, causal)`: true where both are.");
  const Tensor both = And(padding, causal);
  const Tensor both_weights = MaskedSoftmax(scores, both);
  ShowRows(both_weights, report);
  report.Expect("weight where either says no", 0, Leak(both_weights, both), 0);

  report.Say(
      "**Nothing to look at.** A row that may look nowhere, such as an empty sentence in a batch, "
      "would be 0/0. The convention is a row of zeros, in values and in gradients, so that its "
      "neighbours in the batch stay as they are:");
  const Tensor free_scores = scores.clone().requires_grad_();
  const Tensor nothing = MaskedSoftmax(free_scores, PaddingMask(torch::tensor({0}), 4));
  nothing.square().sum().backward();
  report.Expect("largest weight", 0, Largest(nothing), 0);
  report.Expect("largest gradient", 0, Largest(free_scores.grad()), 0);
  report.ExpectCount("values that are not finite", 0,
                     nothing.isfinite()
                         .logical_and(free_scores.grad().isfinite())
                         .logical_not()
                         .sum()
                         .item<int64_t>());
  report.Draw(
      {.name = "masking",
       .caption = "The same scores under no mask, the padding mask, the causal mask, and "
                  "both: masked cells are exactly 0.",
       .heatmaps = {Panel("no mask", MaskedSoftmax(scores, {})), Panel("padding", without_padding),
                    Panel("causal", past), Panel("both", both_weights)}});
}

}  // namespace nmt
