#include "nmt/report/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace nmt {
namespace {

constexpr double kSlack = 1e-9;                      // of a step: what rounding may add
constexpr double kPlainMax = 1e7, kPlainMin = 1e-3;  // labels beyond are powers of ten

// m 10^exponent, as exact as a double can be.
double Scaled(double m, int exponent) {
  return exponent < 0 ? m / std::pow(10.0, -exponent) : m * std::pow(10.0, exponent);
}

int ExponentOf(double value) { return static_cast<int>(std::floor(std::log10(value) + kSlack)); }

// 1, 2 or 5 times a power of ten.
struct Step {
  int mantissa = 1, exponent = 0;
  double Value() const { return Scaled(mantissa, exponent); }
  double Times(double count) const { return Scaled(count * mantissa, exponent); }
};

// The least step that is `size` or more.
Step StepOfAtLeast(double size) {
  const int exponent = ExponentOf(size);
  for (const int mantissa : {1, 2, 5}) {
    const Step step{mantissa, exponent};
    if (step.Value() >= size * (1 - kSlack)) return step;
  }
  return {1, exponent + 1};
}

// "1234567.50" becomes "1,234,567.50", "-1" becomes "−1".
std::string Grouped(std::string digits) {
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.erase(0, 1);
  const size_t whole = std::min(digits.find('.'), digits.size());
  for (size_t i = whole; i > 3; i -= 3) digits.insert(i - 3, ",");
  return (is_negative ? "−" : "") + digits;
}

std::string PowerOfTen(int exponent) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : fmt::format("{}", std::abs(exponent))) text += kDigits[digit - '0'];
  return text;
}

// The multiples of `step` from `first` to `last`, all labelled alike.
std::vector<Tick> Multiples(Step step, int64_t first, int64_t last) {
  const double largest = std::max(std::abs(step.Times(static_cast<double>(first))),
                                  std::abs(step.Times(static_cast<double>(last))));
  const bool is_plain = largest < kPlainMax * (1 - kSlack) && largest >= kPlainMin * (1 - kSlack);
  const int shared = is_plain || largest == 0 ? 0 : ExponentOf(largest);
  const int decimals = std::max(0, shared - step.exponent);
  std::vector<Tick> ticks;
  for (int64_t i = first; i <= last; ++i) {
    const double value = i == 0 ? 0 : step.Times(static_cast<double>(i));
    const double mantissa =
        i == 0 ? 0 : Scaled(static_cast<double>(i * step.mantissa), step.exponent - shared);
    std::string label = Grouped(fmt::format("{:.{}f}", mantissa, decimals));
    if (shared != 0) label = i == 0 ? "0" : label + "·" + PowerOfTen(shared);
    ticks.push_back({value, std::move(label)});
  }
  return ticks;
}

// Where values lie that all are one: around it; and where none are: anywhere.
Interval Widened(std::optional<Interval> data, AxisScale scale) {
  if (!data) return scale == AxisScale::kLog ? Interval{1, 10} : Interval{0, 1};
  if (!IsNarrow(*data)) return *data;
  const double value = data->min;
  if (scale == AxisScale::kLog) return {value / 2, value * 2};
  const double half = std::abs(value) < 1e10 * kLeastLogValue ? 1 : std::abs(value) / 10;
  return {value - half, value + half};
}

Axis LinearAxis(const ChartAxis& options, Interval range, int max_steps) {
  const Step step = StepOfAtLeast((range.max - range.min) / max_steps);
  const double first = range.min / step.Value(), last = range.max / step.Value();
  Axis axis{.min = range.min, .max = range.max, .ticks = {}};
  int64_t from = std::llround(std::ceil(first - kSlack));
  int64_t to = std::llround(std::floor(last + kSlack));
  if (!options.min) axis.min = step.Times(from = std::llround(std::floor(first + kSlack)));
  if (!options.max) axis.max = step.Times(to = std::llround(std::ceil(last - kSlack)));
  axis.ticks = Multiples(step, from, to);
  return axis;
}

