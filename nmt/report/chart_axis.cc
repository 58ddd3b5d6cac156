#include "nmt/report/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nmt {
namespace {

constexpr double kSlack = 1e-9;        // of a step: what rounding may add
constexpr double kNothing = 1e-200;    // less is 0, or no difference
constexpr double kLongestRound = 0.1;  // how much longer the next tick may make a logarithmic axis

int ExponentOf(double value) { return static_cast<int>(std::floor(std::log10(value) + kSlack)); }

// The next 1, 2 or 5 times a power of ten.
double RoundedUp(double value) {
  const double power = std::pow(10.0, ExponentOf(value));
  for (const int mantissa : {1, 2, 5}) {
    if (mantissa * power >= value * (1 - kSlack)) return mantissa * power;
  }
  return 10 * power;
}
double RoundedDown(double value) { return 1 / RoundedUp(1 / value); }

// With the digits that tell ticks `step` apart up to `largest`: "−1,200", "0.50"; "1.5e+12".
std::string LabelOf(double value, double step, double largest) {
  const int last = ExponentOf(step);
  const bool is_everyday = largest > 1e-3 * (1 - kSlack) && largest < 1e7 * (1 - kSlack);
  std::string label = is_everyday
                          ? fmt::format("{:.{}f}", std::abs(value), std::max(0, -last))
                          : fmt::format("{:.{}g}", std::abs(value), ExponentOf(largest) - last + 1);
  const size_t whole = std::min(label.find_first_of(".e"), label.size());
  for (size_t i = whole; i > 3; i -= 3) label.insert(i - 3, ",");
  return (value < 0 ? "−" : "") + label;
}

Axis LinearAxis(const ChartAxis& options, Interval range, int max_steps) {
  const double step = RoundedUp((range.max - range.min) / max_steps);
  if (!options.min) range.min = step * std::floor(range.min / step + kSlack);
  if (!options.max) range.max = step * std::ceil(range.max / step - kSlack);
  const double largest = std::max(std::abs(range.min), std::abs(range.max));
  Axis axis{.min = range.min, .max = range.max};
  const int64_t last = std::llround(std::floor(range.max / step + kSlack));
  for (int64_t i = std::llround(std::ceil(range.min / step - kSlack)); i <= last; ++i) {
    const double value = step * static_cast<double>(i);
    axis.ticks.push_back({value, LabelOf(value, step, largest)});
  }
  return axis;
}

Axis LogAxis(const ChartAxis& options, Interval range, int max_steps) {
  const double decades = std::log10(range.max / range.min);
  const double near = std::pow(10.0, kLongestRound * decades);
  const double below = RoundedDown(range.min), above = RoundedUp(range.max);
  if (!options.min && range.min <= below * near) range.min = below;
  if (!options.max && range.max >= above / near) range.max = above;
  // Too short even for 1, 2 and 5 to show where one is.
  if (decades < 0.7) {
    Axis axis = LinearAxis({.min = range.min, .max = range.max}, range, max_steps);
    axis.scale = AxisScale::kLog;
    return axis;
  }

  Axis axis{.scale = AxisScale::kLog, .min = range.min, .max = range.max};
  const int stride = static_cast<int>(std::ceil(decades / max_steps));  // of labelled decades
  const bool has_between = 3 * decades <= max_steps || decades < 1;     // labels of 2 and 5
  for (int exponent = ExponentOf(axis.min); exponent <= ExponentOf(axis.max); ++exponent) {
    const double power = std::pow(10.0, exponent);
    for (int mantissa = 1; mantissa <= (stride == 1 ? 9 : 1); ++mantissa) {
      const double value = mantissa * power;
      if (value < axis.min * (1 - kSlack) || value > axis.max * (1 + kSlack)) continue;
      const bool is_labelled =
          mantissa == 1 ? exponent % stride == 0 : has_between && (mantissa == 2 || mantissa == 5);
      axis.ticks.push_back({value, is_labelled ? LabelOf(value, power, value) : ""});
    }
  }
  return axis;
}

}  // namespace

double Axis::Fraction(double value) const {
  if (scale == AxisScale::kLog) return std::log(value / min) / std::log(max / min);
  return (value - min) / (max - min);
}

Axis MakeAxis(const ChartAxis& options, std::optional<Interval> data, int max_steps) {
  const bool is_log = options.scale == AxisScale::kLog;
  Interval range = data.value_or(is_log ? Interval{1, 10} : Interval{0, 1});
  const auto keep_limits = [&] {
    range = {options.min.value_or(range.min), options.max.value_or(range.max)};
  };
  keep_limits();
  // Room around a single value, or beyond the one limit that is given when all data lie before it.
  const double value = options.min ? range.min : range.max, size = std::abs(value);
  if (!(range.max - range.min > 1e-10 * size + kNothing)) {
    const double half = size < kNothing ? 1 : size / 10;
    range = is_log ? Interval{value / 2, value * 2} : Interval{value - half, value + half};
    keep_limits();
  }
  return is_log ? LogAxis(options, range, max_steps) : LinearAxis(options, range, max_steps);
}

Vertex ChartPlot::At(double x_value, double y_value) const {
  // Cairo's coordinates end at 8 million.
  const auto bounded = [](double fraction) { return std::clamp(fraction, -1e3, 1e3); };
  return {left + bounded(x.Fraction(x_value)) * (right - left),
          bottom - bounded(y.Fraction(y_value)) * (bottom - top)};
}

bool ChartPlot::Contains(double x_value, double y_value) const {
  constexpr double kRounding = 1e-6;
  return std::abs(x.Fraction(x_value) - 0.5) < 0.5 + kRounding &&
         std::abs(y.Fraction(y_value) - 0.5) < 0.5 + kRounding;
}

}  // namespace nmt
