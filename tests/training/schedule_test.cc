#include "nmt/training/schedule.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TrainingOptions Options(Schedule schedule) {
  return {.learning_rate = 0.01, .schedule = schedule, .warmup_updates = 100, .max_updates = 1100};
}

TEST(LearningRate, RisesFromZeroInEverySchedule) {
  for (const auto& [schedule, name] : EnumNames<Schedule>::values) {
    EXPECT_DOUBLE_EQ(LearningRate(Options(schedule), 1, 1), 0.0001) << name;
    EXPECT_DOUBLE_EQ(LearningRate(Options(schedule), 50, 1), 0.005) << name;
    EXPECT_DOUBLE_EQ(LearningRate(Options(schedule), 100, 1), 0.01) << name;
  }
}

TEST(LearningRate, FallsAsTheScheduleSays) {
  EXPECT_DOUBLE_EQ(LearningRate(Options(Schedule::kInverseSqrt), 400, 1), 0.005);
  EXPECT_DOUBLE_EQ(LearningRate(Options(Schedule::kConstant), 400, 1), 0.01);
  EXPECT_DOUBLE_EQ(LearningRate(Options(Schedule::kPlateau), 400, 0.25), 0.0025);
  EXPECT_NEAR(LearningRate(Options(Schedule::kCosine), 600, 1), 0.005, 1e-12);
  EXPECT_NEAR(LearningRate(Options(Schedule::kCosine), 1100, 1), 0, 1e-12);
}

TEST(LearningRate, WithoutWarmUpStartsAtThePeak) {
  TrainingOptions options = Options(Schedule::kInverseSqrt);
  options.warmup_updates = 0;
  EXPECT_DOUBLE_EQ(LearningRate(options, 1, 1), 0.01);
  EXPECT_DOUBLE_EQ(LearningRate(options, 4, 1), 0.005);
}

}  // namespace
}  // namespace nmt
