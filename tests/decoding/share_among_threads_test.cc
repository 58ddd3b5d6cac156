#include "nmt/decoding/share_among_threads.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace nmt {
namespace {

class ShareAmong : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { at::set_num_threads(GetParam()); }
};

TEST_P(ShareAmong, DoesEachPieceOnceOnThreadsThatComputeAlone) {
  for (const size_t count : {0, 1, 2, 57}) {
    std::vector<std::atomic<int>> done(count);
    std::atomic<int> most_threads = 0;
    ShareAmongThreads(count, [&](size_t i) {
      ++done[i];
      most_threads = std::max(most_threads.load(), at::get_num_threads());
    });
    for (const auto& times : done) EXPECT_EQ(times, 1);
    // A single piece is computed on all threads.
    if (count > 0) {
      EXPECT_EQ(most_threads, count < static_cast<size_t>(GetParam()) ? GetParam() : 1);
    }
    EXPECT_EQ(at::get_num_threads(), GetParam());
  }
}

TEST_P(ShareAmong, AnExceptionEndsTheWorkAndReachesTheCaller) {
  std::atomic<int> done = 0;
  const auto work = [&](size_t i) {
    if (i == 3) throw std::runtime_error("piece 3");
    ++done;
  };
  EXPECT_THROW(ShareAmongThreads(100000, work), std::runtime_error);
  EXPECT_LT(done, 100000 - 1);
  EXPECT_EQ(at::get_num_threads(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(, ShareAmong, testing::Values(1, 2, 3),
                         [](const auto& info) { return std::to_string(info.param) + "_threads"; });

}  // namespace
}  // namespace nmt
