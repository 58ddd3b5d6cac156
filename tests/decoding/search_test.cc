#include "nmt/decoding/search.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "nmt/decoding/translator.h"

namespace nmt {
namespace {

constexpr int64_t kVocabulary = 7;  // <pad> <unk> <s> </s> and three words

std::shared_ptr<Seq2Seq> RandomModel(ModelType type, uint64_t seed) {
  ModelOptions options{.type = type, .embedding_size = 8, .hidden_size = 8};
  options.heads = 2;
  auto model = MakeModel(options, {kVocabulary, kVocabulary}, seed);
  torch::NoGradGuard no_grad;
  torch::manual_seed(static_cast<uint64_t>(seed));
  for (Tensor& parameter : model->parameters())
    parameter.mul_(2).add_(torch::randn_like(parameter) * 0.3);
  return model;
}

// log p(ids </s> | source) by teacher forcing, among the tokens that may be produced (no <pad>, no
// <s>: their mass is not given to the others).
double LogProbability(Seq2Seq& model, const Ids& source, const Ids& ids) {
  torch::NoGradGuard no_grad;
  const Batch batch = MakeBatch({source}, {ids});
  const Tensor log_p = model.Logits(model.Forward(batch, {}).hidden_BTD).log_softmax(-1)[0];
  return log_p.gather(1, batch.target_output_BT[0].unsqueeze(1)).sum().item<double>();
}

// Every finished string of at most `max_length` tokens, </s> included.
std::vector<Hypothesis> AllStrings(Seq2Seq& model, const Ids& source, int64_t max_length,
                                   double alpha) {
  std::vector<Ids> strings = {{}};
  std::vector<Hypothesis> all;
  for (size_t i = 0; i < strings.size(); ++i) {
    const Ids ids = strings[i];
    const double log_probability = LogProbability(model, source, ids);
    const int64_t length = static_cast<int64_t>(ids.size()) + 1;
    all.push_back({ids, log_probability, LengthNormalized(log_probability, length, alpha), true});
    if (length == max_length) continue;
    for (const int64_t token : {1, 4, 5, 6}) {
      strings.push_back(ids);
      strings.back().push_back(token);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return all;
}

class SearchOf : public testing::TestWithParam<ModelType> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
  const Ids source_ = {4, 6, 5};
};

TEST_P(SearchOf, AFullBeamFindsWhatBruteForceFinds) {
  for (const double alpha : {0.0, 0.6, 1.0}) {
    for (const uint64_t seed : {1, 2, 3}) {
      auto model = RandomModel(GetParam(), seed);
      const auto all = AllStrings(*model, source_, /*max_length=*/4, alpha);
      const auto found =
          Search(*model, {source_},
                 {.beam_size = 400, .length_penalty = alpha, .max_length = 4, .n_best = 5});
      ASSERT_EQ(found[0].size(), 5u);
      for (size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(found[0][i].score, all[i].score, 1e-4)
            << "alpha " << alpha << " seed " << seed << " rank " << i;
      }
      EXPECT_EQ(found[0][0].ids, all[0].ids);
    }
  }
}

TEST_P(SearchOf, ABeamOfOneIsGreedy) {
  auto model = RandomModel(GetParam(), 4);
  torch::NoGradGuard no_grad;
  Ids greedy;
  DecoderState state = model->Start(model->Encode(MakeSourceBatch({source_})), 1);
  for (int64_t token = SpecialIds::kBegin; static_cast<int64_t>(greedy.size()) < 8;) {
    Tensor logits = model->Step(torch::tensor({token}), state).logits_RV[0];
    logits[SpecialIds::kPad] = logits[SpecialIds::kBegin] = -1e9;
    token = logits.argmax().item<int64_t>();
    if (token == SpecialIds::kEnd) break;
    greedy.push_back(token);
  }
  EXPECT_EQ(Search(*model, {source_}, {.beam_size = 1, .max_length = 8})[0][0].ids, greedy);
}

TEST_P(SearchOf, ScoresAreTheModelsLogProbabilities) {
  auto model = RandomModel(GetParam(), 5);
  const auto found = Search(*model, {source_}, {.beam_size = 4, .n_best = 4})[0];
  int finished = 0;
  for (const Hypothesis& hypothesis : found) {
    if (!hypothesis.finished) continue;
    ++finished;
    EXPECT_NEAR(hypothesis.log_probability, LogProbability(*model, source_, hypothesis.ids), 1e-4);
    EXPECT_NEAR(hypothesis.score,
                hypothesis.log_probability / static_cast<double>(hypothesis.ids.size() + 1), 1e-9);
  }
  EXPECT_GT(finished, 0);
}

// Case C14.
TEST_P(SearchOf, TranslatingAloneOrInABatchGivesTheSame) {
  auto model = RandomModel(GetParam(), 6);
  const std::vector<Ids> sources = {{4}, {5, 6, 4, 4, 5, 6, 6, 5, 4, 6, 5}, {6, 6}, {1, 4, 5, 6}};
  for (const int64_t beam : {1, 5}) {
    const SearchOptions options{.beam_size = beam, .n_best = beam};
    const auto together = Search(*model, sources, options);
    for (size_t i = 0; i < sources.size(); ++i) {
      const auto alone = Search(*model, {sources[i]}, options)[0];
      ASSERT_EQ(alone.size(), together[i].size());
      for (size_t n = 0; n < alone.size(); ++n) {
        EXPECT_EQ(alone[n].ids, together[i][n].ids);
        EXPECT_NEAR(alone[n].score, together[i][n].score, 1e-4);
      }
    }
  }
}

// Cases C15, C40: a beam wider than the vocabulary; no two hypotheses alike, best first, nothing
// reserved.
TEST_P(SearchOf, ListsDistinctHypothesesBestFirst) {
  auto model = RandomModel(GetParam(), 7);
  const auto found = Search(*model, {source_}, {.beam_size = 20, .max_length = 3, .n_best = 20})[0];
  std::set<Ids> seen;
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(seen.insert(found[i].ids).second);
    for (const int64_t id : found[i].ids) EXPECT_TRUE(id == 1 || id >= 4) << id;
    if (i > 0 && found[i - 1].finished == found[i].finished) {
      EXPECT_GE(found[i - 1].score, found[i].score);
    }
  }
  EXPECT_EQ(found.size(), 20u);
}

TEST_P(SearchOf, StopsAtTheLengthLimit) {
  auto model = RandomModel(GetParam(), 8);
  torch::NoGradGuard no_grad;
  model->named_parameters()["embeddings.output_bias"][SpecialIds::kEnd] =
      -100;  // never ends by itself
  for (const int64_t limit : {1, 5}) {
    const auto found = Search(*model, {source_}, {.beam_size = 2, .max_length = limit})[0];
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(static_cast<int64_t>(found[0].ids.size()), limit);
    EXPECT_FALSE(found[0].finished);
  }
  // The default limit is a function of the source's length.
  EXPECT_EQ(Search(*model, {source_}, {.beam_size = 2})[0][0].ids.size(), 2 * source_.size() + 10);
}

TEST_P(SearchOf, SaysWhenTheWeightsAreBroken) {
  auto model = RandomModel(GetParam(), 9);
  torch::NoGradGuard no_grad;
  for (Tensor& parameter : model->parameters()) parameter.fill_(std::nan(""));
  EXPECT_THROW(Search(*model, {source_}, {}), c10::Error);
}

INSTANTIATE_TEST_SUITE_P(, SearchOf, testing::Values(ModelType::kGru, ModelType::kTransformer),
                         [](const auto& info) { return std::string(EnumName(info.param)); });

TEST(LengthNormalized, IsThePlainSumWithoutPenalty) {
  EXPECT_EQ(LengthNormalized(-6, 3, 0), -6);
  EXPECT_EQ(LengthNormalized(-6, 3, 1), -2);
}

TEST(BatchesByLength, LeaveOutBlanksAndKeepNeighboursAlike) {
  const auto batches = BatchesByLength({3, 0, 9, 3, 7}, 2);
  EXPECT_EQ(batches, (std::vector<std::vector<size_t>>{{2, 4}, {0, 3}}));
}

}  // namespace
}  // namespace nmt
