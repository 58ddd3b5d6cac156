#include "nmt/report/chart.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <tuple>

#include "nmt/base/file.h"
#include "nmt/report/chart_layout.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

absl::Status CheckNumber(double value, std::string_view name, AxisScale scale) {
  std::string_view expected;
  if (scale == AxisScale::kLog && value < 1e-100) expected = "above 0 on a logarithmic axis";
  if (!(std::abs(value) <= 1e100)) expected = "a number up to 1e100 in size";
  if (expected.empty()) return absl::OkStatus();
  return DataError(fmt::format("{} is {}, expected {}", name, value, expected));
}

absl::Status CheckAxis(const ChartAxis& axis, std::string_view name) {
  for (const auto& limit : {axis.min, axis.max}) {
    if (!limit) continue;
    NMT_RETURN_IF_ERROR(
        CheckNumber(*limit, fmt::format("an end of the {} axis", name), axis.scale));
  }
  if (!axis.min || !axis.max || *axis.min < *axis.max) return absl::OkStatus();
  return DataError(fmt::format("the {} axis runs from {} to {}, expected the end above the start",
                               name, *axis.min, *axis.max));
}

absl::Status CheckSeries(const ChartSeries& series, const Chart& chart) {
  const size_t count = series.x.size(), lows = series.low.size(), highs = series.high.size();
  if (series.y.size() != count || lows != highs || (lows != 0 && lows != count)) {
    return DataError(fmt::format("{} x, {} y, {} low and {} high values, expected equally many",
                                 count, series.y.size(), lows, highs));
  }
  for (const auto& [name, values, scale] : {std::tuple{"x", &series.x, chart.x.scale},
                                            {"y", &series.y, chart.y.scale},
                                            {"low", &series.low, chart.y.scale},
                                            {"high", &series.high, chart.y.scale}}) {
    for (size_t i = 0; i < values->size(); ++i) {
      NMT_RETURN_IF_ERROR(CheckNumber((*values)[i], fmt::format("{} of point {}", name, i), scale));
    }
  }
  return absl::OkStatus();
}

absl::Status Prefixed(std::string_view prefix, const absl::Status& status) {
  if (status.ok()) return status;
  return DataError(fmt::format("{}: {}", prefix, std::string(status.message())));
}

enum class Format { kPng, kSvg };

absl::StatusOr<std::string> Drawn(const std::vector<Chart>& panels, Format format) {
  if (panels.empty()) return DataError("no chart to draw, expected at least one");
  for (const Chart& chart : panels) NMT_RETURN_IF_ERROR(CheckChart(chart));
  NMT_ASSIGN_OR_RETURN(const TextShaper shaper, TextShaper::Create());
  if (format == Format::kSvg) {
    return SvgOf(LayOutCharts(panels, shaper, MissingGlyphs::kAsWritten).drawing);
  }
  return PngOf(LayOutCharts(panels, shaper, MissingGlyphs::kAsCodePoints).drawing, shaper);
}

absl::Status Write(const absl::StatusOr<std::string>& picture, const std::filesystem::path& path) {
  if (picture.ok()) return WriteFileAtomically(path, *picture);
  return Prefixed(path.string(), picture.status());
}

}  // namespace

absl::Status CheckChart(const Chart& chart) {
  const std::string name = fmt::format("chart \"{}\"", PrintableText(chart.title));
  if (chart.series.empty()) {
    return Prefixed(name, DataError("no series, expected at least one"));
  }
  NMT_RETURN_IF_ERROR(Prefixed(name, CheckAxis(chart.x, "x")));
  NMT_RETURN_IF_ERROR(Prefixed(name, CheckAxis(chart.y, "y")));
  for (size_t i = 0; i < chart.series.size(); ++i) {
    NMT_RETURN_IF_ERROR(
        Prefixed(fmt::format("{}: series {} \"{}\"", name, i, PrintableText(chart.series[i].name)),
                 CheckSeries(chart.series[i], chart)));
  }
  for (const auto& [level, y] : chart.levels) {
    const std::string what = fmt::format("level \"{}\"", PrintableText(level));
    NMT_RETURN_IF_ERROR(Prefixed(name, CheckNumber(y, what, chart.y.scale)));
  }
  return absl::OkStatus();
}

absl::Status WriteChartPng(const std::vector<Chart>& panels, const std::filesystem::path& path) {
  return Write(Drawn(panels, Format::kPng), path);
}

absl::Status WriteChartSvg(const std::vector<Chart>& panels, const std::filesystem::path& path) {
  return Write(Drawn(panels, Format::kSvg), path);
}

}  // namespace nmt
