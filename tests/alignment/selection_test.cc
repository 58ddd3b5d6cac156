#include "nmt/alignment/selection.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <filesystem>
#include <tuple>

#include "nmt/base/file.h"
#include "tests/text/trained_tokenizer.h"

namespace nmt {
namespace {

// Five pairs of four words in reverse order. Two layers of two heads; only layer 2, head 1 looks at the
// right word, one step late. Head 2 is as sure of a wrong one, so that the mean of both is no better
// than a guess.
struct Reversal {
  CorpusAttention attention;
  std::vector<Links> gold;
};
Reversal MakeReversal() {
  Reversal made;
  torch::manual_seed(1);
  for (int sentence = 0; sentence < 5; ++sentence) {
    Tensor weights_LHTS = torch::rand({2, 2, 5, 5}).softmax(-1);
    for (int64_t t = 0; t < 4; ++t) {
      weights_LHTS[1][0][t + 1] = torch::zeros({5});
      weights_LHTS[1][0][t + 1][3 - t] = 1;
      weights_LHTS[1][1][t + 1] = torch::zeros({5});
      weights_LHTS[1][1][t + 1][(5 - t) % 4] = 1;
    }
    made.attention.records.push_back({weights_LHTS, torch::ones({2, 2, 5})});
    made.attention.pairs.push_back(
        {{{4, 5, 6, 7}, {0, 1, 2, 3}}, {{4, 5, 6, 7}, {0, 1, 2, 3}}, 4, 4});
    made.gold.push_back({{3, 0}, {2, 1}, {1, 2}, {0, 3}});
  }
  return made;
}

TEST(GoldSelector, FindsTheLayerHeadAndShiftThatTheGoldLinksFollow) {
  auto [attention, gold] = MakeReversal();
  for (const bool argmax_only : {false, true}) {
    GoldSelector selector(/*layers=*/2, /*heads=*/2, argmax_only);
    ASSERT_TRUE(selector.Add(attention, gold).ok());
    const SelectedAlignment selected = selector.Best();
    EXPECT_EQ(selected.choice.attention, (AttentionChoice{1, 0, 1, false}));
    EXPECT_EQ(selected.value, 0);
    EXPECT_EQ(selected.ToString(), "layer 2, head 1, shift 1, argmax (AER 0.0 %)");
  }
}

TEST(GoldSelector, GivesTheSameForACorpusInParts) {
  auto [attention, gold] = MakeReversal();
  GoldSelector whole(2, 2), parts(2, 2);
  ASSERT_TRUE(whole.Add(attention, gold).ok());
  for (size_t i = 0; i < gold.size(); ++i) {
    ASSERT_TRUE(parts.Add({{attention.pairs[i]}, {attention.records[i]}}, {gold[i]}).ok());
  }
  EXPECT_EQ(whole.Best().choice.attention, parts.Best().choice.attention);
  EXPECT_EQ(whole.Best().value, parts.Best().value);
}

TEST(GoldSelector, RefusesLinksThatAreNotOfThePairs) {
  auto [attention, gold] = MakeReversal();
  gold.pop_back();
  EXPECT_FALSE(GoldSelector(2, 2).Add(attention, gold).ok());
}

TEST(AgreementSelector, FindsTheChoicesThatSayTheSameOverAllParts) {
  const Links right = {{3, 0}, {2, 1}}, wrong = {{0, 0}, {1, 1}}, half = {{3, 0}, {1, 1}};
  AgreementSelector selector(/*forward_choices=*/2, /*backward_choices=*/3);
  selector.Add({{wrong, wrong}, {right, right}}, {{half, half}, {right, right}, {{}, {}}});
  selector.Add({{wrong}, {right}}, {{half}, {half}, {{}}});
  const AgreementSelector::Found best = selector.Best();
  EXPECT_EQ(best.forward, 1u);
  EXPECT_EQ(best.backward, 1u);
  EXPECT_NEAR(best.agreement, 2. * 5 / 12, 1e-9);  // five of six links are common
}

// One model of each kind, as a run would hold it.
TrainedModel SmallRun(ModelType type) {
  Options options;
  options.model = {.type = type, .embedding_size = 8, .hidden_size = 8};
  options.model.heads = 2;
  const Tokenizer tokenizer = TrainedOn({"any text at all"});
  return {.path = "",
          .options = options,
          .tokenizers = {.source = tokenizer, .target = tokenizer},
          .model = MakeModel(options.model, {12, 12}, /*seed=*/1)};
}

TEST(SelectByAgreement, GivesTheSameForACorpusInOnePieceAndDoesNotNeedTheSameArchitecture) {
  at::set_num_threads(1);
  const TrainedModel forward = SmallRun(ModelType::kTransformer),
                     backward = SmallRun(ModelType::kGru);
  std::vector<AlignedPair> pairs, opposite;
  for (int64_t i = 0; i < 6; ++i) {
    const EncodedLine source{{4, 5, 6 + i}, {0, 1, 2}}, target{{7, 4 + i}, {0, 1}};
    pairs.push_back({source, target, 3, 2});
    opposite.push_back({target, source, 2, 3});
  }
  const SelectedDirections selected = SelectByAgreement(forward, pairs, backward, opposite);
  // What the two choices give, counted here.
  WordSum agreement;
  const auto links = [](const TrainedModel& model, const std::vector<AlignedPair>& all, size_t i,
                        const SelectedAlignment& chosen) {
    return LinksOf(AttendPairs(model, {all[i]}, /*value_norms=*/true), 0, chosen.choice);
  };
  for (size_t i = 0; i < pairs.size(); ++i) {
    agreement += LinkAgreement(links(forward, pairs, i, selected.forward),
                               Reversed(links(backward, opposite, i, selected.backward)));
  }
  EXPECT_NEAR(selected.forward.value, *agreement.Mean(), 1e-9);
  EXPECT_EQ(selected.forward.value, selected.backward.value);
}

TEST(SelectByCertainty, TakesALayersMean) {
  at::set_num_threads(1);
  const TrainedModel run = SmallRun(ModelType::kTransformer);
  const std::vector<AlignedPair> pairs(3, {{{4, 5, 6}, {0, 1, 2}}, {{7, 8}, {0, 1}}, 3, 2});
  const SelectedAlignment selected = SelectByCertainty(run, pairs);
  EXPECT_EQ(selected.choice.attention.head, kAverage);
  EXPECT_EQ(selected.choice.attention.shift, 0);
  std::vector<double> costs;
  for (int64_t layer = 0; layer < 2; ++layer) {
    costs.push_back(*AttentionCost(WordsOf(AttendPairs(run, {pairs[0]}, false), 0,
                                           {.layer = layer, .head = kAverage}))
                         .Mean());
  }
  EXPECT_EQ(selected.choice.attention.layer, costs[1] < costs[0] ? 1 : 0);
  EXPECT_NEAR(selected.value, std::min(costs[0], costs[1]), 1e-6);
}

TEST(AlignmentChoice, IsReadBackAsItWasStored) {
  const auto path = std::filesystem::path(testing::TempDir()) / "alignment.json";
  const auto model = SmallRun(ModelType::kTransformer).model;
  const AlignmentChoice choice{
      .attention = {.layer = 1, .head = 1, .shift = 2, .value_norms = true},
      .threshold = 0.35,
      .per_source = 0.25,
      .end = EndOfSource::kDrop,
      .final_punctuation = true};
  ASSERT_TRUE(SaveAlignmentChoice(path, {choice, SelectionCriterion::kAer, 0.1}).ok());
  const auto loaded = LoadAlignmentChoice(path, *model);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->ToString(), choice.ToString());
  EXPECT_EQ(loaded->attention, choice.attention);
  const std::string good = *ReadFile(path);
  for (const auto& [from, to, says] : {std::tuple("\"drop\"", "\"dorp\"", "mask"),
                                       {"\"layer\": 1", "\"layer\": 1.7", "layer"},
                                       {"\"layer\": 1", "\"layer\": 2", "2 layers"},
                                       {"\"shift\": 2", "\"shift\": 99", "shift"}}) {
    std::string bad = good;
    bad.replace(bad.find(from), std::string(from).size(), to);
    ASSERT_TRUE(WriteFileAtomically(path, bad).ok());
    EXPECT_NE(std::string(LoadAlignmentChoice(path, *model).status().message()).find(says),
              std::string::npos)
        << to;
  }
}

TEST(AttentionCost, IsLeastForSureLinksOnTheDiagonal) {
  const SoftMatrix diagonal(2, 3, {1, 0, 0, 0, 1, 0}), reversed(2, 3, {0, 1, 0, 1, 0, 0}),
      end(2, 3, {0, 0, 1, 0, 0, 1});
  EXPECT_EQ(AttentionCost(diagonal).Mean(), 0);
  EXPECT_EQ(AttentionCost(reversed).Mean(), 1);
  EXPECT_EQ(AttentionCost(end).Mean(), 1);
  // By hand: entropy ln 2 of ln 3, and half of the weight lies one whole sentence off.
  const SoftMatrix half(2, 3, {.5f, .5f, 0, .5f, .5f, 0});
  EXPECT_NEAR(*AttentionCost(half).Mean(), std::log(2.) / std::log(3.) + .5, 1e-6);
  EXPECT_FALSE(AttentionCost(SoftMatrix(0, 3)).Mean().has_value());
}

}  // namespace
}  // namespace nmt
