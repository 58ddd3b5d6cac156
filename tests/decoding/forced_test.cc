#include "nmt/decoding/forced.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/decoding/search.h"

namespace nmt {
namespace {

std::shared_ptr<Seq2Seq> SmallModel(ModelType type) {
  ModelOptions options{.type = type, .embedding_size = 8, .hidden_size = 8};
  options.heads = 2;
  return MakeModel(options, {12, 12}, /*seed=*/3);
}

class Forced : public testing::TestWithParam<ModelType> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
  const std::vector<Ids> sources_ = {{4, 5, 6}, {}, {7, 8, 9, 10, 11, 4}};
  const std::vector<Ids> targets_ = {{4}, {5, 6}, {}};
};

TEST_P(Forced, ScoresAreTheSumOfTheLogProbabilitiesOfTheGivenPieces) {
  const auto model = SmallModel(GetParam());
  const auto scores = ForcedScores(*model, sources_, targets_, {});
  ASSERT_EQ(scores.size(), 3u);
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < 3; ++i) {
    const Batch batch = MakeBatch({sources_[i]}, {targets_[i]});
    const Tensor log_p_TV = model->Logits(model->Forward(batch, {}).hidden_BTD).log_softmax(-1)[0];
    double expected = log_p_TV[-1][SpecialIds::kEnd].item<double>();
    for (size_t t = 0; t < targets_[i].size(); ++t)
      expected += log_p_TV[static_cast<int64_t>(t)][targets_[i][t]].item<double>();
    EXPECT_NEAR(scores[i].log_probability, expected, 1e-5);
    EXPECT_EQ(scores[i].pieces, static_cast<int64_t>(targets_[i].size()) + 1);
  }
}

TEST_P(Forced, ScoresDoNotDependOnTheBatch) {
  const auto model = SmallModel(GetParam());
  const auto together = ForcedScores(*model, sources_, targets_, {.batch_size = 8}),
             apart = ForcedScores(*model, sources_, targets_, {.batch_size = 1});
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(together[i].log_probability, apart[i].log_probability, 1e-5);
}

TEST_P(Forced, AFoundTranslationHasTheScoreThatTheSearchGaveIt) {
  const auto model = SmallModel(GetParam());
  const auto inference = MakeInference(model);
  const auto found =
      Search({inference.get()}, {{.sources = {sources_[0]}, .prefix = {}}}, {.n_best = 5})[0];
  std::vector<Ids> sources(found.size(), sources_[0]), targets;
  for (const Hypothesis& hypothesis : found) targets.push_back(hypothesis.ids);
  const auto scores = ForcedScores(*model, sources, targets, {});
  int compared = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].finished) continue;
    EXPECT_NEAR(scores[i].log_probability, found[i].log_probability, 1e-4);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST_P(Forced, ProgressReachesTheNumberOfPairs) {
  const auto model = SmallModel(GetParam());
  int64_t last = 0;
  ForcedScores(*model, sources_, targets_,
               {.batch_size = 2, .progress = [&](int64_t done) { last = done; }});
  EXPECT_EQ(last, 3);
}

INSTANTIATE_TEST_SUITE_P(, Forced, testing::Values(ModelType::kGru, ModelType::kTransformer),
                         [](const auto& info) {
                           return info.param == ModelType::kGru ? "Gru" : "Transformer";
                         });

}  // namespace
}  // namespace nmt
