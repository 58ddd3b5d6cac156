#include "nmt/report/chart_axis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nmt {
namespace {

// "0 20 40": the labels of major ticks, with "'" for each minor one.
std::string TicksOf(const Axis& axis) {
  std::string text;
  for (const Tick& tick : axis.ticks) {
    if (!text.empty() && !tick.label.empty() && !text.ends_with(' ')) text += ' ';
    text += tick.label.empty() ? "'" : tick.label + " ";
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

Axis Linear(double min, double max, int max_steps = 5) {
  return MakeAxis({}, Interval{min, max}, max_steps);
}
Axis Log(double min, double max, int max_steps = 6) {
  return MakeAxis({.scale = AxisScale::kLog}, Interval{min, max}, max_steps);
}

TEST(LinearAxis, HasTicksAtOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_EQ(TicksOf(Linear(0.3, 9.7)), "0 2 4 6 8 10");
  EXPECT_EQ(TicksOf(Linear(1, 2999, 6)), "0 500 1,000 1,500 2,000 2,500 3,000");
  EXPECT_EQ(TicksOf(Linear(0, 5)), "0 1 2 3 4 5");
  EXPECT_EQ(TicksOf(Linear(0, 0.3, 3)), "0.0 0.1 0.2 0.3");
  EXPECT_EQ(TicksOf(Linear(2.31, 2.36)), "2.31 2.32 2.33 2.34 2.35 2.36");
}

TEST(LinearAxis, EndsAtATickBeyondTheData) {
  const Axis axis = Linear(0.3, 9.7);
  EXPECT_EQ(axis.min, 0);
  EXPECT_EQ(axis.max, 10);
  EXPECT_EQ(Linear(2, 4).min, 2) << "data on a tick need no further one";
  EXPECT_EQ(Linear(2, 4).max, 4);
}

TEST(LinearAxis, NegativeTicksHaveAMinusSign) {
  EXPECT_EQ(TicksOf(Linear(-3.2, 1.1)), "−4 −3 −2 −1 0 1 2");
  EXPECT_EQ(TicksOf(Linear(-4500, -500)), "−5,000 −4,000 −3,000 −2,000 −1,000 0");
}

TEST(LinearAxis, TinyRangesShowAllTheirDigits) {
  EXPECT_EQ(TicksOf(Linear(1.000002, 1.0000055, 4)),
            "1.000002 1.000003 1.000004 1.000005 1.000006");
}

TEST(LinearAxis, TinyAndHugeValuesAreWrittenWithAPowerOfTen) {
  EXPECT_EQ(TicksOf(Linear(0, 3e-5, 3)), "0 1e-05 2e-05 3e-05");
  EXPECT_EQ(TicksOf(Linear(0, 1.5e12, 3)), "0 5e+11 1e+12 1.5e+12");
  EXPECT_EQ(TicksOf(Linear(0, 2e6, 2)), "0 1,000,000 2,000,000");
  EXPECT_EQ(TicksOf(Linear(0, 0.004, 2)), "0.000 0.002 0.004");
}

TEST(LinearAxis, GivenLimitsStayAndHaveTicksBetween) {
  const Axis axis = MakeAxis({.label = "", .min = 0.7, .max = 4.3}, Interval{-100, 100}, 5);
  EXPECT_EQ(axis.min, 0.7);
  EXPECT_EQ(axis.max, 4.3);
  EXPECT_EQ(TicksOf(axis), "1 2 3 4");
  const Axis half = MakeAxis({.label = "", .min = {}, .max = 10}, Interval{1, 100}, 5);
  EXPECT_EQ(half.min, 0);
  EXPECT_EQ(half.max, 10);
}

TEST(LinearAxis, ALimitBeyondAllDataStillMakesAnAxis) {
  const Axis above = MakeAxis({.label = "", .min = 200, .max = {}}, Interval{1, 100}, 5);
  EXPECT_EQ(above.min, 200);
  EXPECT_GT(above.max, 200);
  const Axis below = MakeAxis({.label = "", .min = {}, .max = -5}, Interval{1, 100}, 5);
  EXPECT_EQ(below.max, -5);
  EXPECT_LT(below.min, -5);
}

TEST(LinearAxis, OneValueLiesInTheMiddle) {
  for (const double value : {3000.0, -0.25, 0.0, 1e-250, 1e100}) {
    const Axis axis = Linear(value, value);
    EXPECT_NEAR(axis.Fraction(value), 0.5, 0.11) << value;
    EXPECT_GE(axis.ticks.size(), 3u) << value;
    EXPECT_LE(axis.ticks.size(), 9u) << value;
  }
}

TEST(MakeAxis, WithoutDataRunsFromZeroOrOne) {
  EXPECT_EQ(TicksOf(MakeAxis({}, std::nullopt, 2)), "0.0 0.5 1.0");
  EXPECT_EQ(TicksOf(MakeAxis({.scale = AxisScale::kLog}, {}, 5)), "1 2 '' 5 '''' 10");
}

TEST(LogAxis, LabelsDecadesAndMarksTheRest) {
  EXPECT_EQ(TicksOf(Log(3, 2000)), "'''''''' 10 '''''''' 100 '''''''' 1,000 '");
  EXPECT_EQ(Log(3, 2000).min, 2);
  EXPECT_EQ(Log(3, 2000).max, 2000);
}

TEST(LogAxis, EndsAtTheDataWhereNoTickIsNear) {
  EXPECT_EQ(Log(1, 1024).max, 2000) << "a tenth longer";
  EXPECT_EQ(Log(4, 256).min, 4);
  EXPECT_EQ(Log(4, 256).max, 256);
  EXPECT_EQ(TicksOf(Log(4, 256)), "' 5 '''' 10 20 '' 50 '''' 100 200");
  EXPECT_EQ(Log(4, 256).Fraction(256), 1);
}

TEST(LogAxis, LabelsOneTwoAndFiveWhereThereIsRoom) {
  EXPECT_EQ(TicksOf(Log(128, 4096, 8)), "100 200 '' 500 '''' 1,000 2,000 '' 5,000");
  EXPECT_EQ(TicksOf(Log(0.012, 0.09)), "0.01 0.02 '' 0.05 '''' 0.1");
}

TEST(LogAxis, ShortRangesHaveTicksAtEqualSteps) {
  EXPECT_EQ(TicksOf(Log(1210, 2100)), "1,400 1,600 1,800 2,000");
  EXPECT_EQ(TicksOf(Log(3, 9)), "4 6 8 10");
  EXPECT_EQ(Log(3, 9).min, 3) << "no tick is near";
}

TEST(LogAxis, SkipsDecadesWhereThereAreMany) {
  EXPECT_EQ(TicksOf(Log(1e-8, 1e7, 3)), "''' 1e-05 '''' 1 '''' 100,000 ''");
}

TEST(LogAxis, WritesPowersOutsideEverydayNumbers) {
  EXPECT_EQ(TicksOf(Log(0.001, 1000)),
            "0.001 '''''''' 0.01 '''''''' 0.1 '''''''' 1 '''''''' 10 '''''''' 100 '''''''' 1,000");
  EXPECT_EQ(TicksOf(Log(1e-4, 1e-3)), "0.0001 0.0002 '' 0.0005 '''' 0.001");
}

TEST(LogAxis, OneValueLiesInTheMiddle) {
  for (const double value : {100.0, 3e-7, 1e-99}) {
    EXPECT_NEAR(Log(value, value).Fraction(value), 0.5, 0.2) << value;
  }
}

TEST(Axis, FractionsAreOfTheLengthOrOfTheDecades) {
  const Axis linear{.min = 2, .max = 6};
  EXPECT_EQ(linear.Fraction(2), 0);
  EXPECT_EQ(linear.Fraction(3), 0.25);
  EXPECT_EQ(linear.Fraction(8), 1.5);
  const Axis log{.scale = AxisScale::kLog, .min = 1, .max = 10000};
  EXPECT_DOUBLE_EQ(log.Fraction(10), 0.25);
  EXPECT_DOUBLE_EQ(log.Fraction(0.1), -0.25);
}

// The ends of what CheckChart() lets pass.
TEST(MakeAxis, ExtremeRangesHaveFewTicksInOrder) {
  for (const Axis& axis :
       {Linear(-1e100, 1e100), Linear(0, 1e-150), Linear(0, 5e-315), Linear(1e-315, 1e-315),
        Log(1e-100, 1e100), Log(1, 1e100), Linear(1e15, 1e15 + 1)}) {
    EXPECT_LT(axis.min, axis.max);
    EXPECT_GE(axis.ticks.size(), 2u);
    EXPECT_LE(axis.ticks.size(), 600u);
    for (size_t i = 0; i < axis.ticks.size(); ++i) {
      EXPECT_TRUE(std::isfinite(axis.ticks[i].value));
      EXPECT_TRUE(i == 0 || axis.ticks[i - 1].value < axis.ticks[i].value) << i;
    }
  }
}

}  // namespace
}  // namespace nmt
