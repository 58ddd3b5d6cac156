#include <torch/torch.h>

#include <cmath>

#include "nmt/attention/mask.h"
#include "nmt/attention/multi_head.h"
#include "nmt/attention/score.h"
#include "nmt/lab/experiments.h"
#include "nmt/lab/small_tensors.h"
#include "nmt/models/transformer/positions.h"

namespace nmt {
namespace {

// Self-attention without projections: every vector is query, key and value.
struct SelfAttention {
  Tensor weights;
  Tensor output;
};
SelfAttention AttendToItself(const Tensor& words) {
  const Tensor weights = MaskedSoftmax(ScaledDotScore(words, words), {});
  return {weights, Attend(weights, words)};
}

std::string Vector(const Tensor& row) {
  const auto cells = Cells(row, 2);
  return "(" + cells[0] + ", " + cells[1] + ")";
}

void AnAmbiguousWord(LabReport& report) {
  report.Say(
      "In self-attention every word asks every word of its own sentence (Vaswani et al. 2017, "
      "section 3.2.3). Give each word two numbers, how much it has to do with *water* and how much "
      "with *money*: `river = (2, 0)`, `cash = (0, 2)`, and `bank = (1, 1)`, which could be "
      "either. The vector of `bank` goes in the same and comes out different:");
  const Tensor river_bank = Rows({{2, 0}, {1, 1}}), cash_bank = Rows({{0, 2}, {1, 1}});
  const SelfAttention river = AttendToItself(river_bank), cash = AttendToItself(cash_bank);
  const Tensor by_river = river.output[0][0][1], by_cash = cash.output[0][0][1];
  report.Show({.columns = {"sentence", "bank going in", "weights of bank", "bank coming out"},
               .rows = {{"river bank", Vector(river_bank[0][0][1]), Vector(river.weights[0][0][1]),
                         Vector(by_river)},
                        {"cash bank", Vector(cash_bank[0][0][1]), Vector(cash.weights[0][0][1]),
                         Vector(by_cash)}}});
  // bank · river = bank · bank = 2: equal weights, the mean of the two vectors.
  report.Expect("river bank: water of bank", 1.5, by_river[0].item<double>(), 1e-12);
  report.Expect("river bank: money of bank", .5, by_river[1].item<double>(), 1e-12);
  report.Expect("cash bank: water of bank", .5, by_cash[0].item<double>(), 1e-12);
  report.Expect("cash bank: money of bank", 1.5, by_cash[1].item<double>(), 1e-12);
  report.Expect("cosine of the two vectors of bank", .6,
                torch::dot(by_river, by_cash).item<double>() /
                    (by_river.norm() * by_cash.norm()).item<double>(),
                1e-12);
  const auto panel = [](const std::string& title, const std::vector<std::string>& words,
                        const Tensor& weights) {
    return Heatmap{.title = title,
                   .source_labels = words,
                   .target_labels = words,
                   .weights_TS = Floats(weights)};
  };
  report.Draw({.name = "context",
               .caption = "Whom each word looks at: bank looks at its neighbour as much as at "
                          "itself.",
               .heatmaps = {panel("river bank", {"river", "bank"}, river.weights),
                            panel("cash bank", {"cash", "bank"}, cash.weights)}});
}

void OrderIsInvisible(int64_t seed, LabReport& report) {
  report.Say(
      "Nothing in the formula knows where a word stands: permute the words, and the outputs are "
      "permuted, no more. A translator must tell *dog bites man* from *man bites dog*, so the "
      "transformer adds a position encoding to each word (section 3.5), and the same test then "
      "shows a difference. Six random words through `MultiHeadAttention` with random weights (16 "
      "numbers, 4 heads):");
  torch::manual_seed(static_cast<uint64_t>(seed));
  constexpr int64_t kWords = 6, kSize = 16;
  MultiHeadAttention attention({.model_size = kSize, .heads = 4});
  attention.to(torch::kFloat64);
  const torch::NoGradGuard no_grad;
  const Tensor words_BTD = torch::randn({1, kWords, kSize}, torch::kFloat64);
  const Tensor order = torch::tensor({3, 0, 5, 1, 4, 2});
  const auto encode = [&](const Tensor& x) {
    return attention.Forward(x, attention.ProjectMemory(x), {}, nullptr).context_BTD;
  };
  const auto difference = [&](const Tensor& positions) {
    const Tensor straight = encode(words_BTD + positions);
    const Tensor permuted = encode(words_BTD.index_select(1, order) + positions);
    return (permuted - straight.index_select(1, order)).abs().max().item<double>();
  };
  report.Expect("without positions: largest difference, permuted in from out", 0,
                difference(torch::zeros({kWords, kSize}, torch::kFloat64)), 1e-12);
  report.ExpectAtLeast("with positions: the same difference", .01,
                       difference(SinusoidalPositions_TD(0, kWords, kSize).to(torch::kFloat64)));
  report.Say(
      "In the code: `nmt/attention/multi_head.h`, `nmt/models/transformer/positions.h`. The GRU "
      "needs no positions: it reads the words in order.");
}

}  // namespace

void Context(const LabOptions& options, LabReport& report) {
  AnAmbiguousWord(report);
  OrderIsInvisible(options.seed, report);
}

}  // namespace nmt