// Ticks at 1 to 9 times the powers of ten in [min, max].
std::vector<Tick> NineADecade(double min, double max) {
  std::vector<Tick> ticks;
  for (int exponent = ExponentOf(min); exponent <= ExponentOf(max); ++exponent) {
    for (int mantissa = 1; mantissa <= 9; ++mantissa) {
      const double value = Scaled(mantissa, exponent);
      if (value >= min * (1 - kSlack) && value <= max * (1 + kSlack)) ticks.push_back({value, ""});
    }
  }
  return ticks;
}

// The next 1, 2 or 5 times a power of ten below or above.
double RoundedDown(double value) {
  const double power = Scaled(1, ExponentOf(value));
  const double mantissa = value / power * (1 + kSlack);
  return (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1) * power;
}
double RoundedUp(double value) { return StepOfAtLeast(value).Value(); }

// Labels every `stride`th power of ten, and 2 and 5 times it where `between`.
void LabelDecades(std::vector<Tick>& ticks, int stride, bool between) {
  const bool is_plain = ticks.empty() || (ticks.front().value >= kPlainMin * (1 - kSlack) &&
                                          ticks.back().value < kPlainMax * (1 - kSlack));
  for (Tick& tick : ticks) {
    const int exponent = ExponentOf(tick.value);
    const int mantissa = static_cast<int>(std::lround(tick.value / Scaled(1, exponent)));
    if (exponent % stride != 0) continue;
    if (mantissa != 1 && !(between && (mantissa == 2 || mantissa == 5))) continue;
    if (is_plain) {
      tick.label = Grouped(fmt::format("{:.{}f}", tick.value, std::max(0, -exponent)));
    } else {
      tick.label = (mantissa == 1 ? "" : fmt::format("{}·", mantissa)) + PowerOfTen(exponent);
    }
  }
}

Axis LogAxis(const ChartAxis& options, Interval range, int max_steps) {
  const double decades = std::log10(range.max / range.min);
  // Too short even for 1, 2 and 5 to show where one is.
  if (decades < 0.7) {
    Axis axis = LinearAxis(options, range, max_steps);
    axis.scale = AxisScale::kLog;
    if (axis.min > 0) return axis;
  }
  Axis axis{.scale = AxisScale::kLog, .min = range.min, .max = range.max, .ticks = {}};
  if (!options.min) axis.min = RoundedDown(range.min);
  if (!options.max) axis.max = RoundedUp(range.max);
  axis.ticks = NineADecade(axis.min, axis.max);
  const bool between = 3 * decades <= max_steps || decades < 1;
  int stride = 1;
  for (const int next : {2, 3, 5, 10, 20, 50, 100}) {
    if (decades / stride <= max_steps) break;
    stride = next;
  }
  if (stride > 1) {
    std::erase_if(axis.ticks, [](const Tick& tick) {
      return std::abs(tick.value / Scaled(1, ExponentOf(tick.value)) - 1) > kSlack;
    });
  }
  LabelDecades(axis.ticks, stride, between);
  return axis;
}

}  // namespace

double Axis::Fraction(double value) const {
  if (scale == AxisScale::kLog) return std::log(value / min) / std::log(max / min);
  return (value - min) / (max - min);
}

bool IsNarrow(Interval interval) {
  const double largest = std::max(std::abs(interval.min), std::abs(interval.max));
  return !(interval.max - interval.min > std::max(1e-10 * largest, kLeastLogValue));
}

Axis MakeAxis(const ChartAxis& options, std::optional<Interval> data, int max_steps) {
  Interval range = Widened(data, options.scale);
  if (options.min) range.min = *options.min;
  if (options.max) range.max = *options.max;
  // One end is given and all data lie beyond it.
  if (IsNarrow(range) || range.max < range.min) {
    const double given = options.min.value_or(range.max);
    const Interval around = Widened(Interval{given, given}, options.scale);
    (options.min ? range.max : range.min) = options.min ? around.max : around.min;
  }
  return options.scale == AxisScale::kLog ? LogAxis(options, range, max_steps)
                                          : LinearAxis(options, range, max_steps);
}

}  // namespace nmt
