// Associative recall, the smallest task that needs attention: a list of six pairs of a letter and a
// digit, one of the letters again, and the digit beside it as the answer.
//
//   B 7   E 2   A 2   H 0   C 9   G 4     question: A     answer: 2
//
//   RecallAttention network({.d = 16});
//   TrainingCurve curve = TrainOnRecall(network, [&](const RecallBatch& batch) {
//     return network.Forward(batch).logits_BV; }, {.updates = 1000});
//
// Batches and weights are drawn from LibTorch's default generator: torch::manual_seed() first.
#ifndef NMT_LAB_RECALL_TASK_H_
#define NMT_LAB_RECALL_TASK_H_

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <functional>
#include <memory>
#include <vector>

#include "nmt/attention/score.h"

namespace nmt {

inline constexpr int64_t kRecallLetters = 8, kRecallDigits = 10, kRecallPairs = 6;

// Letters and digits are one-hot; a pair is its letter's 8 numbers before its digit's 10.
struct RecallBatch {
  Tensor pairs_BSP;              // [B 6 18]; the letters of a list differ, its digits need not
  Tensor question_BL;            // [B 8]
  Tensor answer_B;               // the digit, int64
  Tensor asked_B;                // at which of the six places it stands
  Tensor letters_BS, digits_BS;  // the same as indices
};
RecallBatch SampleRecall(int64_t size);

// Attention and an output layer: query W_Q x of the question, keys W_K p and values W_V p of the
// pairs, logits W_O c + b. 874 parameters at d = 16 with a score that has none of its own.
struct RecallOptions {
  int64_t d = 16;
  AttentionScore score = AttentionScore::kScaledDot;
  bool learn_to_look = true;   // false: every weight is 1/6
  bool unit_variance = false;  // W_Q and W_K ~ N(0, 1), as the sqrt(d) of the paper assumes
};

class RecallAttention : public torch::nn::Module {
 public:
  explicit RecallAttention(const RecallOptions& options);

  struct Output {
    Tensor logits_BV;
    Tensor scores_BS;
    Tensor weights_BS;
  };
  Output Forward(const RecallBatch& batch);

 private:
  RecallOptions options_;
  torch::nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  std::shared_ptr<Scorer> scorer_;
};

// One hidden layer of ReLUs over all 6 * 18 + 8 = 116 inputs, side by side.
class RecallNetwork : public torch::nn::Module {
 public:
  explicit RecallNetwork(int64_t hidden_size);
  Tensor Forward(const RecallBatch& batch);

 private:
  torch::nn::Linear hidden_{nullptr}, output_{nullptr};
};

struct TrainingCurve {
  std::vector<double> update, loss;  // loss in nats, means over `log_every` updates
  double test_loss = 0;              // after training, on fresh lists
  double test_accuracy = 0;
};

struct RecallTraining {
  int64_t updates = 3000;
  int64_t batch_size = 128;
  double learning_rate = 3e-3;
  int64_t log_every = 25;
};

using RecallLogits = std::function<Tensor(const RecallBatch&)>;

// Adam at a constant rate, fresh lists in every batch.
TrainingCurve TrainOnRecall(torch::nn::Module& module, const RecallLogits& logits,
                            const RecallTraining& training);

}  // namespace nmt

#endif  // NMT_LAB_RECALL_TASK_H_
