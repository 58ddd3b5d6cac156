#include "nmt/decoding/search.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "nmt/decoding/sampling.h"
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

std::vector<std::vector<Hypothesis>> SearchAll(const std::vector<std::shared_ptr<Seq2Seq>>& models,
                                               const std::vector<Ids>& sources,
                                               const SearchOptions& options) {
  std::vector<std::unique_ptr<Inference>> inferences;
  Ensemble ensemble;
  for (const auto& model : models) {
    inferences.push_back(MakeInference(model));
    ensemble.push_back(inferences.back().get());
  }
  std::vector<SearchInput> inputs;
  for (const Ids& source : sources)
    inputs.push_back({.sources = std::vector<Ids>(models.size(), source), .number = inputs.size()});
  return Search(ensemble, inputs, options);
}
std::vector<Hypothesis> SearchOne(const std::shared_ptr<Seq2Seq>& model, const Ids& source,
                                  const SearchOptions& options) {
  return SearchAll({model}, {source}, options)[0];
}

// What teacher forcing says of a translation: the mean of the models' probabilities, and how much the
// first one looked at each source piece.
struct Forcing {
  double log_probability = 0;  // of ids and </s>
  std::vector<float> coverage;
};
Forcing Force(const std::vector<std::shared_ptr<Seq2Seq>>& models, const Ids& source,
              const Ids& ids) {
  torch::NoGradGuard no_grad;
  const Batch batch = MakeBatch({source}, {ids});
  Forcing forcing;
  Tensor p_TV;
  for (const auto& model : models) {
    const DecoderOutput output = model->Forward(batch, {.attention = true});
    const Tensor its =
        model->Logits(output.hidden_BTD).softmax(-1)[0] / static_cast<double>(models.size());
    p_TV = p_TV.defined() ? p_TV + its : its;
    if (!forcing.coverage.empty()) continue;
    const Tensor coverage_S = output.attention_BLHTS[0][-1].mean(0).sum(0);
    for (size_t s = 0; s < source.size(); ++s)
      forcing.coverage.push_back(coverage_S[static_cast<int64_t>(s)].item<float>());
  }
  forcing.log_probability =
      p_TV.log().gather(1, batch.target_output_BT[0].unsqueeze(1)).sum().item<double>();
  return forcing;
}

// Every finished string of at most max_length tokens, </s> included, that the options allow, best first.
std::vector<Hypothesis> AllStrings(const std::vector<std::shared_ptr<Seq2Seq>>& models,
                                   const Ids& source, const SearchOptions& options) {
  const auto pieces = static_cast<int64_t>(source.size());
  std::vector<Ids> strings = {{}};
  std::vector<Hypothesis> all;
  for (size_t i = 0; i < strings.size(); ++i) {
    const Ids ids = strings[i];
    const int64_t length = static_cast<int64_t>(ids.size()) + 1;
    const Forcing forcing = Force(models, source, ids);
    const double score = LengthNormalized(forcing.log_probability, length,
                                          options.length_penalty_kind, options.length_penalty) +
                         CoverageScore(forcing.coverage, options.coverage_penalty);
    if (length >= options.min_length.Of(pieces))
      all.push_back({ids, forcing.log_probability, score, true});
    if (length == options.max_length.Of(pieces)) continue;
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
  // A beam of 400 holds all strings of at most four tokens.
  void ExpectBruteForce(const std::vector<std::shared_ptr<Seq2Seq>>& models,
                        SearchOptions options) {
    options.beam_size = 400;
    options.n_best = 5;
    const auto all = AllStrings(models, source_, options);
    const auto found = SearchAll(models, {source_}, options)[0];
    ASSERT_EQ(found.size(), 5u);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(found[i].score, all[i].score, 1e-4) << "rank " << i;
      EXPECT_NEAR(found[i].log_probability, all[i].log_probability, 1e-4);
    }
    EXPECT_EQ(found[0].ids, all[0].ids);
  }

  const Ids source_ = {4, 6, 5};
};

