// Line charts: loss curves, time over length, a quantity with its confidence band.
//
//   Chart chart{.title = "Training loss", .x = {.label = "update"}, .y = {.label = "nats a token"},
//               .series = {{.name = "GRU", .x = {100, 200, 300}, .y = {6.1, 4.9, 4.2}}}};
//   NMT_RETURN_IF_ERROR(WriteChartPng({chart}, "loss.png"));
//
// Several charts are the panels of one picture, each with its own axes and legend. Names and labels
// may hold any bytes; what cannot be shown is replaced.
#ifndef NMT_REPORT_CHART_H_
#define NMT_REPORT_CHART_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

enum class AxisScale { kLinear, kLog };

struct ChartAxis {
  std::string label;
  AxisScale scale = AxisScale::kLinear;
  // Where the axis ends; what lies beyond is clipped. Absent: where the data do, or at the next tick.
  std::optional<double> min, max;
};

// Points joined by straight lines in the order given.
struct ChartSeries {
  std::string name;               // in the legend; empty: not listed
  std::vector<double> x, y;       // equally long
  std::vector<double> low, high;  // a band around y, e.g. its confidence interval; or both empty
  bool dashed = false;            // e.g. an expected curve
  bool markers = false;           // dots at the points
};

// A dashed horizontal line over the whole width, e.g. a baseline. Empty names are not listed.
struct ChartLevel {
  std::string name;
  double y = 0;
};

struct Chart {
  std::string title;
  ChartAxis x, y;
  std::vector<ChartSeries> series;  // one at least; one without points is only listed
  std::vector<ChartLevel> levels;
};

// Errors, in one line that names the chart and the series: no series; lists of unequal length; a
// number that is not finite or beyond 1e100, or not above 0 on a logarithmic axis; an axis whose min
// is not below its max.
absl::Status CheckChart(const Chart& chart);

// Writes `panels` in rows of three. The file is complete or absent. Errors name `path` and: no
// panel; what CheckChart() refuses; no font on the machine; a place that cannot be written to.
absl::Status WriteChartPng(const std::vector<Chart>& panels, const std::filesystem::path& path);

// As WriteChartPng(); markers say their values under the mouse.
absl::Status WriteChartSvg(const std::vector<Chart>& panels, const std::filesystem::path& path);

}  // namespace nmt

#endif  // NMT_REPORT_CHART_H_
