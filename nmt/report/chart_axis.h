// The axis of a chart: where it begins and ends, and its ticks.
//
//   Axis axis = MakeAxis({.scale = AxisScale::kLog}, Interval{3, 2000}, /*max_steps=*/6);
//   axis.min, axis.max;              // 2, 2000
//   axis.Fraction(100);              // 0.57: how far along 100 lies
//   axis.ticks;                      // 2, ..., 10 "10", 20, ..., 100 "100", ..., 1000 "1,000", 2000
//
// Linear axes have ticks at 1, 2 or 5 times a power of ten; logarithmic ones at powers of ten, or at
// 1, 2 and 5 times these where there are few.
#ifndef NMT_REPORT_CHART_AXIS_H_
#define NMT_REPORT_CHART_AXIS_H_

#include <optional>
#include <string>
#include <vector>

#include "nmt/report/chart.h"

namespace nmt {

// Beyond these, ticks would leave the range of floating-point numbers.
inline constexpr double kLargestValue = 1e290;
inline constexpr double kLeastLogValue = 1e-290;

struct Interval {
  double min = 0, max = 0;
};

struct Tick {
  double value = 0;
  std::string label;  // empty: a minor tick
};

struct Axis {
  AxisScale scale = AxisScale::kLinear;
  double min = 0, max = 1;
  std::vector<Tick> ticks;  // rising, within [min, max]

  // 0 at min, 1 at max; beyond these outside the axis.
  double Fraction(double value) const;
};

// Whether floating-point numbers are too coarse to put ticks between the two.
bool IsNarrow(Interval interval);

// The axis for values in `data` (absent: none), which are above 0 on a logarithmic one, with about
// `max_steps` steps between labelled ticks, 1 at least.
Axis MakeAxis(const ChartAxis& options, std::optional<Interval> data, int max_steps);

}  // namespace nmt

#endif  // NMT_REPORT_CHART_AXIS_H_