TEST_P(SearchOf, AFullBeamFindsWhatBruteForceFinds) {
  for (const uint64_t seed : {1, 2, 3}) {
    const auto model = RandomModel(GetParam(), seed);
    for (const LengthPenalty kind : {LengthPenalty::kAverage, LengthPenalty::kGnmt}) {
      for (const double alpha : {0.0, 0.6, 1.0}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " alpha " << alpha);
        ExpectBruteForce(
            {model}, {.length_penalty_kind = kind, .length_penalty = alpha, .max_length = {0, 4}});
      }
    }
    ExpectBruteForce({model}, {.coverage_penalty = 0.7, .max_length = {0, 4}});
    ExpectBruteForce({model}, {.min_length = {1, 0}, .max_length = {0, 4}});
  }
}

TEST_P(SearchOf, AnEnsembleFindsTheBestMeanProbability) {
  const auto model = RandomModel(GetParam(), 1);
  ExpectBruteForce(
      {model, RandomModel(ModelType::kGru, 2), RandomModel(ModelType::kTransformer, 3)},
      {.max_length = {0, 4}});
  // Three times the same is the same.
  const SearchOptions options{.beam_size = 3, .n_best = 3};
  const auto one = SearchOne(model, source_, options);
  const auto three = SearchAll({model, model, model}, {source_}, options)[0];
  ASSERT_EQ(three.size(), one.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(three[i].ids, one[i].ids);
    EXPECT_NEAR(three[i].score, one[i].score, 1e-5);
  }
}

TEST_P(SearchOf, TheFullBeamIsNeverBeaten) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    const auto model = RandomModel(GetParam(), seed);
    const double best =
        SearchOne(model, source_, {.beam_size = 400, .max_length = {0, 4}})[0].score;
    for (const int64_t beam : {1, 2, 5, 20}) {
      const auto found = SearchOne(model, source_, {.beam_size = beam, .max_length = {0, 4}})[0];
      if (!found.finished) continue;
      EXPECT_LE(found.score, best + 1e-5) << "beam " << beam;
    }
  }
}

TEST_P(SearchOf, ABeamOfOneIsGreedy) {
  auto model = RandomModel(GetParam(), 4);
  torch::NoGradGuard no_grad;
  Ids greedy;
  DecoderState state = model->Start(model->Encode(MakeSourceBatch({source_})), 1);
  for (int64_t token = SpecialIds::kBegin; static_cast<int64_t>(greedy.size()) < 8;) {
    Tensor logits = model->Logits(model->Step(torch::tensor({token}), state).hidden_RD)[0];
    logits[SpecialIds::kPad] = logits[SpecialIds::kBegin] = -1e9;
    token = logits.argmax().item<int64_t>();
    if (token == SpecialIds::kEnd) break;
    greedy.push_back(token);
  }
  const SearchOptions options{.beam_size = 1, .max_length = {0, 8}};
  EXPECT_EQ(SearchOne(model, source_, options)[0].ids, greedy);
}

TEST_P(SearchOf, ScoresAreTheModelsLogProbabilities) {
  auto model = RandomModel(GetParam(), 5);
  const auto found = SearchOne(model, source_, {.beam_size = 4, .n_best = 4});
  int finished = 0;
  for (const Hypothesis& hypothesis : found) {
    if (!hypothesis.finished) continue;
    ++finished;
    EXPECT_NEAR(hypothesis.log_probability, Force({model}, source_, hypothesis.ids).log_probability,
                1e-4);
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
    for (const double coverage : {0.0, 0.4}) {
      const SearchOptions options{.beam_size = beam, .n_best = beam, .coverage_penalty = coverage};
      const auto together = SearchAll({model}, sources, options);
      for (size_t i = 0; i < sources.size(); ++i) {
        const auto alone = SearchOne(model, sources[i], options);
        ASSERT_EQ(alone.size(), together[i].size());
        for (size_t n = 0; n < alone.size(); ++n) {
          EXPECT_EQ(alone[n].ids, together[i][n].ids);
          EXPECT_NEAR(alone[n].score, together[i][n].score, 1e-4);
        }
      }
    }
  }
}

