#include "nmt/base/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace nmt {
namespace {

constexpr int64_t kMegabyte = 1 << 20;

TEST(PeakMemoryTest, KeepsWhatWasGivenBackAndForgetsItWhenAsked) {
  const std::optional<int64_t> before = PeakMemory();
  if (!before) GTEST_SKIP() << "this system does not tell a process's peak memory";
  // More than malloc keeps for itself; written to, so that it is really held.
  { const std::vector<char> held(200 * kMegabyte, 1); }
  EXPECT_GE(*PeakMemory(), *before + 150 * kMegabyte);
  ForgetPeakMemory();
  EXPECT_LT(*PeakMemory(), *before + 50 * kMegabyte);
}

}  // namespace
}  // namespace nmt
