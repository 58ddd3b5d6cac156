#include "nmt/config/field.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <type_traits>

namespace nmt {
namespace {

// Up to here a double holds every integer, so that range checks on doubles are exact.
constexpr int64_t kLargestInteger = int64_t{1} << 53;

std::string RangeText(const Range& range) {
  const bool has_minimum = std::isfinite(range.minimum);
  const bool has_maximum = std::isfinite(range.maximum);
  if (has_minimum && has_maximum) {
    return range.above ? fmt::format(" above {}, at most {}", range.minimum, range.maximum)
                       : fmt::format(" from {} to {}", range.minimum, range.maximum);
  }
  if (has_minimum)
    return fmt::format(" {} {}", range.above ? "above" : "of at least", range.minimum);
  if (has_maximum) return fmt::format(" of at most {}", range.maximum);
  return "";
}

bool Contains(const Range& range, double value) {
  return (range.above ? value > range.minimum : value >= range.minimum) && value <= range.maximum;
}

// A decimal number, all of `text`: from_chars knows no locale, no hexadecimal and no blanks, but
// does know inf and nan, which are refused.
std::optional<double> ParseDouble(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> ParseNumber(std::string_view text, const Range& range, double* /*tag*/) {
  const std::optional<double> value = ParseDouble(text);
  return value && Contains(range, *value) ? value : std::nullopt;
}

// Also "4e3" and "4000.0", which are integers. Larger ones than kLargestInteger are refused.
std::optional<int64_t> ParseNumber(std::string_view text, const Range& range, int64_t* /*tag*/) {
  const std::optional<double> value = ParseDouble(text);
  if (!value || *value != std::trunc(*value) || std::abs(*value) > kLargestInteger) {
    return std::nullopt;
  }
  return Contains(range, *value) ? std::optional(static_cast<int64_t>(*value)) : std::nullopt;
}

// Shortest round trip. A mantissa without a point gets one: Python's YAML takes "1e-05" for text.
template <typename Number>
std::string PrintNumber(Number value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

// "gru or transformer"; "a, b or c".
std::string JoinWithOr(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string PrintList(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return "[" + text + "]";
}

// The visitor over VisitFields().
class FieldLister {
 public:
  explicit FieldLister(std::vector<Field>& fields) : fields_(fields) {}

  void operator()(std::string_view name, std::string& member, std::string_view help) {
    Field& field = Add(name, help, "text");
    field.set = [&member](std::string_view text) {
      member = text;
      return std::nullopt;
    };
    field.get = [&member] { return QuoteYaml(member); };
  }

  void operator()(std::string_view name, std::vector<std::string>& member, std::string_view help) {
    Field& field = Add(name, help, "text or a list of texts");
    field.set_list = [&member](const std::vector<std::string>& items) {
      member = items;
      return std::nullopt;
    };
    field.set = [&member](std::string_view text) {
      member.clear();
      if (!text.empty()) member.emplace_back(text);
      return std::nullopt;
    };
    field.get = [&member] {
      if (member.size() == 1) return QuoteYaml(member[0]);
      std::vector<std::string> quoted;
      for (const std::string& item : member) quoted.push_back(QuoteYaml(item));
      return PrintList(quoted);
    };
  }

  void operator()(std::string_view name, std::vector<double>& member, const Range& range,
                  std::string_view help) {
    Field& field = Add(name, help, fmt::format("a number{} or a list of them", RangeText(range)));
    field.set_list = [&member, range, expected = field.expected](
                         const std::vector<std::string>& items) -> std::optional<std::string> {
      std::vector<double> values;
      for (const std::string& item : items) {
        const auto value = ParseNumber(item, range, static_cast<double*>(nullptr));
        if (!value) return expected;
        values.push_back(*value);
      }
      member = values;
      return std::nullopt;
    };
    field.set = [set_list = field.set_list](std::string_view text) {
      return set_list({std::string(text)});
    };
    field.get = [&member] {
      std::vector<std::string> printed;
      for (const double value : member) printed.push_back(PrintNumber(value));
      return PrintList(printed);
    };
  }

  void operator()(std::string_view name, bool& member, std::string_view help) {
    Field& field = Add(name, help, "true or false");
    field.set = [&member](std::string_view text) -> std::optional<std::string> {
      if (text != "true" && text != "false") return "true or false";
      member = text == "true";
      return std::nullopt;
    };
    field.get = [&member] { return member ? "true" : "false"; };
  }

  template <typename E>
  requires std::is_enum_v<E>
  void operator()(std::string_view name, E& member, std::string_view help) {
    std::vector<std::string_view> choices;
    for (const auto& [value, choice] : EnumNames<E>::values) choices.push_back(choice);
    Field& field = Add(name, help, JoinWithOr(choices));
    field.choices = choices;
    field.set = [&member,
                 expected = field.expected](std::string_view text) -> std::optional<std::string> {
      for (const auto& [value, choice] : EnumNames<E>::values) {
        if (choice != text) continue;
        member = value;
        return std::nullopt;
      }
      return expected;
    };
    field.get = [&member] { return std::string(EnumName(member)); };
  }

  template <typename Number>
  requires std::same_as<Number, int64_t> || std::same_as<Number, double>
  void operator()(std::string_view name, Number& member, const Range& range,
                  std::string_view help) {
    constexpr bool kIsInteger = std::same_as<Number, int64_t>;
    const std::string_view kind = kIsInteger ? "a whole number" : "a number";
    Field& field = Add(name, help, fmt::format("{}{}", kind, RangeText(range)));
    field.set = [&member, range,
                 expected = field.expected](std::string_view text) -> std::optional<std::string> {
      if (const auto value = ParseNumber(text, range, static_cast<Number*>(nullptr))) {
        member = *value;
        return std::nullopt;
      }
      const bool has_maximum = std::isfinite(range.maximum);
      const bool is_too_large = ParseDouble(text).value_or(0) > kLargestInteger;
      if (kIsInteger && is_too_large && !has_maximum) {
        return fmt::format("{}, at most {}", expected, kLargestInteger);
      }
      return expected;
    };
    field.get = [&member] { return PrintNumber(member); };
  }

  template <typename Section>
  requires std::is_class_v<Section>
  void operator()(std::string_view name, Section& member, std::string_view help) {
    Add(name, help, "a mapping");
    const std::string outer = prefix_;
    prefix_ += fmt::format("{}.", name);
    member.VisitFields(*this);
    prefix_ = outer;
  }

 private:
  Field& Add(std::string_view name, std::string_view help, std::string expected) {
    fields_.push_back({.key = fmt::format("{}{}", prefix_, name),
                       .help = std::string(help),
                       .expected = std::move(expected),
                       .choices = {},
                       .set = nullptr,
                       .set_list = nullptr,
                       .get = nullptr});
    return fields_.back();
  }

  std::vector<Field>& fields_;
  std::string prefix_;
};

}  // namespace

int Field::depth() const { return static_cast<int>(std::ranges::count(key, '.')); }

std::string_view Field::name() const {
  return std::string_view(key).substr(key.rfind('.') + 1);  // npos + 1 is 0
}

std::string_view Field::parent() const {
  const std::size_t dot = key.rfind('.');
  return std::string_view(key).substr(0, dot == std::string::npos ? 0 : dot);
}

std::vector<Field> ListFields(Options& options) {
  std::vector<Field> fields;
  FieldLister lister(fields);
  options.VisitFields(lister);
  return fields;
}

std::string QuoteYaml(std::string_view text) {
  YAML::Emitter emitter;
  emitter << YAML::DoubleQuoted << std::string(text);
  return emitter.c_str();
}

}  // namespace nmt