// Cases C15, C40: a beam wider than the vocabulary; no two hypotheses alike, best first, nothing
// reserved. Those that were cut at the limit are left out where others ended.
TEST_P(SearchOf, ListsDistinctHypothesesBestFirst) {
  auto model = RandomModel(GetParam(), 7);
  for (const double alpha : {0.0, 1.0}) {
    const auto found =
        SearchOne(model, source_,
                  {.beam_size = 20, .n_best = 20, .length_penalty = alpha, .max_length = {0, 3}});
    std::set<Ids> seen;
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(found[i].finished);
      EXPECT_TRUE(seen.insert(found[i].ids).second);
      for (const int64_t id : found[i].ids) EXPECT_TRUE(id == 1 || id >= 4) << id;
      EXPECT_GE(found[i > 0 ? i - 1 : 0].score, found[i].score);
    }
    EXPECT_GE(found.size(), 5u);
  }
}

// With a penalty above every difference each hypothesis has only its best continuation, so that no two
// begin alike; the scores stay the model's own.
TEST_P(SearchOf, DiversityKeepsMoreBeginnings) {
  const auto beginnings = [](const std::vector<Hypothesis>& found) {
    std::set<int64_t> first;
    for (const Hypothesis& hypothesis : found)
      first.insert(hypothesis.ids.empty() ? SpecialIds::kEnd : hypothesis.ids[0]);
    return first.size();
  };
  size_t usual_hypotheses = 0, usual_beginnings = 0, compared = 0;
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const auto model = RandomModel(GetParam(), seed);
    SearchOptions options{.beam_size = 4, .n_best = 4};
    const auto usual = SearchOne(model, source_, options);
    usual_hypotheses += usual.size();
    usual_beginnings += beginnings(usual);
    options.diversity = 100;
    const auto diverse = SearchOne(model, source_, options);
    EXPECT_EQ(beginnings(diverse), diverse.size());
    for (const Hypothesis& hypothesis : diverse) {
      if (!hypothesis.finished) continue;
      const Forcing forcing = Force({model}, source_, hypothesis.ids);
      EXPECT_NEAR(hypothesis.log_probability, forcing.log_probability, 1e-4);
      ++compared;
    }
  }
  EXPECT_LT(usual_beginnings, usual_hypotheses);
  EXPECT_GT(compared, 5u);
}

