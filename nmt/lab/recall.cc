#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "nmt/base/progress.h"
#include "nmt/lab/experiments.h"
#include "nmt/lab/recall_task.h"
#include "nmt/lab/small_tensors.h"
#include "nmt/models/seq2seq.h"

namespace nmt {
namespace {

// The best loss of anyone who sees the six digits but not which one is asked: the answer is one of
// them, and a digit that occurs c times among six is right with probability c / 6. Of the answer's
// digit, c - 1 more are expected among the other five, each with probability 1/10:
//   E[ln 6 - ln c],  c - 1 ~ Binomial(5, 1/10)
double LossOfCounting() {
  double loss = 0, choose = 1;  // choose: 5 over k
  for (int k = 0; k <= 5; ++k) {
    const double probability = choose * std::pow(.1, k) * std::pow(.9, 5 - k);
    loss += probability * (std::log(6.0) - std::log(k + 1.0));
    choose = choose * (5 - k) / (k + 1);
  }
  return loss;
}

// The best loss of logits that are linear in the counts, alpha c, which is all that averaging and an
// output layer can do; the mean over lists drawn once.
double LossOfLinearCounting() {
  const torch::NoGradGuard no_grad;
  at::Generator generator = at::detail::createCPUGenerator(/*seed_val=*/1);
  constexpr int64_t kLists = 200000;
  const Tensor digits_NS =
      torch::randint(0, kRecallDigits, {kLists, kRecallPairs}, generator, torch::kInt64);
  const Tensor counts_NV = torch::one_hot(digits_NS, kRecallDigits).sum(1).to(torch::kFloat64);
  const Tensor answer_N1 = digits_NS.narrow(1, 0, 1);  // it does not matter which place is asked
  double best = std::log(static_cast<double>(kRecallDigits));
  for (double alpha = 1; alpha < 2; alpha += .02) {
    const Tensor log_p_NV = (alpha * counts_NV).log_softmax(1);
    best = std::min(best, -log_p_NV.gather(1, answer_N1).mean().item<double>());
  }
  return best;
}

std::string Letter(int64_t index) { return std::string(1, static_cast<char>('A' + index)); }

// One list, each of its letters asked in turn.
RecallBatch EveryQuestionOfOneList() {
  RecallBatch batch = SampleRecall(1);
  const Tensor letter_S = batch.letters_BS[0];
  batch.pairs_BSP = batch.pairs_BSP.repeat({kRecallPairs, 1, 1});
  batch.question_BL = torch::one_hot(letter_S, kRecallLetters).to(torch::kFloat32);
  batch.answer_B = batch.digits_BS[0];
  batch.asked_B = torch::arange(kRecallPairs);
  return batch;
}

Heatmap LearnedWeights(RecallAttention& network) {
  const RecallBatch batch = EveryQuestionOfOneList();
  Heatmap heatmap{.title = "learned weights",
                  .weights_TS = Floats(network.Forward(batch).weights_BS)};
  for (int64_t s = 0; s < kRecallPairs; ++s) {
    const std::string letter = Letter(batch.letters_BS[0][s].item<int64_t>());
    heatmap.source_labels.push_back(letter + " " +
                                    std::to_string(batch.digits_BS[0][s].item<int64_t>()));
    heatmap.target_labels.push_back(letter + " ?");
  }
  return heatmap;
}

// How far the score of the asked pair lies above the others', and what the softmax makes of it.
void ScoreGap(RecallAttention& network, LabReport& report) {
  report.Say(
      "Softmax turns a difference of scores into a ratio of weights: if the asked pair scores Δ "
      "more than another, it gets `e^Δ` times its weight, whatever the other scores are. A gap of "
      "4.9 is a factor of e^4.9 = 134. The gap that training found, over 5,000 lists, and the "
      "ratio that "
      "the learned weights show:");
  const torch::NoGradGuard no_grad;
  const RecallBatch batch = SampleRecall(5000);
  const RecallAttention::Output output = network.Forward(batch);
  const Tensor asked_BS = torch::one_hot(batch.asked_B, kRecallPairs).to(torch::kBool);
  const Tensor others_BS = asked_BS.logical_not();
  const Tensor scores_BS = output.scores_BS.to(torch::kFloat64);
  const Tensor weights_BS = output.weights_BS.to(torch::kFloat64);
  const Tensor gap_BS = scores_BS.masked_select(asked_BS).unsqueeze(1) - scores_BS;
  const Tensor ratio_BS = weights_BS.masked_select(asked_BS).unsqueeze(1) / weights_BS;
  const double gap = gap_BS.masked_select(others_BS).mean().item<double>();
  // The mean of the logarithms is where ratios of many sizes have their middle.
  const double ratio = std::exp(ratio_BS.log().masked_select(others_BS).mean().item<double>());
  report.Measured("learned gap Δ, mean", LabFixed(gap, 2));
  report.Measured("e^Δ", LabNumber(std::exp(gap)));
  report.Expect("ratio of the learned weights over e^Δ", 1, ratio / std::exp(gap), 1e-3);
  report.Expect("largest |ln ratio − Δ| over all lists and pairs", 0,
                (ratio_BS.log() - gap_BS).abs().max().item<double>(), 1e-3);
  report.ExpectAtLeast("weight of the asked pair, mean", .9,
                       weights_BS.masked_select(asked_BS).mean().item<double>());
}

ChartSeries CurveOf(const std::string& name, const TrainingCurve& curve) {
  return {.name = name, .x = curve.update, .y = curve.loss};
}

}  // namespace

void Recall(const LabOptions& options, LabReport& report) {
  report.Say(
      "A list of six pairs, each a letter (of 8, all different) and a digit (of 10), then one of "
      "the letters again: which digit stands beside it? Whoever guesses has a loss of `ln 10 = "
      "2.303` "
      "nats. Three networks learn from the same lists, 3,000 updates of 128 lists each, with Adam "
      "at 0.003:");
  report.Say(
      "1. **attention**, d = 16: query `W_Q` of the letter asked, keys `W_K` and values `W_V` of "
      "the pairs, output `W_O` and `b_O`;\n"
      "2. **averaging**: the same network with all weights fixed at 1/6;\n"
      "3. **fully connected**: all 116 inputs at once, one hidden layer, nine times the "
      "parameters.");
  const auto train = [&](torch::nn::Module& module, const RecallLogits& logits) {
    torch::manual_seed(static_cast<uint64_t>(options.seed + 1));  // the same lists for all
    return TrainOnRecall(module, logits, {});
  };
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  RecallAttention attention({});
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  RecallAttention averaging({.learn_to_look = false});
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  RecallNetwork connected(/*hidden_size=*/62);
  const TrainingCurve attended = train(
      attention, [&](const RecallBatch& batch) { return attention.Forward(batch).logits_BV; });
  const TrainingCurve averaged = train(
      averaging, [&](const RecallBatch& batch) { return averaging.Forward(batch).logits_BV; });
  const TrainingCurve learned =
      train(connected, [&](const RecallBatch& batch) { return connected.Forward(batch); });

  const int64_t small = CountParameters(attention), large = CountParameters(connected);
  report.ExpectCount("attention: parameters", 874, small);
  report.Expect("fully connected: parameters, times as many", 9,
                static_cast<double>(large) / static_cast<double>(small), .1);
  report.ExpectAtMost("attention: loss on 5,000 fresh lists", .01, attended.test_loss);
  report.ExpectAtLeast("attention: right answers", .999, attended.test_accuracy);
  report.Expect("averaging: loss", LossOfLinearCounting(), averaged.test_loss, .03);
  report.Measured("averaging: right answers", LabFixed(averaged.test_accuracy, 3));
  report.Measured("fully connected: loss", LabFixed(learned.test_loss, 3));
  report.Measured("fully connected: right answers", LabFixed(learned.test_accuracy, 3));
  const double counting = LossOfCounting();
  report.Say(fmt::format(
      "Attention solves the task: it learns to find the letter and to hand over the digit. "
      "Averaging sees which digits are in the list but not where. Whoever only counts, and knows "
      "that a digit that occurs `c` times is right with probability `c/6`, has a loss of {:.3f} "
      "nats (worked out, not measured: the dotted line). Averaging cannot even do that: its logits "
      "are linear in the counts, where ln 0, ln 1, ln 2, … would be needed, and the best that a "
      "straight line can do is {:.3f}. The fully connected network could represent the whole "
      "solution, but has to learn it for each of the six places and eight letters on its own. "
      "After "
      "as many updates its loss of {:.3f} is {} that of counting.",
      counting, LossOfLinearCounting(), learned.test_loss,
      learned.test_loss > counting - .02 ? "no better than" : "below"));
  report.Draw(
      {.name = "recall",
       .caption = "Loss over equal numbers of updates (means of 25).",
       .charts = {{.title = "Recall: loss in training",
                   .x = {.label = "updates", .min = 0, .max = 3000},
                   .y = {.label = "loss (nats)", .min = 0, .max = 2.5},
                   .series = {CurveOf("attention, 874 parameters", attended),
                              CurveOf("averaging, weights fixed at 1/6", averaged),
                              CurveOf("fully connected, " + WithThousands(large) + " parameters",
                                      learned)},
                   .levels = {{"guessing: ln 10", std::log(10.0)},
                              {"counting, without looking", LossOfCounting()}}}}});
  ScoreGap(attention, report);
  report.Draw({.name = "recall-weights",
               .caption = "One list, each of its letters asked in turn (rows): the learned weights "
                          "point at the pair with that letter (empty cells: below .005).",
               .heatmaps = {LearnedWeights(attention)}});
}

}  // namespace nmt
