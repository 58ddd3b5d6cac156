#include "nmt/report/comparison.h"
#include "nmt/report/report_json.h"

namespace nmt {
namespace {

ReportJson Difference(std::optional<double> value, std::optional<double> baseline) {
  if (!value || !baseline) return nullptr;
  return NumberOrNull(*value - *baseline);
}

ReportJson IntervalJson(const std::optional<ScoreInterval>& interval) {
  if (!interval) return nullptr;
  return {{"mean", NumberOrNull(interval->mean)},
          {"half_width", NumberOrNull(interval->half_width)}};
}

ReportJson ModelJson(const ModelResult& model) {
  return {{"name", model.name},
          {"run", model.run},
          {"architecture", model.architecture},
          {"attention", model.attention},
          {"group", TextOrNull(model.group)},
          {"seed", model.seed ? ReportJson(*model.seed) : ReportJson(nullptr)},
          {"bleu", NumberOrNull(model.bleu)},
          {"bleu_interval", IntervalJson(model.bleu_interval)},
          {"bleu_signature", TextOrNull(model.bleu_signature)},
          {"chrf", NumberOrNull(model.chrf)},
          {"chrf_interval", IntervalJson(model.chrf_interval)},
          {"chrf_signature", TextOrNull(model.chrf_signature)},
          {"ter", NumberOrNull(model.ter)},
          {"ter_interval", IntervalJson(model.ter_interval)},
          {"ter_signature", TextOrNull(model.ter_signature)},
          {"aer", NumberOrNull(model.aer)},
          {"aer_precision", NumberOrNull(model.aer_precision)},
          {"aer_recall", NumberOrNull(model.aer_recall)},
          {"alignment_choice", TextOrNull(model.alignment_choice)},
          {"parameters", model.parameters},
          {"training_seconds", NumberOrNull(model.training_seconds)},
          {"training_updates", model.training_updates},
          {"decode_seconds", NumberOrNull(model.decode_seconds)},
          {"decode_tokens_per_second", NumberOrNull(model.decode_tokens_per_second)},
          {"alignment", ToJson(model.alignment)},
          {"cost", ToJson(model.cost)}};
}

ReportJson OppositeJson(const ModelResult& model) {
  return {{"name", model.name},
          {"run", model.run},
          {"architecture", model.architecture},
          {"attention", model.attention},
          {"bleu", NumberOrNull(model.bleu)},
          {"chrf", NumberOrNull(model.chrf)},
          {"ter", NumberOrNull(model.ter)},
          {"aer", NumberOrNull(model.aer)},
          {"alignment_choice", TextOrNull(model.alignment_choice)},
          {"parameters", model.parameters},
          {"training_seconds", NumberOrNull(model.training_seconds)},
          {"decode_tokens_per_second", NumberOrNull(model.decode_tokens_per_second)}};
}

// Each further model minus the first.
ReportJson DifferencesJson(const std::vector<ModelResult>& models) {
  ReportJson differences = ReportJson::array();
  for (size_t i = 1; i < models.size(); ++i) {
    const ModelResult& model = models[i];
    const ModelResult& baseline = models.front();
    differences.push_back(
        {{"model", model.name},
         {"baseline", baseline.name},
         {"bleu", Difference(model.bleu, baseline.bleu)},
         {"chrf", Difference(model.chrf, baseline.chrf)},
         {"ter", Difference(model.ter, baseline.ter)},
         {"aer", Difference(model.aer, baseline.aer)},
         {"parameters", model.parameters - baseline.parameters},
         {"training_seconds", Difference(model.training_seconds, baseline.training_seconds)},
         {"decode_tokens_per_second",
          Difference(model.decode_tokens_per_second, baseline.decode_tokens_per_second)}});
  }
  return differences;
}

ReportJson SampleJson(const SampleSentence& sample) {
  return {{"line", sample.line},
          {"source", sample.source},
          {"reference", sample.reference},
          {"translations", sample.translations},
          {"heatmap_png", TextOrNull(sample.heatmap_png)},
          {"heatmap_svg", TextOrNull(sample.heatmap_svg)}};
}

}  // namespace

ReportJson SummaryJson(const Comparison& comparison) {
  const size_t models = comparison.models.size();
  ReportJson report = {{"title", comparison.title},
                       {"source_file", comparison.source_file},
                       {"reference_file", comparison.reference_file},
                       {"models", ReportJson::array()},
                       {"opposite", ReportJson::array()},
                       {"groups", GroupsJson(comparison)},
                       {"comparison",
                        {{"differences", DifferencesJson(comparison.models)},
                         {"tests", ReportJson::array()},
                         {"agreements", ReportJson::array()}}},
                       {"attention_left_out", comparison.attention_left_out},
                       {"parts", ReportJson::array()},
                       {"breakdowns", ReportJson::array()},
                       {"samples", ReportJson::array()}};
  for (const ModelResult& model : comparison.models) report["models"].push_back(ModelJson(model));
  for (const ModelResult& model : comparison.opposite)
    report["opposite"].push_back(OppositeJson(model));
  for (const PairedResult& test : comparison.tests) {
    report["comparison"]["tests"].push_back(ToJson(test));
  }
  for (const PairAgreement& agreement : comparison.agreements) {
    report["comparison"]["agreements"].push_back(ToJson(agreement));
  }
  for (const PartResult& part : comparison.parts) report["parts"].push_back(ToJson(part, models));
  for (const Breakdown& breakdown : comparison.breakdowns) {
    report["breakdowns"].push_back(ToJson(breakdown, models));
  }
  for (const SampleSentence& sample : comparison.samples) {
    report["samples"].push_back(SampleJson(sample));
  }
  return report;
}

std::string ComparisonJson(const Comparison& comparison) {
  const size_t models = comparison.models.size();
  std::string report = DumpJson(SummaryJson(comparison), /*indent=*/2);
  report.resize(report.rfind("\n}"));
  report += ",\n  \"sentences\": [";
  // A line a sentence: indented they would be ten times as long.
  for (const SentenceRecord& sentence : comparison.sentences) {
    ReportJson record = ToJson(sentence, models);
    record["attention"] = ReportJson::array();
    for (const SentenceAttention& attention : sentence.attention) {
      record["attention"].push_back(ToJson(attention));
    }
    report += (report.ends_with('[') ? "\n    " : ",\n    ") + DumpJson(record);
  }
  report += comparison.sentences.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return report;
}

}  // namespace nmt
