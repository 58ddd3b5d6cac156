#include "nmt/corpus/batch_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "nmt/text/splitmix64.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using Lengths = std::vector<int64_t>;
using Batches = std::vector<std::vector<int64_t>>;

Lengths RandomLengths(size_t size, uint64_t seed) {
  SplitMix64 random(seed);
  Lengths lengths(size);
  for (int64_t& length : lengths) length = 1 + static_cast<int64_t>(random.Below(50));
  return lengths;
}

Lengths Sorted(const Batches& batches) {
  Lengths all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  std::sort(all.begin(), all.end());
  return all;
}

Lengths UpTo(size_t size) {
  Lengths all(size);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int64_t PaddedTokens(const std::vector<int64_t>& batch, const Lengths& source,
                     const Lengths& target) {
  int64_t longest = 0;
  for (const int64_t i : batch) longest = std::max({longest, source[i] + 1, target[i] + 1});
  return longest * static_cast<int64_t>(batch.size());
}

TEST(EpochOrder, HoldsEveryPairOnceInBatchesOfTheAllowedSize) {
  const Lengths source = RandomLengths(5000, 1);
  const Lengths target = RandomLengths(5000, 2);
  const Batches order = EpochOrder(source, target, {.batch_tokens = 400}, 0);
  EXPECT_EQ(Sorted(order), UpTo(5000));
  for (const auto& batch : order) {
    EXPECT_FALSE(batch.empty());
    EXPECT_LE(PaddedTokens(batch, source, target), 400);
  }
}

TEST(EpochOrder, SevenPairsAreSevenPairsForAnyBatchSize) {
  const Lengths lengths(7, 3);
  for (const int64_t rows : {1, 4, 7, 64}) {
    EXPECT_EQ(Sorted(EpochOrder(lengths, lengths, {.batch_tokens = 4 * rows}, 0)), UpTo(7));
  }
  EXPECT_THAT(EpochOrder(lengths, lengths, {.batch_tokens = 4 * 4}, 0), SizeIs(2));
  EXPECT_THAT(EpochOrder({3}, {3}, {.batch_tokens = 4096}, 0), ElementsAre(ElementsAre(0)));
}

TEST(EpochOrder, APairThatIsTooLongIsABatchOfItsOwn) {
  const Lengths source = {5, 100, 5, 5};
  const Batches order = EpochOrder(source, {5, 5, 5, 5}, {.batch_tokens = 20}, 0);
  EXPECT_EQ(Sorted(order), UpTo(4));
  EXPECT_THAT(order, ::testing::Contains(ElementsAre(1)));
}

TEST(EpochOrder, IsTheSameForTheSameSeedAndEpochOnly) {
  const Lengths lengths = RandomLengths(1000, 3);
  const auto order = [&](uint64_t seed, int64_t epoch) {
    return EpochOrder(lengths, lengths, {.batch_tokens = 200, .seed = seed}, epoch);
  };
  EXPECT_EQ(order(1, 0), order(1, 0));
  EXPECT_NE(order(1, 0), order(1, 1));
  EXPECT_NE(order(1, 0), order(2, 0));
}

// From tests/golden/epoch_order.py, which follows the definition in Python.
TEST(EpochOrder, IsTheSameOnEveryMachine) {
  const Lengths source = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
  const Lengths target = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5};
  EXPECT_EQ(EpochOrder(source, target, {.batch_tokens = 24, .seed = 7}, 3),
            (Batches{{6, 2, 0, 8}, {11, 1}, {3, 9}, {4, 10}, {7, 5}}));
}

TEST(EpochOrder, PutsPairsOfLikeLengthTogether) {
  const Lengths source = RandomLengths(5000, 4);
  const BatchOptions options{.batch_tokens = 400};
  int64_t padded = 0;
  for (const auto& batch : EpochOrder(source, source, options, 0)) {
    padded += PaddedTokens(batch, source, source);
  }
  const int64_t tokens = std::accumulate(source.begin(), source.end(), int64_t{5000});
  EXPECT_LT(static_cast<double>(padded), 1.1 * static_cast<double>(tokens));
}

TEST(EpochOrder, DoesNotGoFromShortToLong) {
  const Lengths lengths = RandomLengths(5000, 5);
  const Batches order = EpochOrder(lengths, lengths, {.batch_tokens = 400}, 0);
  size_t falls = 0;
  for (size_t i = 1; i < order.size(); ++i)
    falls += lengths[order[i][0]] < lengths[order[i - 1][0]];
  EXPECT_GT(falls, order.size() / 3);
}

TEST(LengthOrder, GoesFromLongToShortAndHoldsEveryPairOnce) {
  const Lengths source = RandomLengths(500, 6);
  const Lengths target = RandomLengths(500, 7);
  const Batches order = LengthOrder(source, target, /*batch_tokens=*/400, /*batch_rows=*/10);
  EXPECT_EQ(Sorted(order), UpTo(500));
  for (const auto& batch : order) {
    EXPECT_LE(batch.size(), 10u);
    EXPECT_LE(PaddedTokens(batch, source, target), 400);
  }
  EXPECT_EQ(target[order.front().front()], 50);
  EXPECT_EQ(target[order.back().back()], 1);
  EXPECT_THAT(LengthOrder({}, {}, 400), SizeIs(0));
}

TEST(LengthOrder, FillsEachBatch) {
  const Lengths source = RandomLengths(500, 6);
  const Lengths target = RandomLengths(500, 7);
  const Batches order = LengthOrder(source, target, /*batch_tokens=*/400);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    std::vector<int64_t> with_next = order[i];
    with_next.push_back(order[i + 1].front());
    EXPECT_GT(PaddedTokens(with_next, source, target), 400);
  }
}

}  // namespace
}  // namespace nmt
