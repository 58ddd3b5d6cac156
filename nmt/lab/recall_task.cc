#include "nmt/lab/recall_task.h"

#include <torch/torch.h>

#include <cmath>

#include "nmt/attention/mask.h"
#include "nmt/lab/cost.h"
#include "nmt/training/adam.h"

namespace nmt {
namespace {

constexpr int64_t kPairSize = kRecallLetters + kRecallDigits;

torch::nn::Linear NoBias(int64_t in, int64_t out) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));
}

}  // namespace

RecallBatch SampleRecall(int64_t size) {
  RecallBatch batch;
  // A random order of all letters, of which the list takes the first six.
  batch.letters_BS = torch::rand({size, kRecallLetters})
                         .argsort(/*dim=*/int64_t{1})
                         .narrow(1, 0, kRecallPairs)
                         .contiguous();
  batch.digits_BS = torch::randint(0, kRecallDigits, {size, kRecallPairs}, torch::kInt64);
  batch.asked_B = torch::randint(0, kRecallPairs, {size}, torch::kInt64);
  const Tensor asked_B1 = batch.asked_B.unsqueeze(1);
  batch.pairs_BSP = torch::cat({torch::one_hot(batch.letters_BS, kRecallLetters),
                                torch::one_hot(batch.digits_BS, kRecallDigits)},
                               2)
                        .to(torch::kFloat32);
  batch.question_BL =
      torch::one_hot(batch.letters_BS.gather(1, asked_B1).squeeze(1), kRecallLetters)
          .to(torch::kFloat32);
  batch.answer_B = batch.digits_BS.gather(1, asked_B1).squeeze(1);
  return batch;
}

RecallAttention::RecallAttention(const RecallOptions& options) : options_(options) {
  query_ = register_module("query", NoBias(kRecallLetters, options.d));
  key_ = register_module("key", NoBias(kPairSize, options.d));
  value_ = register_module("value", NoBias(kPairSize, options.d));
  output_ = register_module("output", torch::nn::Linear(options.d, kRecallDigits));
  scorer_ = register_module("scorer", std::make_shared<Scorer>(options.score, 1, options.d));
  const torch::NoGradGuard no_grad;
  if (options.unit_variance) {
    query_->weight.normal_();
    key_->weight.normal_();
  }
  const double bound = std::sqrt(3.0 / static_cast<double>(options.d));
  for (const auto& parameter : scorer_->named_parameters()) {
    if (parameter.key() == "v") parameter.value().uniform_(-bound, bound);
  }
}

RecallAttention::Output RecallAttention::Forward(const RecallBatch& batch) {
  const Tensor value_B1SK = value_(batch.pairs_BSP).unsqueeze(1);
  Tensor scores_B11S, weights_B11S;
  if (options_.learn_to_look) {
    const Tensor query_B11K = query_(batch.question_BL).unsqueeze(1).unsqueeze(1);
    scores_B11S = scorer_->Forward(query_B11K, key_(batch.pairs_BSP).unsqueeze(1));
    weights_B11S = MaskedSoftmax(scores_B11S, /*mask=*/{});
  } else {
    scores_B11S = torch::zeros({batch.pairs_BSP.size(0), 1, 1, kRecallPairs});
    weights_B11S = scores_B11S + 1.0 / kRecallPairs;
  }
  const Tensor context_BK = Attend(weights_B11S, value_B1SK).flatten(1);
  return {output_(context_BK), scores_B11S.flatten(1), weights_B11S.flatten(1)};
}

RecallNetwork::RecallNetwork(int64_t hidden_size) {
  const int64_t inputs = kRecallPairs * kPairSize + kRecallLetters;
  hidden_ = register_module("hidden", torch::nn::Linear(inputs, hidden_size));
  output_ = register_module("output", torch::nn::Linear(hidden_size, kRecallDigits));
}

Tensor RecallNetwork::Forward(const RecallBatch& batch) {
  return output_(hidden_(torch::cat({batch.pairs_BSP.flatten(1), batch.question_BL}, 1)).relu());
}

TrainingCurve TrainOnRecall(torch::nn::Module& module, const RecallLogits& logits,
                            const RecallTraining& training) {
  const OneThread one_thread;
  Adam adam(module, TrainingOptions());
  TrainingCurve curve;
  double window = 0;
  for (int64_t update = 1; update <= training.updates; ++update) {
    const RecallBatch batch = SampleRecall(training.batch_size);
    adam.ZeroGradients();
    const Tensor loss = torch::nn::functional::cross_entropy(logits(batch), batch.answer_B);
    loss.backward();
    adam.Step(training.learning_rate);
    window += loss.item<double>();
    if (update % training.log_every == 0) {
      curve.update.push_back(static_cast<double>(update));
      curve.loss.push_back(window / static_cast<double>(training.log_every));
      window = 0;
    }
  }
  const torch::NoGradGuard no_grad;
  const RecallBatch test = SampleRecall(5000);
  const Tensor found_BV = logits(test).to(torch::kFloat64);
  curve.test_loss = torch::nn::functional::cross_entropy(found_BV, test.answer_B).item<double>();
  curve.test_accuracy =
      found_BV.argmax(1).eq(test.answer_B).to(torch::kFloat64).mean().item<double>();
  return curve;
}

}  // namespace nmt
