#include "nmt/text/splitmix64.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace nmt {
namespace {

// Published outputs of the reference implementation for this seed.
TEST(SplitMix64, GivesTheReferenceNumbers) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317u);
  EXPECT_EQ(random.Next(), 3203168211198807973u);
  EXPECT_EQ(random.Next(), 9817491932198370423u);
  EXPECT_EQ(random.Next(), 4593380528125082431u);
  EXPECT_EQ(random.Next(), 16408922859458223821u);
}

TEST(SplitMix64, DrawsEveryIndexEquallyOften) {
  SplitMix64 random(3);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts.at(random.Below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

TEST(SplitMix64, UniformLiesBetweenZeroAndOne) {
  SplitMix64 random(4);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.Uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(MixSeed, DependsOnEachPartAndTheirOrder) {
  const std::set<uint64_t> seeds = {MixSeed({1, 2, 3}), MixSeed({3, 2, 1}), MixSeed({1, 2}),
                                    MixSeed({1, 2, 4}), MixSeed({0, 0, 0}), MixSeed({0, 0})};
  EXPECT_EQ(seeds.size(), 6u);
}

}  // namespace
}  // namespace nmt
