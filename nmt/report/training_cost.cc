#include "nmt/report/training_cost.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "nmt/base/shallow_json.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

using nlohmann::json;

// Null where the record has no such key.
json At(const json& record, const char* key) {
  return record.is_object() && record.contains(key) ? record[key] : json();
}

double NumberAt(const json& record, const char* key) {
  const json value = At(record, key);
  return value.is_number() ? value.get<double>() : 0;
}

// Adds the point to the curve of this measure, if the record has the value.
void AddPoint(ModelCost& cost, const std::string& measure, const json& record, const json& value,
              double scale = 1) {
  if (!value.is_number() || !At(record, "seconds").is_number()) return;
  auto curve = std::find_if(cost.curves.begin(), cost.curves.end(),
                            [&](const Curve& other) { return other.measure == measure; });
  if (curve == cost.curves.end())
    curve = cost.curves.insert(curve, {.measure = measure, .points = {}});
  curve->points.push_back({.update = static_cast<int64_t>(NumberAt(record, "update")),
                           .seconds = NumberAt(record, "seconds"),
                           .value = scale * value.get<double>()});
}

}  // namespace

ModelCost ReadTrainingCost(const std::filesystem::path& metrics) {
  ModelCost cost;
  const auto lines = ReadLines(metrics);
  if (!lines.ok()) return cost;
  double tokens = 0, seconds = 0;
  for (const std::string& line : *lines) {
    const json record = ParseShallowJson(line);
    if (!record.is_object() || record.contains("averaged_checkpoints")) continue;
    AddPoint(cost, "training loss", record, At(record, "loss"));
    AddPoint(cost, "validation BLEU", record, At(At(record, "validation"), "bleu"));
    AddPoint(cost, "validation perplexity", record, At(At(record, "validation"), "perplexity"));
    AddPoint(cost, "alignment error rate %", record, At(At(record, "alignment"), "aer"), 100);
    if (const double speed = NumberAt(record, "tokens_per_second"); speed > 0) {
      tokens += NumberAt(record, "target_tokens");
      seconds += NumberAt(record, "target_tokens") / speed;
    }
    if (const double peak = NumberAt(record, "peak_memory"); peak > 0)
      cost.training_peak_bytes = std::max(cost.training_peak_bytes.value_or(0), peak);
  }
  if (seconds > 0) cost.training_tokens_per_second = tokens / seconds;
  return cost;
}

}  // namespace nmt