TEST_P(SearchOf, StopsAtTheLengthLimit) {
  auto model = RandomModel(GetParam(), 8);
  torch::NoGradGuard no_grad;
  model->named_parameters()["embeddings.output_bias"][SpecialIds::kEnd] =
      -100;  // never ends by itself
  for (const int64_t limit : {1, 5}) {
    const auto found = SearchOne(model, source_, {.beam_size = 2, .max_length = {0, limit}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(static_cast<int64_t>(found[0].ids.size()), limit);
    EXPECT_FALSE(found[0].finished);
  }
  // The default limit is a function of the source's length.
  EXPECT_EQ(SearchOne(model, source_, {.beam_size = 2})[0].ids.size(), 2 * source_.size() + 10);
  EXPECT_EQ(SearchOne(model, source_, {.beam_size = 2, .max_length = {1.5, 1}})[0].ids.size(), 5u);
}

TEST_P(SearchOf, DoesNotEndBeforeTheShortestLength) {
  auto model = RandomModel(GetParam(), 8);
  torch::NoGradGuard no_grad;
  model->named_parameters()["embeddings.output_bias"][SpecialIds::kEnd] = 100;  // ends at once
  for (const int64_t beam : {1, 3}) {
    EXPECT_EQ(SearchOne(model, source_, {.beam_size = beam})[0].ids.size(), 0u);
    const auto found = SearchOne(model, source_, {.beam_size = beam, .min_length = {1, 3}})[0];
    EXPECT_TRUE(found.finished);
    EXPECT_EQ(found.ids.size() + 1, source_.size() + 3);
    const Ids long_source(10, 5);
    EXPECT_EQ(
        SearchOne(model, long_source, {.beam_size = beam, .min_length = {0.5, 0}})[0].ids.size() +
            1,
        5u);
  }
}

// When nothing may follow, what there is is given, and not nothing.
TEST_P(SearchOf, ADeadEndGivesWhatThereIs) {
  auto model = RandomModel(GetParam(), 8);
  for (const int64_t beam : {1, 3}) {
    SearchOptions options{
        .beam_size = beam, .min_length = {0, 10}, .max_length = {0, 20}, .no_repeat_ngram = 1};
    for (const bool sample : {false, true}) {
      if (sample) options.sampling = SamplingOptions{};
      const auto found = SearchOne(model, source_, options);
      ASSERT_FALSE(found.empty());
      EXPECT_EQ(found[0].ids.size(), 4u);  // each of the four tokens once
      EXPECT_FALSE(found[0].finished);
    }
  }
}

TEST_P(SearchOf, RepeatsNoNgramThatItMayNotRepeat) {
  auto model = RandomModel(GetParam(), 8);
  torch::NoGradGuard no_grad;
  model->named_parameters()["embeddings.output_bias"][SpecialIds::kEnd] = -100;
  const auto repeats = [](const Ids& ids, size_t n) {
    std::set<Ids> seen;
    for (size_t i = 0; i + n <= ids.size(); ++i) {
      const auto begin = ids.begin() + static_cast<int64_t>(i);
      if (!seen.insert(Ids(begin, begin + static_cast<int64_t>(n))).second) return true;
    }
    return false;
  };
  for (const int64_t beam : {1, 4}) {
    const SearchOptions free{.beam_size = beam, .max_length = {0, 14}};
    EXPECT_TRUE(repeats(SearchOne(model, source_, free)[0].ids, 2));
    for (const int64_t n : {2, 3}) {
      SearchOptions options = free;
      options.no_repeat_ngram = n;
      const auto found = SearchOne(model, source_, options)[0];
      EXPECT_EQ(found.ids.size(), 14u);
      EXPECT_FALSE(repeats(found.ids, static_cast<size_t>(n)));
    }
  }
}

TEST_P(SearchOf, BeginsWithTheGivenPieces) {
  const auto model = RandomModel(GetParam(), 5);
  {
    torch::NoGradGuard no_grad;
    model->named_parameters()["embeddings.output_bias"][SpecialIds::kEnd] += 6;  // ends some time
  }
  const auto inference = MakeInference(model);
  for (const int64_t beam : {1, 4}) {
    const auto found = Search({inference.get()},
                              {{.sources = {source_}, .prefix = {6, 6, 1}}, {.sources = {{4, 4}}}},
                              {.beam_size = beam});
    const Ids& ids = found[0][0].ids;
    ASSERT_GE(ids.size(), 3u);
    EXPECT_EQ(Ids(ids.begin(), ids.begin() + 3), (Ids{6, 6, 1}));
    EXPECT_TRUE(found[0][0].finished);
    EXPECT_NEAR(found[0][0].log_probability, Force({model}, source_, ids).log_probability, 1e-4);
    // Its neighbour is not led.
    EXPECT_EQ(found[1][0].ids, SearchOne(model, {4, 4}, {.beam_size = beam})[0].ids);
  }
}

TEST_P(SearchOf, SamplesAreAFunctionOfTheSeedAndTheSentence) {
  const auto model = RandomModel(GetParam(), 5);
  const auto inference = MakeInference(model);
  const auto draw = [&](uint64_t seed, const std::vector<SearchInput>& inputs) {
    return Search({inference.get()}, inputs,
                  {.beam_size = 6, .n_best = 6, .sampling = SamplingOptions{.seed = seed}});
  };
  const SearchInput first{.sources = {source_}, .number = 3},
      other{.sources = {{4, 4}}, .number = 9};
  const auto alone = draw(1, {first})[0], together = draw(1, {other, first})[1];
  ASSERT_EQ(alone.size(), together.size());
  for (size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].ids, together[i].ids);
    if (!alone[i].finished) continue;
    EXPECT_NEAR(alone[i].log_probability, Force({model}, source_, alone[i].ids).log_probability,
                1e-4);
  }
  EXPECT_NE(draw(2, {first})[0][0].ids, alone[0].ids);
  EXPECT_NE(draw(1, {{.sources = {source_}, .number = 4}})[0][0].ids, alone[0].ids);
  // Of one candidate the draw is the greedy choice.
  const auto greedy =
      Search({inference.get()}, {first}, {.beam_size = 1, .sampling = SamplingOptions{.top_k = 1}});
  EXPECT_EQ(greedy[0][0].ids, SearchOne(model, source_, {.beam_size = 1})[0].ids);
}

