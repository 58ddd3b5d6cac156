#include "nmt/report/chart.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "nmt/base/file.h"
#include "nmt/report/chart_axis.h"
#include "nmt/report/chart_layout.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

absl::Status WithPath(const std::filesystem::path& path, const absl::Status& status) {
  return DataError(fmt::format("{}: {}", path.string(), std::string(status.message())));
}

absl::Status CheckPanels(const std::vector<Chart>& panels) {
  if (panels.empty()) return DataError("no chart to draw, expected at least one");
  for (const Chart& chart : panels) NMT_RETURN_IF_ERROR(CheckChart(chart));
  return absl::OkStatus();
}

// Empty if `value` can lie on an axis of this scale; otherwise what was expected.
std::string_view Expected(double value, AxisScale scale) {
  if (!std::isfinite(value)) return "a finite number";
  if (std::abs(value) > kLargestValue) return "at most 1e290 in size";
  if (scale == AxisScale::kLog && value < kLeastLogValue) {
    return value <= 0 ? "above 0 on a logarithmic axis" : "at least 1e-290 on a logarithmic axis";
  }
  return "";
}

// Empty if the axis' limits can be used; otherwise what is wrong.
std::string LimitError(const ChartAxis& axis, std::string_view name) {
  for (const auto& [end, limit] : {std::pair{"min", axis.min}, {"max", axis.max}}) {
    const std::string_view expected = limit ? Expected(*limit, axis.scale) : "";
    if (!expected.empty()) {
      return fmt::format("the {} axis' {} is {}, expected {}", name, end, *limit, expected);
    }
  }
  if (axis.min && axis.max && (*axis.min >= *axis.max || IsNarrow({*axis.min, *axis.max}))) {
    return fmt::format("the {} axis runs from {} to {}, expected the end clearly above the start",
                       name, *axis.min, *axis.max);
  }
  return "";
}

// Empty if the series can be drawn; otherwise what is wrong.
std::string SeriesError(const ChartSeries& series, const Chart& chart) {
  const size_t count = series.x.size();
  if (series.y.size() != count) {
    return fmt::format("{} x and {} y values, expected equally many", count, series.y.size());
  }
  const bool has_band = !series.low.empty() || !series.high.empty();
  if (has_band && (series.low.size() != count || series.high.size() != count)) {
    return fmt::format("{} low and {} high ends of the band, expected {} of each or none",
                       series.low.size(), series.high.size(), count);
  }
  for (const auto& [name, values, scale] : {std::tuple{"x", &series.x, chart.x.scale},
                                            {"y", &series.y, chart.y.scale},
                                            {"low", &series.low, chart.y.scale},
                                            {"high", &series.high, chart.y.scale}}) {
    for (size_t i = 0; i < values->size(); ++i) {
      const std::string_view expected = Expected((*values)[i], scale);
      if (expected.empty()) continue;
      return fmt::format("{} of point {} is {}, expected {}", name, i, (*values)[i], expected);
    }
  }
  for (size_t i = 0; i < series.low.size(); ++i) {
    if (series.low[i] <= series.high[i]) continue;
    return fmt::format("the band of point {} runs from {} to {}, expected the low end first", i,
                       series.low[i], series.high[i]);
  }
  return "";
}

}  // namespace

absl::Status CheckChart(const Chart& chart) {
  const auto error = [&chart](std::string_view what) {
    return DataError(fmt::format("chart \"{}\": {}", PrintableText(chart.title), what));
  };
  if (chart.series.empty()) return error("no series, expected at least one");
  for (const auto& [axis, name] : {std::pair{&chart.x, "x"}, {&chart.y, "y"}}) {
    if (const std::string what = LimitError(*axis, name); !what.empty()) return error(what);
  }
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const std::string what = SeriesError(chart.series[i], chart);
    if (what.empty()) continue;
    return error(fmt::format("series {} \"{}\": {}", i, PrintableText(chart.series[i].name), what));
  }
  for (const ChartLevel& level : chart.levels) {
    const std::string_view expected = Expected(level.y, chart.y.scale);
    if (expected.empty()) continue;
    return error(fmt::format("level \"{}\" is {}, expected {}", PrintableText(level.name), level.y,
                             expected));
  }
  return absl::OkStatus();
}

absl::Status WriteChartPng(const std::vector<Chart>& panels, const std::filesystem::path& path) {
  if (absl::Status status = CheckPanels(panels); !status.ok()) return WithPath(path, status);
  const absl::StatusOr<TextShaper> shaper = TextShaper::Create();
  if (!shaper.ok()) return WithPath(path, shaper.status());
  const absl::StatusOr<std::string> png =
      PngOf(LayOutCharts(panels, *shaper, MissingGlyphs::kAsCodePoints).drawing, *shaper);
  if (!png.ok()) return WithPath(path, png.status());
  return WriteFileAtomically(path, *png);
}

absl::Status WriteChartSvg(const std::vector<Chart>& panels, const std::filesystem::path& path) {
  if (absl::Status status = CheckPanels(panels); !status.ok()) return WithPath(path, status);
  const absl::StatusOr<TextShaper> shaper = TextShaper::Create();
  if (!shaper.ok()) return WithPath(path, shaper.status());
  return WriteFileAtomically(
      path, SvgOf(LayOutCharts(panels, *shaper, MissingGlyphs::kAsWritten).drawing));
}

}  // namespace nmt
