#include "nmt/alignment/extraction.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

std::string LinksOf(const SoftMatrix& weights_TS, const AlignmentChoice& choice,
                    bool both_end_in_punctuation = false) {
  return FormatLinks(ExtractLinks(weights_TS, choice, both_end_in_punctuation));
}

TEST(ExtractLinks, TakesTheLargestAndNeverTheEndSymbol) {
  const SoftMatrix weights(2, 3, {.2f, .1f, .7f, .1f, .5f, .4f});
  EXPECT_EQ(LinksOf(weights, {}), "0-0 1-1");
  EXPECT_EQ(LinksOf(weights, {.end = EndOfSource::kDrop}), "1-1");
}

TEST(ExtractLinks, TakesAllWithinTheThreshold) {
  const SoftMatrix weights(1, 4, {.5f, .3f, .2f, 0.f});
  EXPECT_EQ(LinksOf(weights, {.threshold = 0.6}), "0-0 1-0");
  EXPECT_EQ(LinksOf(weights, {.threshold = 0.4}), "0-0 1-0 2-0");
}

TEST(ExtractLinks, AddsForEachSourceWordTheTargetWordThatLooksAtItMost) {
  // Two source words to one target word, and one that nobody looks at.
  const SoftMatrix weights(2, 4, {.6f, .3f, .05f, .05f, .1f, .2f, .1f, .6f});
  EXPECT_EQ(LinksOf(weights, {}), "0-0 1-1");
  EXPECT_EQ(LinksOf(weights, {.per_source = 0.25}), "0-0 1-0 1-1");
  // Alone: a source word a link.
  EXPECT_EQ(LinksOf(weights, {.threshold = 0, .per_source = 0.05}), "0-0 1-0 2-1");
  EXPECT_EQ(LinksOf(weights, {.threshold = 0}), "");
}

TEST(ExtractLinks, FinalPunctuationIsLinkedToItselfAlone) {
  const SoftMatrix weights(2, 3, {.3f, .6f, .1f, .8f, .1f, .1f});
  const AlignmentChoice choice{.final_punctuation = true};
  EXPECT_EQ(LinksOf(weights, choice, /*both_end_in_punctuation=*/true), "1-1");
  EXPECT_EQ(LinksOf(weights, choice, /*both_end_in_punctuation=*/false), "0-1 1-0");
  EXPECT_EQ(LinksOf(weights, {}, /*both_end_in_punctuation=*/true), "0-1 1-0");
}

TEST(ExtractLinks, OfABlankSideGivesNone) {
  EXPECT_EQ(LinksOf(SoftMatrix(2, 1), {.per_source = 0.1}), "");
  EXPECT_EQ(LinksOf(SoftMatrix(0, 3), {.per_source = 0.1}), "");
}

TEST(AlignmentChoice, NamesEveryConvention) {
  EXPECT_EQ(AlignmentChoice{}.ToString(), "layer 1, mean of heads, shift 0, argmax");
  const AlignmentChoice all{.attention = {.layer = 1, .head = 2, .shift = 1, .value_norms = true},
                            .threshold = 0.5,
                            .per_source = 0.2,
                            .end = EndOfSource::kDrop,
                            .final_punctuation = true};
  EXPECT_EQ(
      all.ToString(),
      "layer 2, head 3, shift 1, weights x value norms, threshold 0.5, per source 0.2, none where "
      "</s> is largest, final punctuation linked");
}

}  // namespace
}  // namespace nmt