TEST_P(SearchOf, SaysWhenTheWeightsAreBroken) {
  auto model = RandomModel(GetParam(), 9);
  torch::NoGradGuard no_grad;
  for (Tensor& parameter : model->parameters()) parameter.fill_(std::nan(""));
  EXPECT_THROW(SearchOne(model, source_, {}), c10::Error);
  EXPECT_THROW(SearchOne(model, source_, {.sampling = SamplingOptions{}}), c10::Error);
}

INSTANTIATE_TEST_SUITE_P(, SearchOf, testing::Values(ModelType::kGru, ModelType::kTransformer),
                         [](const auto& info) { return std::string(EnumName(info.param)); });

TEST(LengthNormalized, IsWhatThePapersSay) {
  EXPECT_EQ(LengthNormalized(-6, 3, LengthPenalty::kAverage, 0), -6);
  EXPECT_EQ(LengthNormalized(-6, 3, LengthPenalty::kGnmt, 0), -6);
  EXPECT_EQ(LengthNormalized(-6, 3, LengthPenalty::kAverage, 1), -2);
  EXPECT_EQ(LengthNormalized(-6, 13, LengthPenalty::kGnmt, 1), -2);  // (5 + 13) / 6 = 3
}

TEST(CoverageScore, CountsWhatWasLookedAtLess) {
  // Looked at twice, enough; half, ln 1/2; a tenth, ln 1/10.
  EXPECT_NEAR(CoverageScore({2.0f, 0.5f, 0.1f}, 0.5), 0.5 * (std::log(0.5) + std::log(0.1)), 1e-6);
  EXPECT_EQ(CoverageScore({}, 0.5), 0);
}

class Sampling : public testing::Test {
 protected:
  // Shares of 40,000 draws from p = 0.1, 0.2, 0.3, 0.4.
  std::vector<double> Shares(const SamplingOptions& options, const Ids& banned) {
    constexpr int kDraws = 40000;
    std::vector<double> shares(4);
    const Tensor log_p = torch::tensor({0.1f, 0.2f, 0.3f, 0.4f}).log();
    for (uint64_t i = 0; i < kDraws; ++i)
      shares[static_cast<size_t>(*SampleToken(log_p, banned, options, {.sentence = i}))] +=
          1.0 / kDraws;
    return shares;
  }
  void ExpectShares(const std::vector<double>& found, const std::vector<double>& expected) {
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 0.012) << i;
  }
};

TEST_F(Sampling, DrawsFromTheDistribution) {
  ExpectShares(Shares({}, {}), {0.1, 0.2, 0.3, 0.4});
  ExpectShares(Shares({}, {3}), {1.0 / 6, 2.0 / 6, 3.0 / 6, 0});
  ExpectShares(Shares({.top_k = 2}, {}), {0, 0, 3.0 / 7, 4.0 / 7});
  // 0.4 + 0.3 is less than 0.75, with 0.2 more it is not.
  ExpectShares(Shares({.top_p = 0.75}, {}), {0, 2.0 / 9, 3.0 / 9, 4.0 / 9});
  // p squared: 1, 4, 9, 16 of 30.
  ExpectShares(Shares({.temperature = 0.5}, {}), {1.0 / 30, 4.0 / 30, 9.0 / 30, 16.0 / 30});
  EXPECT_EQ(SampleToken(torch::zeros({2}), {0, 1}, {}, {}), std::nullopt);
}

TEST(BatchesByLength, LeaveOutBlanksAndKeepNeighboursAlike) {
  const auto batches = BatchesByLength({3, 0, 9, 3, 7}, 2);
  EXPECT_EQ(batches, (std::vector<std::vector<size_t>>{{2, 4}, {0, 3}}));
}

}  // namespace
}  // namespace nmt
