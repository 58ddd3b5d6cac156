#include "nmt/lab/recall_task.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <set>

#include "nmt/models/seq2seq.h"

namespace nmt {
namespace {

TEST(SampleRecall, GivesListsOfDifferentLettersAndTheDigitBesideTheOneAsked) {
  torch::manual_seed(1);
  const RecallBatch batch = SampleRecall(200);
  ASSERT_EQ(batch.pairs_BSP.sizes(), torch::IntArrayRef({200, 6, 18}));
  for (int64_t b = 0; b < 200; ++b) {
    std::set<int64_t> letters;
    int64_t answer = -1;
    const int64_t question = batch.question_BL[b].argmax().item<int64_t>();
    for (int64_t s = 0; s < 6; ++s) {
      // Read off the network's inputs, not off the indices beside them.
      const int64_t letter = batch.pairs_BSP[b][s].narrow(0, 0, 8).argmax().item<int64_t>();
      const int64_t digit = batch.pairs_BSP[b][s].narrow(0, 8, 10).argmax().item<int64_t>();
      letters.insert(letter);
      if (letter == question) {
        answer = digit;
        EXPECT_EQ(batch.asked_B[b].item<int64_t>(), s);
      }
    }
    EXPECT_EQ(letters.size(), 6U);
    EXPECT_EQ(batch.answer_B[b].item<int64_t>(), answer);
  }
  EXPECT_TRUE(batch.pairs_BSP.sum(2).eq(2).all().item<bool>());
}

TEST(RecallAttention, HasTheParametersThatTheTaskNames) {
  RecallAttention dot({.d = 16});
  EXPECT_EQ(CountParameters(dot), 16 * 8 + 16 * 18 + 16 * 18 + 10 * 16 + 10);
  RecallAttention additive({.d = 16, .score = AttentionScore::kAdditive});
  EXPECT_EQ(CountParameters(additive), 874 + 16);
}

TEST(RecallAttention, LeavesTheScaleOfTheCosineAsItIs) {
  RecallAttention network({.score = AttentionScore::kCosine});
  EXPECT_EQ(network.named_parameters()["scorer.scale"].item<float>(), 10);
}

TEST(RecallAttention, AveragesWhenItMayNotLook) {
  RecallAttention network({.learn_to_look = false});
  const Tensor weights = network.Forward(SampleRecall(3)).weights_BS;
  EXPECT_TRUE(torch::allclose(weights, torch::full({3, 6}, 1.0 / 6)));
}

TEST(TrainOnRecall, IsAFunctionOfTheSeedAndLearns) {
  std::vector<TrainingCurve> curves;
  for (int run = 0; run < 2; ++run) {
    torch::manual_seed(4);
    RecallAttention network({});
    curves.push_back(TrainOnRecall(
        network, [&](const RecallBatch& batch) { return network.Forward(batch).logits_BV; },
        {.updates = 400, .batch_size = 64, .log_every = 100}));
  }
  EXPECT_EQ(curves[0].loss, curves[1].loss);
  ASSERT_EQ(curves[0].loss.size(), 4U);
  EXPECT_EQ(curves[0].update, (std::vector<double>{100, 200, 300, 400}));
  EXPECT_GT(curves[0].loss.front(), 1.5);
  EXPECT_LT(curves[0].loss.back(), .3);
}

}  // namespace
}  // namespace nmt
