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

constexpr AttentionChoice kPlain{.layer = 0, .head = 0, .shift = 0};

TEST(ToWords, AddsOverSourcePiecesAndAveragesOverTargetPieces) {
  // Source words: 0 = pieces 0 and 1, 1 = piece 2. Target words: 0 = piece 0, 1 = pieces 1 and 2.
  const AttentionRecord record = Record(
      {{.1f, .2f, .3f, .4f}, {.5f, .1f, .2f, .2f}, {.1f, .1f, .8f, 0}, {.25f, .25f, .25f, .25f}});
  const SoftMatrix words = ToWords(record, kPlain, {0, 0, 1}, 2, {0, 1, 1}, 2);
  const std::vector<float> expected = {.3f, .3f, .4f, .4f, .5f, .1f};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(words.values()[i], expected[i]);
}

TEST(ToWords, TakesTheRowThatTheShiftNames) {
  const AttentionRecord record = Record({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  AttentionChoice choice = kPlain;
  choice.shift = 1;
  EXPECT_EQ(ToWords(record, choice, {0, 1}, 2, {0, 1}, 2), SoftMatrix(2, 3, {0, 1, 0, 0, 0, 1}));
  choice.shift = 2;  // beyond the last row: the last row
  EXPECT_EQ(ToWords(record, choice, {0, 1}, 2, {0, 1}, 2), SoftMatrix(2, 3, {0, 0, 1, 0, 0, 1}));
}

// Two heads; what the second weighs at source piece 1 is three times as long.
TEST(ToWords, TimesValueNormsEachHeadIsScaledToOneAgain) {
  const AttentionRecord record{
      torch::tensor({.5f, .5f, 0.f, .5f, .5f, 0.f}).view({1, 2, 1, 3}).expand({1, 2, 2, 3}),
      torch::tensor({1.f, 1.f, 1.f, 1.f, 3.f, 1.f}).view({1, 2, 3})};
  AttentionChoice choice{.layer = 0, .head = 1, .value_norms = true};
  EXPECT_EQ(ToWords(record, choice, {0, 1}, 2, {0}, 1), SoftMatrix(1, 3, {.25f, .75f, 0}));
  choice.head = kAverage;
  EXPECT_EQ(ToWords(record, choice, {0, 1}, 2, {0}, 1), SoftMatrix(1, 3, {.375f, .625f, 0}));
}

TEST(ToWords, GivesWordsOfABlankSideNothing) {
  EXPECT_EQ(ToWords({}, kPlain, {}, 0, {0}, 1), SoftMatrix(1, 1));
}

TEST(ToPieces, GivesEveryPieceAndTheEndItsShiftedRow) {
  const AttentionRecord record = Record({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {.5f, .5f, 0}});
  EXPECT_EQ(ToPieces(record, kPlain), SoftMatrix(4, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1, .5f, .5f, 0}));
  AttentionChoice choice = kPlain;
  choice.shift = 1;  // the last row has none behind it
  EXPECT_EQ(ToPieces(record, choice),
            SoftMatrix(4, 3, {0, 1, 0, 0, 0, 1, .5f, .5f, 0, .5f, .5f, 0}));
  EXPECT_EQ(ToPieces({}, kPlain), SoftMatrix());
}

TEST(ForcedAttention, GivesEachSentenceItsOwnRowsWhateverTheBatch) {
  at::set_num_threads(1);
  for (const ModelType type : {ModelType::kGru, ModelType::kTransformer}) {
    ModelOptions options{.type = type, .embedding_size = 8, .hidden_size = 8};
    options.heads = 2;
    auto model = MakeModel(options, {12, 12}, 1);
    const std::vector<Ids> sources = {{4, 5, 6}, {}, {7}}, targets = {{4}, {5}, {6, 7, 8, 9}};
    const auto together =
        ForcedAttention(*model, sources, targets, /*value_norms=*/true, {.batch_size = 8});
    const auto apart =
        ForcedAttention(*model, sources, targets, /*value_norms=*/false, {.batch_size = 1});
    EXPECT_FALSE(together[1].weights_LHTS.defined());
    EXPECT_TRUE(together[0].value_norms_LHS.defined());
    EXPECT_FALSE(apart[0].value_norms_LHS.defined());
    for (const size_t i : {size_t{0}, size_t{2}}) {
      const Tensor& weights = together[i].weights_LHTS;
      EXPECT_EQ(weights.size(2), static_cast<int64_t>(targets[i].size()) + 1);
      EXPECT_EQ(weights.size(3), static_cast<int64_t>(sources[i].size()) + 1);
      EXPECT_TRUE(torch::allclose(weights.sum(-1), torch::ones_like(weights.sum(-1)), 1e-4, 1e-4));
      EXPECT_TRUE(torch::allclose(weights, apart[i].weights_LHTS, 1e-4, 1e-5));
    }
  }
}

}  // namespace
}  // namespace nmt
