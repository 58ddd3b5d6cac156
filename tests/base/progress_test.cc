#include "nmt/base/progress.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(FormatDuration, UsesTheUnitThatFits) {
  EXPECT_EQ(FormatDuration(12.4), "12 s");
  EXPECT_EQ(FormatDuration(200), "3 min 20 s");
  EXPECT_EQ(FormatDuration(3840), "1 h 04 min");
}

TEST(WithThousands, GroupsDigits) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1234567), "1,234,567");
  EXPECT_EQ(WithThousands(-1000), "-1,000");
  EXPECT_EQ(WithThousands(-100), "-100");
}

}  // namespace
}  // namespace nmt
