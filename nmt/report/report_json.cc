#include "nmt/report/report_json.h"

#include <cmath>

#include "nmt/report/seed_groups.h"

namespace nmt {
namespace {

// One entry a model, however many there are.
template <typename T>
ReportJson PerModel(const std::vector<T>& values, size_t models) {
  ReportJson list = ReportJson::array();
  for (size_t i = 0; i < models; ++i) {
    list.push_back(i < values.size() ? NumberOrNull(values[i]) : ReportJson(nullptr));
  }
  return list;
}

ReportJson Rounded(const std::vector<std::optional<double>>& values, size_t count) {
  ReportJson list = ReportJson::array();
  for (size_t i = 0; i < count; ++i) {
    const std::optional<double> value = i < values.size() ? values[i] : std::nullopt;
    list.push_back(value ? NumberOrNull(std::round(*value * 1e4) / 1e4) : ReportJson(nullptr));
  }
  return list;
}

ReportJson LinksPerModel(const std::vector<Links>& links) {
  ReportJson list = ReportJson::array();
  for (const Links& one : links) list.push_back(FormatLinks(one));
  return list;
}

ReportJson ToJson(const std::optional<MeanAndDeviation>& summary) {
  if (!summary) return nullptr;
  return {{"mean", NumberOrNull(summary->mean)},
          {"deviation", NumberOrNull(summary->deviation)},
          {"runs", summary->runs}};
}

}  // namespace

ReportJson NumberOrNull(std::optional<double> value) {
  return value && std::isfinite(*value) ? ReportJson(*value) : ReportJson(nullptr);
}

ReportJson TextOrNull(const std::string& text) {
  return text.empty() ? ReportJson(nullptr) : ReportJson(text);
}

ReportJson ToJson(const PartResult& part, size_t models) {
  ReportJson json = {{"part", part.part},
                     {"sentences", part.sentences},
                     {"bleu", PerModel(part.bleu, models)},
                     {"chrf", PerModel(part.chrf, models)},
                     {"ter", PerModel(part.ter, models)},
                     {"aer", PerModel(part.aer, models)}};
  if (!part.word_f.empty()) {
    json["words"] = part.words;
    json["word_f"] = PerModel(part.word_f, models);
  }
  return json;
}

ReportJson ToJson(const Breakdown& breakdown, size_t models) {
  ReportJson json = {
      {"by", breakdown.by}, {"note", TextOrNull(breakdown.note)}, {"parts", ReportJson::array()}};
  for (const PartResult& part : breakdown.parts) json["parts"].push_back(ToJson(part, models));
  return json;
}

ReportJson ToJson(const PairedResult& test) {
  ReportJson json = {{"model", test.model},
                     {"baseline", test.baseline},
                     {"metric", test.metric},
                     {"test", test.test},
                     {"over", test.over},
                     {"difference", NumberOrNull(test.difference)},
                     {"p_value", NumberOrNull(test.p_value)},
                     {"samples", test.samples},
                     {"differences", nullptr}};
  if (!test.differences.counts.empty()) {
    json["differences"] = {{"low", test.differences.low},
                           {"high", test.differences.high},
                           {"counts", test.differences.counts}};
  }
  return json;
}

ReportJson ToJson(const ModelAlignment& alignment) {
  ReportJson json = {{"choices", ReportJson::array()},
                     {"aer_grids", ReportJson::array()},
                     {"gold_mass", NumberOrNull(alignment.gold_mass)},
                     {"entropy", NumberOrNull(alignment.entropy)},
                     {"coverage_deviation", NumberOrNull(alignment.coverage_deviation)},
                     {"end_mass", NumberOrNull(alignment.end_mass)},
                     {"punctuation_mass", NumberOrNull(alignment.punctuation_mass)}};
  for (const ReportChoice& choice : alignment.choices) {
    json["choices"].push_back({{"layer", choice.layer},
                               {"head", choice.head},
                               {"shift", choice.shift},
                               {"value_norms", choice.value_norms}});
  }
  for (const AerGrid& grid : alignment.grids) {
    const auto cells = static_cast<size_t>(grid.layers * (1 + grid.heads));
    json["aer_grids"].push_back({{"conventions", grid.conventions},
                                 {"layers", grid.layers},
                                 {"heads", grid.heads},
                                 {"aer", PerModel(grid.aer, cells)}});
  }
  return json;
}

ReportJson ToJson(const PairAgreement& agreement) {
  return {{"model", agreement.model},
          {"other", agreement.other},
          {"link_agreement", NumberOrNull(agreement.link_agreement)},
          {"divergence", NumberOrNull(agreement.divergence)},
          {"rank_correlation", NumberOrNull(agreement.rank_correlation)}};
}

ReportJson ToJson(const ModelCost& cost) {
  ReportJson json = {{"multiply_adds", NumberOrNull(cost.multiply_adds)},
                     {"training_tokens_per_second", NumberOrNull(cost.training_tokens_per_second)},
                     {"training_peak_bytes", NumberOrNull(cost.training_peak_bytes)},
                     {"decode_peak_bytes", NumberOrNull(cost.decode_peak_bytes)},
                     {"curves", ReportJson::array()}};
  for (const Curve& curve : cost.curves) {
    ReportJson points = ReportJson::array();
    for (const CurvePoint& point : curve.points) {
      points.push_back({{"update", point.update},
                        {"seconds", NumberOrNull(point.seconds)},
                        {"value", NumberOrNull(point.value)}});
    }
    json["curves"].push_back({{"measure", curve.measure}, {"points", std::move(points)}});
  }
  return json;
}

ReportJson ToJson(const SentenceAttention& attention) {
  const bool reference = attention.target == AttentionTarget::kReference;
  return {{"model", attention.model},
          {"target", reference ? "reference" : "translation"},
          {"choice", attention.choice},
          {"rows", attention.weights.rows},
          {"columns", attention.weights.columns},
          {"weights", Base64(attention.weights.bytes)}};
}

ReportJson ToJson(const SentenceRecord& sentence, size_t models) {
  return {{"line", sentence.line},
          {"source", sentence.source},
          {"reference", sentence.reference},
          {"translations", sentence.translations},
          {"bleu", Rounded(sentence.bleu, models)},
          {"chrf", Rounded(sentence.chrf, models)},
          {"ter", Rounded(sentence.ter, models)},
          {"aer", Rounded(sentence.aer, models)},
          {"entropy", Rounded(sentence.entropy, models)},
          {"coverage", Rounded(sentence.coverage, models)},
          {"divergence", Rounded(sentence.divergence, sentence.divergence.size())},
          {"gold", sentence.gold ? ReportJson(FormatLinks(*sentence.gold)) : ReportJson(nullptr)},
          {"reference_links", LinksPerModel(sentence.reference_links)},
          {"translation_links", LinksPerModel(sentence.translation_links)}};
}

ReportJson GroupsJson(const Comparison& comparison) {
  ReportJson groups = ReportJson::array();
  for (const SeedGroup& group : SeedGroups(comparison)) {
    groups.push_back({{"group", group.name},
                      {"models", group.models},
                      {"bleu", ToJson(group.bleu)},
                      {"chrf", ToJson(group.chrf)},
                      {"ter", ToJson(group.ter)},
                      {"aer", ToJson(group.aer)},
                      {"parts", ReportJson::array()}});
    for (const SeedGroup::Part& part : group.parts)
      groups.back()["parts"].push_back({{"bleu", ToJson(part.bleu)}, {"aer", ToJson(part.aer)}});
  }
  return groups;
}

std::string DumpJson(const ReportJson& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, ReportJson::error_handler_t::replace);
}

}  // namespace nmt
