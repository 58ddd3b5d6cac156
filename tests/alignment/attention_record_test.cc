#include "nmt/alignment/attention_record.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/alignment/selection.h"

namespace nmt {
namespace {

// One layer, one head: rows are target pieces and </s>, columns source pieces and </s>.
AttentionRecord Record(const std::vector<std::vector<float>>& rows) {
  std::vector<float> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return {torch::tensor(flat).view(
      {1, 1, static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())})};
}

constexpr AlignmentChoice kPlain{.layer = 0, .head = 0, .shift = 0, .threshold = 1};

TEST(ToWords, AddsOverSourcePiecesAndAveragesOverTargetPieces) {
  // Source words: 0 = pieces 0 and 1, 1 = piece 2. Target words: 0 = piece 0, 1 = pieces 1 and 2.
  const AttentionRecord record = Record(
      {{.1f, .2f, .3f, .4f}, {.5f, .1f, .2f, .2f}, {.1f, .1f, .8f, 0}, {.25f, .25f, .25f, .25f}});
  const Tensor words = ToWords(record, kPlain, {0, 0, 1}, 2, {0, 1, 1}, 2).weights_TS;
  EXPECT_TRUE(torch::allclose(words, torch::tensor({{.3f, .3f, .4f}, {.4f, .5f, .1f}})));
  EXPECT_TRUE(torch::allclose(words.sum(1), torch::ones({2})));
}

TEST(ToWords, TakesTheRowThatTheShiftNames) {
  const AttentionRecord record = Record({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  AlignmentChoice choice = kPlain;
  choice.shift = 1;
  EXPECT_TRUE(ToWords(record, choice, {0, 1}, 2, {0, 1}, 2)
                  .weights_TS.equal(torch::tensor({{0.f, 1.f, 0.f}, {0.f, 0.f, 1.f}})));
  choice.shift = 2;  // beyond the last row: the last row
  EXPECT_TRUE(ToWords(record, choice, {0, 1}, 2, {0, 1}, 2)
                  .weights_TS.equal(torch::tensor({{0.f, 0.f, 1.f}, {0.f, 0.f, 1.f}})));
}

TEST(ToWords, GivesWordsOfABlankSideNothing) {
  EXPECT_EQ(ToWords({}, kPlain, {}, 0, {0}, 1).weights_TS.sizes(), torch::IntArrayRef({1, 1}));
}

TEST(ExtractLinks, TakesTheLargestAndNeverTheEndSymbol) {
  const WordAttention words{torch::tensor({{.2f, .1f, .7f}, {.1f, .5f, .4f}})};
  EXPECT_EQ(FormatLinks(ExtractLinks(words, kPlain)), "0-0 1-1");
}

TEST(ExtractLinks, TakesAllWithinTheThreshold) {
  const WordAttention words{torch::tensor({{.5f, .3f, .2f, 0.f}})};
  AlignmentChoice choice = kPlain;
  choice.threshold = 0.6;
  EXPECT_EQ(FormatLinks(ExtractLinks(words, choice)), "0-0 1-0");
  choice.threshold = 0.4;
  EXPECT_EQ(FormatLinks(ExtractLinks(words, choice)), "0-0 1-0 2-0");
}

TEST(ExtractLinks, AddsForEachSourceWordTheTargetWordThatLooksAtItMost) {
  // Two source words to one target word, and one that nobody looks at.
  const WordAttention words{torch::tensor({{.6f, .3f, .05f, .05f}, {.1f, .2f, .1f, .6f}})};
  AlignmentChoice choice = kPlain;
  EXPECT_EQ(FormatLinks(ExtractLinks(words, choice)), "0-0 1-1");
  choice.per_source = 0.25;
  EXPECT_EQ(FormatLinks(ExtractLinks(words, choice)), "0-0 1-0 1-1");
}

TEST(ForcedAttention, GivesEachSentenceItsOwnRowsWhateverTheBatch) {
  at::set_num_threads(1);
  for (const ModelType type : {ModelType::kGru, ModelType::kTransformer}) {
    ModelOptions options{.type = type, .embedding_size = 8, .hidden_size = 8};
    options.heads = 2;
    auto model = MakeModel(options, {12, 12}, 1);
    const std::vector<Ids> sources = {{4, 5, 6}, {}, {7}}, targets = {{4}, {5}, {6, 7, 8, 9}};
    const auto together = ForcedAttention(*model, sources, targets, {.batch_size = 8});
    const auto apart = ForcedAttention(*model, sources, targets, {.batch_size = 1});
    EXPECT_FALSE(together[1].weights_LHTS.defined());
    for (const size_t i : {size_t{0}, size_t{2}}) {
      const Tensor& weights = together[i].weights_LHTS;
      EXPECT_EQ(weights.size(2), static_cast<int64_t>(targets[i].size()) + 1);
      EXPECT_EQ(weights.size(3), static_cast<int64_t>(sources[i].size()) + 1);
      EXPECT_TRUE(torch::allclose(weights.sum(-1), torch::ones_like(weights.sum(-1)), 1e-4, 1e-4));
      EXPECT_TRUE(torch::allclose(weights, apart[i].weights_LHTS, 1e-4, 1e-5));
    }
  }
}

TEST(SelectAlignment, FindsTheLayerHeadAndShiftThatTheGoldLinksFollow) {
  // Two layers of two heads; only layer 2, head 1 looks at the right word, one step late. Head 2 is as sure of a wrong one,
  // so that the mean of both is no better than a guess.
  CorpusAttention attention;
  std::vector<Links> gold;
  torch::manual_seed(1);
  for (int sentence = 0; sentence < 5; ++sentence) {
    Tensor weights_LHTS = torch::rand({2, 2, 5, 5}).softmax(-1);
    for (int64_t t = 0; t < 4; ++t) {
      weights_LHTS[1][0][t + 1] = torch::zeros({5});
      weights_LHTS[1][0][t + 1][3 - t] = 1;
      weights_LHTS[1][1][t + 1] = torch::zeros({5});
      weights_LHTS[1][1][t + 1][(5 - t) % 4] = 1;
    }
    attention.records.push_back({weights_LHTS});
    attention.pairs.push_back({{{4, 5, 6, 7}, {0, 1, 2, 3}}, {{4, 5, 6, 7}, {0, 1, 2, 3}}, 4, 4});
    gold.push_back({{3, 0}, {2, 1}, {1, 2}, {0, 3}});
  }
  const auto selected = SelectAlignment(attention, gold);
  ASSERT_TRUE(selected.ok());
  EXPECT_EQ(selected->choice.layer, 1);
  EXPECT_EQ(selected->choice.head, 0);
  EXPECT_EQ(selected->choice.shift, 1);
  EXPECT_EQ(selected->score.aer, 0);
  gold.pop_back();
  EXPECT_FALSE(SelectAlignment(attention, gold).ok());
}

}  // namespace
}  // namespace nmt
