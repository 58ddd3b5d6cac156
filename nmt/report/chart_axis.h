// The axes of a chart, where they begin and end and their ticks, and the plot between them.
//
//   Axis axis = MakeAxis({.scale = AxisScale::kLog}, Interval{3, 2000}, /*max_steps=*/6);
//   axis.min, axis.max;              // 2, 2000
//   axis.Fraction(100);              // 0.57: how far along 100 lies
//   axis.ticks;                      // 2, ..., 10 "10", 20, ..., 100 "100", ..., 1000 "1,000", 2000
//
// Linear axes have ticks at 1, 2 or 5 times a power of ten and end at one; logarithmic ones at powers
// of ten, or at 1, 2 and 5 times these where there are few, and end at one if it is near.
#ifndef NMT_REPORT_CHART_AXIS_H_
#define NMT_REPORT_CHART_AXIS_H_

#include <optional>
#include <string>
#include <vector>

#include "nmt/report/chart.h"
#include "nmt/report/drawing.h"

namespace nmt {

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

// The axis for values in `data` (absent: none), which are above 0 on a logarithmic one, with about
// `max_steps` steps between labelled ticks, 1 at least.
Axis MakeAxis(const ChartAxis& options, std::optional<Interval> data, int max_steps);

// Where a chart's points lie.
struct ChartPlot {
  double left = 0, top = 0, right = 0, bottom = 0;  // in pixels of the picture
  Axis x, y;

  // Outside the plot where a value is beyond its axis.
  Vertex At(double x_value, double y_value) const;
  bool Contains(double x_value, double y_value) const;
};

}  // namespace nmt

#endif  // NMT_REPORT_CHART_AXIS_H_
