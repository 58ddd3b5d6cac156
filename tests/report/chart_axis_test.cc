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
  return MakeAxis({.label = "", .scale = AxisScale::kLog, .min = {}, .max = {}}, Interval{min, max},
                  max_steps);
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

TEST(LinearAxis, TinyAndHugeValuesShareAPowerOfTen) {
  EXPECT_EQ(TicksOf(Linear(0, 3e-5, 3)), "0 1·10⁻⁵ 2·10⁻⁵ 3·10⁻⁵");
  EXPECT_EQ(TicksOf(Linear(0, 1.5e12, 3)), "0 0.5·10¹² 1.0·10¹² 1.5·10¹²");
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
  for (const double value : {3000.0, -0.25, 0.0, 1e-288, 1e290}) {
    const Axis axis = Linear(value, value);
    EXPECT_NEAR(axis.Fraction(value), 0.5, 0.11) << value;
    EXPECT_GE(axis.ticks.size(), 3u) << value;
    EXPECT_LE(axis.ticks.size(), 9u) << value;
  }
}

TEST(MakeAxis, WithoutDataRunsFromZeroOrOne) {
  EXPECT_EQ(TicksOf(MakeAxis({}, std::nullopt, 2)), "0.0 0.5 1.0");
  EXPECT_EQ(TicksOf(MakeAxis({.label = "", .scale = AxisScale::kLog, .min = {}, .max = {}}, {}, 5)),
            "1 2 '' 5 '''' 10");
}

TEST(LogAxis, LabelsDecadesAndMarksTheRest) {
  EXPECT_EQ(TicksOf(Log(3, 2000)), "'''''''' 10 '''''''' 100 '''''''' 1,000 '");
  EXPECT_EQ(Log(3, 2000).min, 2);
  EXPECT_EQ(Log(3, 2000).max, 2000);
  EXPECT_EQ(Log(6, 2100).min, 5);
  EXPECT_EQ(Log(6, 2100).max, 5000);
}

TEST(LogAxis, LabelsOneTwoAndFiveWhereThereIsRoom) {
  EXPECT_EQ(TicksOf(Log(128, 4096, 8)), "100 200 '' 500 '''' 1,000 2,000 '' 5,000");
  EXPECT_EQ(TicksOf(Log(0.012, 0.09)), "0.01 0.02 '' 0.05 '''' 0.1");
}

TEST(LogAxis, ShortRangesHaveTicksAtEqualSteps) {
  EXPECT_EQ(TicksOf(Log(1210, 2100)), "1,200 1,400 1,600 1,800 2,000 2,200");
  EXPECT_GT(Log(1, 4.9, 2).min, 0) << "steps of 2 would round 1 down to 0";
}

TEST(LogAxis, SkipsDecadesWhereThereAreMany) {
  EXPECT_EQ(TicksOf(Log(1e-8, 1e7, 3)), "''' 10⁻⁵ '''' 10⁰ '''' 10⁵ ''");
}

TEST(LogAxis, WritesPowersOutsideEverydayNumbers) {
  EXPECT_EQ(TicksOf(Log(0.001, 1000)),
            "0.001 '''''''' 0.01 '''''''' 0.1 '''''''' 1 '''''''' 10 '''''''' 100 '''''''' 1,000");
  EXPECT_EQ(TicksOf(Log(1e-4, 1e-3)), "10⁻⁴ 2·10⁻⁴ '' 5·10⁻⁴ '''' 10⁻³");
}

TEST(LogAxis, OneValueLiesInTheMiddle) {
  for (const double value : {100.0, 3e-7, 1e-289}) {
    EXPECT_NEAR(Log(value, value).Fraction(value), 0.5, 0.2) << value;
  }
}

TEST(Axis, FractionsAreOfTheLengthOrOfTheDecades) {
  const Axis linear{.min = 2, .max = 6, .ticks = {}};
  EXPECT_EQ(linear.Fraction(2), 0);
  EXPECT_EQ(linear.Fraction(3), 0.25);
  EXPECT_EQ(linear.Fraction(8), 1.5);
  const Axis log{.scale = AxisScale::kLog, .min = 1, .max = 10000, .ticks = {}};
  EXPECT_DOUBLE_EQ(log.Fraction(10), 0.25);
  EXPECT_DOUBLE_EQ(log.Fraction(0.1), -0.25);
}

// The ends of what CheckChart() lets pass.
TEST(MakeAxis, ExtremeRangesHaveFewTicksInOrder) {
  for (const Axis& axis :
       {Linear(-kLargestValue, kLargestValue), Linear(0, 3 * kLeastLogValue), Linear(0, 1e-280),
        Linear(0, 5e-315), Linear(1e-315, 1e-315), Log(kLeastLogValue, kLargestValue),
        Log(1, kLargestValue), Linear(1e15, 1e15 + 1)}) {
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
