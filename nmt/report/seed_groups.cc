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

std::vector<SeedGroup> SeedGroups(const std::vector<ModelResult>& models) {
  std::vector<SeedGroup> groups;
  for (size_t m = 0; m < models.size(); ++m) {
    if (models[m].group.empty()) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const SeedGroup& other) {
      return other.name == models[m].group;
    });
    if (group == groups.end()) group = groups.insert(group, {.name = models[m].group});
    group->models.push_back(m);
  }
  using Value = std::function<std::optional<double>(const ModelResult&)>;
  const std::pair<std::optional<MeanAndDeviation> SeedGroup::*, Value> measures[] = {
      {&SeedGroup::bleu, [](const ModelResult& model) { return model.bleu; }},
      {&SeedGroup::chrf, [](const ModelResult& model) { return model.chrf; }},
      {&SeedGroup::ter, [](const ModelResult& model) { return model.ter; }},
      {&SeedGroup::aer, [](const ModelResult& model) { return model.aer; }}};
  for (SeedGroup& group : groups) {
    for (const auto& [summary, value] : measures) {
      std::vector<std::optional<double>> values;
      for (const size_t m : group.models) values.push_back(value(models[m]));
      group.*summary = MeanOf(values);
    }
  }
  return groups;
}

}  // namespace nmt
