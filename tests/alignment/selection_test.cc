#include "nmt/alignment/selection.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

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
