#include "nmt/report/attention_summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nmt {
namespace {

// The worked example of docs/alignment-measures.md, and a model that is sure of the diagonal.
const SoftMatrix kWorked(2, 4, {0.5f, 0.25f, 0.25f, 0, 0, 0.125f, 0.5f, 0.375f});
const SoftMatrix kDiagonal(2, 4, {1, 0, 0, 0, 0, 1, 0, 0});

Comparison TwoModels() {
  Comparison comparison;
  comparison.models.resize(2);
  comparison.sentences = {
      {.line = 1,
       .source = "der Hund .",
       .reference = "the dog",
       .gold = Links{{0, 0, false}, {1, 1, false}},
       .reference_links = {{{0, 0, false}, {2, 1, false}}, {{0, 0, false}, {1, 1, false}}}}};
  return comparison;
}

TEST(AttentionSummary, MeasuresASentenceAndTheTestSet) {
  Comparison comparison = TwoModels();
  AttentionSummary summary(2);
  SentenceRecord& record = comparison.sentences[0];
  summary.Add({kWorked, kDiagonal}, record);
  EXPECT_DOUBLE_EQ(record.aer[0].value(), 0.5);
  EXPECT_DOUBLE_EQ(record.aer[1].value(), 0);
  EXPECT_DOUBLE_EQ(record.entropy[1].value(), 0);
  EXPECT_NEAR(record.coverage[0].value(), 1.375 / 3, 1e-6);
  EXPECT_NEAR(record.coverage[1].value(), 1.0 / 3, 1e-6);
  ASSERT_EQ(record.divergence.size(), 1u);
  EXPECT_GT(record.divergence[0].value(), 0);

  summary.Finish(comparison);
  const ModelResult& model = comparison.models[0];
  EXPECT_DOUBLE_EQ(model.aer.value(), 0.5);
  EXPECT_NEAR(model.alignment.gold_mass.value(), (0.5 + 0.125) / 2, 1e-6);
  EXPECT_NEAR(model.alignment.end_mass.value(), 0.375 / 2, 1e-6);
  EXPECT_NEAR(model.alignment.punctuation_mass.value(), (0.25 + 0.5) / 2, 1e-6);
  ASSERT_EQ(comparison.agreements.size(), 1u);
  EXPECT_DOUBLE_EQ(comparison.agreements[0].link_agreement.value(), 0.5);
  EXPECT_EQ(comparison.agreements[0].divergence, record.divergence[0]);
  EXPECT_TRUE(comparison.agreements[0].rank_correlation.has_value());
}

TEST(AttentionSummary, WithoutGoldSaysNothingOfErrors) {
  Comparison comparison = TwoModels();
  comparison.sentences[0].gold.reset();
  AttentionSummary summary(2);
  summary.Add({kWorked, kDiagonal}, comparison.sentences[0]);
  summary.Finish(comparison);
  EXPECT_TRUE(comparison.sentences[0].aer.empty());
  EXPECT_FALSE(comparison.models[0].aer.has_value());
  EXPECT_FALSE(comparison.models[0].alignment.gold_mass.has_value());
  EXPECT_TRUE(comparison.models[0].alignment.entropy.has_value());
}

TEST(AttentionSummary, OfNothingHasNoMeans) {
  Comparison comparison = TwoModels();
  AttentionSummary summary(2);
  summary.Add({}, comparison.sentences[0]);
  summary.Finish(comparison);
  EXPECT_FALSE(comparison.models[0].alignment.entropy.has_value());
  EXPECT_FALSE(comparison.agreements[0].divergence.has_value());
  Comparison empty;
  AttentionSummary(0).Finish(empty);
  EXPECT_TRUE(empty.agreements.empty());
}

}  // namespace
}  // namespace nmt
