#include <cmath>
#include <nlohmann/json.hpp>

#include "nmt/report/comparison.h"

namespace nmt {
namespace {

using Json = nlohmann::ordered_json;

// JSON has neither NaN nor infinity.
Json NumberOrNull(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json Difference(std::optional<double> value, std::optional<double> baseline) {
  if (!value || !baseline) return nullptr;
  return NumberOrNull(*value - *baseline);
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json ModelJson(const ModelResult& model) {
  return {{"name", model.name},
          {"run", model.run},
          {"architecture", model.architecture},
          {"attention", model.attention},
          {"bleu", NumberOrNull(model.bleu)},
          {"bleu_signature", TextOrNull(model.bleu_signature)},
          {"chrf", NumberOrNull(model.chrf)},
          {"chrf_signature", TextOrNull(model.chrf_signature)},
          {"ter", nullptr},  // not measured yet
          {"aer", NumberOrNull(model.aer)},
          {"aer_precision", NumberOrNull(model.aer_precision)},
          {"aer_recall", NumberOrNull(model.aer_recall)},
          {"alignment_choice", TextOrNull(model.alignment_choice)},
          {"parameters", model.parameters},
          {"training_seconds", NumberOrNull(model.training_seconds)},
          {"training_updates", model.training_updates},
          {"decode_seconds", NumberOrNull(model.decode_seconds)},
          {"decode_tokens_per_second", NumberOrNull(model.decode_tokens_per_second)}};
}

// Each further model minus the first.
Json DifferencesJson(const std::vector<ModelResult>& models) {
  Json differences = Json::array();
  for (size_t i = 1; i < models.size(); ++i) {
    const ModelResult& model = models[i];
    const ModelResult& baseline = models.front();
    differences.push_back(
        {{"model", model.name},
         {"baseline", baseline.name},
         {"bleu", Difference(model.bleu, baseline.bleu)},
         {"chrf", Difference(model.chrf, baseline.chrf)},
         {"aer", Difference(model.aer, baseline.aer)},
         {"parameters", model.parameters - baseline.parameters},
         {"training_seconds", Difference(model.training_seconds, baseline.training_seconds)},
         {"decode_tokens_per_second",
          Difference(model.decode_tokens_per_second, baseline.decode_tokens_per_second)}});
  }
  return differences;
}

// One entry a model, however many the part holds.
template <typename T>
Json PerModel(const std::vector<T>& values, size_t models) {
  Json list = Json::array();
  for (size_t i = 0; i < models; ++i) {
    list.push_back(i < values.size() ? NumberOrNull(values[i]) : Json(nullptr));
  }
  return list;
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison) {
  const size_t models = comparison.models.size();
  Json report = {{"title", comparison.title},
                 {"source_file", comparison.source_file},
                 {"reference_file", comparison.reference_file},
                 {"models", Json::array()},
                 {"comparison", {{"differences", DifferencesJson(comparison.models)}}},
                 {"parts", Json::array()},
                 {"samples", Json::array()}};
  for (const ModelResult& model : comparison.models) report["models"].push_back(ModelJson(model));
  for (const PartResult& part : comparison.parts) {
    report["parts"].push_back({{"part", part.part},
                               {"sentences", part.sentences},
                               {"bleu", PerModel(part.bleu, models)},
                               {"chrf", PerModel(part.chrf, models)},
                               {"aer", PerModel(part.aer, models)}});
  }
  for (const SampleSentence& sample : comparison.samples) {
    report["samples"].push_back({{"line", sample.line},
                                 {"source", sample.source},
                                 {"reference", sample.reference},
                                 {"translations", sample.translations},
                                 {"heatmap_png", TextOrNull(sample.heatmap_png)},
                                 {"heatmap_svg", TextOrNull(sample.heatmap_svg)}});
  }
  // Bytes that are not UTF-8 become U+FFFD; the default would throw.
  return report.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nmt
