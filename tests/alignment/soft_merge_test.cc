#include "nmt/alignment/soft_merge.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace nmt {
namespace {

// Two target words, three source words; last columns are </s>.
const SoftMatrix kForwardTS(2, 4,
                            {0.5f, 0.5f, 0, 0,  //
                             0, 0, 0.25f, 0.75f});
const SoftMatrix kBackwardST(3, 3,
                             {1, 0, 0,        //
                              0.5f, 0.5f, 0,  //
                              0.25f, 0.5f, 0.25f});

TEST(ProductMerge, MultipliesWhatTheWordsGiveEachOther) {
  EXPECT_EQ(ProductMerge(kForwardTS, kBackwardST), SoftMatrix(2, 3,
                                                              {0.5f, 0.25f, 0,  //
                                                               0, 0, 0.125f}));
}

TEST(ProductMerge, SizesThatDoNotFitAreRefused) {
  EXPECT_THROW(ProductMerge(kForwardTS, kForwardTS), std::invalid_argument);
  EXPECT_THROW(ProductMerge(kForwardTS, SoftMatrix(3, 2)), std::invalid_argument);
  EXPECT_THROW(ProductMerge(SoftMatrix(2, 3), kBackwardST), std::invalid_argument);
}

TEST(ProductMerge, EmptySidesMakeAnEmptyMatrix) {
  EXPECT_EQ(ProductMerge(SoftMatrix(0, 2), SoftMatrix(1, 1, {1})), SoftMatrix(0, 1));
}

TEST(LinksAbove, TakesEveryProductFromTheThresholdOn) {
  const SoftMatrix product_TS = ProductMerge(kForwardTS, kBackwardST);
  EXPECT_EQ(FormatLinks(LinksAbove(product_TS, 0.25)), "0-0 1-0");
  EXPECT_EQ(FormatLinks(LinksAbove(product_TS, 0.1)), "0-0 1-0 2-1");
  EXPECT_EQ(FormatLinks(LinksAbove(product_TS, 0.6)), "");
  EXPECT_THROW(LinksAbove(product_TS, 0), std::invalid_argument);
}

TEST(LinksOfLargest, LinksEachTargetWordWithTheFirstOfItsLargest) {
  EXPECT_EQ(FormatLinks(LinksOfLargest(ProductMerge(kForwardTS, kBackwardST))), "0-0 2-1");
  EXPECT_EQ(FormatLinks(LinksOfLargest({1, 3, {0.25f, 0.5f, 0.5f}})), "1-0");
}

TEST(LinksOfLargest, AWordWithoutWeightHasNoLink) {
  EXPECT_EQ(FormatLinks(LinksOfLargest({2, 2, {0, 0, 0, 0.5f}})), "1-1");
  EXPECT_EQ(FormatLinks(LinksOfLargest(SoftMatrix(2, 0))), "");
}

}  // namespace
}  // namespace nmt
