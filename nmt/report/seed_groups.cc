#include "nmt/report/seed_groups.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace nmt {

std::optional<MeanAndDeviation> MeanOf(const std::vector<std::optional<double>>& values) {
  std::vector<double> numbers;
  for (const std::optional<double>& value : values) {
    if (value && std::isfinite(*value)) numbers.push_back(*value);
  }
  if (numbers.empty()) return std::nullopt;
  MeanAndDeviation result{.runs = numbers.size()};
  const auto count = static_cast<double>(numbers.size());
  for (const double number : numbers) result.mean += number / count;
  if (numbers.size() < 2) return result;
  double squares = 0;
  for (const double number : numbers) squares += (number - result.mean) * (number - result.mean);
  result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

std::vector<SeedGroup> SeedGroups(const Comparison& comparison) {
  const std::vector<ModelResult>& models = comparison.models;
  std::vector<SeedGroup> groups;
  for (size_t m = 0; m < models.size(); ++m) {
    if (models[m].group.empty()) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const SeedGroup& other) {
      return other.name == models[m].group;
    });
    if (group == groups.end()) group = groups.insert(group, {.name = models[m].group});
    group->models.push_back(m);
  }
  const auto has_seeds = [](const SeedGroup& group) { return group.models.size() > 1; };
  if (std::none_of(groups.begin(), groups.end(), has_seeds)) return {};
  for (SeedGroup& group : groups) {
    using Value = std::function<std::optional<double>(size_t)>;  // of model m
    const auto summary = [&group](const Value& value) {
      std::vector<std::optional<double>> values;
      for (const size_t m : group.models) values.push_back(value(m));
      return MeanOf(values);
    };
    group.bleu = summary([&](size_t m) { return models[m].bleu; });
    group.chrf = summary([&](size_t m) { return models[m].chrf; });
    group.ter = summary([&](size_t m) { return models[m].ter; });
    group.aer = summary([&](size_t m) { return models[m].aer; });
    for (const PartResult& part : comparison.parts) {
      const auto at = [](const auto& values, size_t m) {
        return m < values.size() ? std::optional<double>(values[m]) : std::nullopt;
      };
      group.parts.push_back({.bleu = summary([&](size_t m) { return at(part.bleu, m); }),
                             .aer = summary([&](size_t m) { return at(part.aer, m); })});
    }
  }
  return groups;
}

}  // namespace nmt
