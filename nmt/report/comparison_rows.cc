#include "nmt/report/comparison_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "nmt/base/progress.h"

namespace nmt {
namespace {

std::string DurationText(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return kAbsent;
  if (seconds < 0.05) return "under 0.1 s";  // too short to tell runs apart by
  return seconds < 59.95 ? fmt::format("{:.1f} s", seconds) : FormatDuration(seconds);
}

std::string RateText(double per_second) {
  return std::isfinite(per_second) ? WithThousands(std::llround(per_second)) : kAbsent;
}

std::string TextOrAbsent(const std::string& text) { return text.empty() ? kAbsent : text; }

// A measure on which one model can be better than another.
struct Measure {
  std::string name;
  bool higher_is_better;
  std::string better;  // "higher"
  std::function<std::optional<double>(const ModelResult&)> value;
  std::function<std::string(double)> text;
};

std::vector<Measure> Measures() {
  const auto score = [](double value) { return ScoreText(value); };
  return {
      {"BLEU", true, "higher", [](const ModelResult& m) { return m.bleu; }, score},
      {"chrF", true, "higher", [](const ModelResult& m) { return m.chrf; }, score},
      {"TER (lower is better)", false, "lower", [](const ModelResult& m) { return m.ter; }, score},
      {"AER (lower is better)", false, "lower", [](const ModelResult& m) { return m.aer; },
       [](double value) { return PercentText(value); }},
      {"Translation", false, "faster", [](const ModelResult& m) { return m.decode_seconds; },
       DurationText},
  };
}

// "BLEU: GRU is higher (34.20 against 33.11)."; nullopt unless two models have a value.
std::optional<std::string> Finding(const Comparison& comparison, const Measure& measure) {
  struct Entry {
    std::string name, text;
    double value;
  };
  std::vector<Entry> entries;
  for (const ModelResult& model : comparison.models) {
    const std::optional<double> value = measure.value(model);
    if (!value || !std::isfinite(*value)) continue;
    entries.push_back({model.name, measure.text(*value), *value});
  }
  if (entries.size() < 2) return std::nullopt;
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    return measure.higher_is_better ? a.value > b.value : a.value < b.value;
  });
  if (entries[0].text == entries[1].text) {
    const bool all_equal = entries.front().text == entries.back().text;
    return fmt::format("{}: {} equal ({}).", measure.name,
                       all_equal && entries.size() == 2
                           ? "both models are"
                           : (all_equal ? "all models are" : "the best models are"),
                       entries[0].text);
  }
  std::string others;
  for (size_t i = 1; i < entries.size(); ++i) {
    others += (i == 1 ? "" : ", ") + entries[i].text;
  }
  return fmt::format("{}: {} is {} ({} against {}).", measure.name, entries[0].name, measure.better,
                     entries[0].text, others);
}

// With k pairs tested each must show p < 0.05 / k (Bonferroni). Of a permutation of seeds p is at least
// 2 / ways, as the way that was found and its mirror image are among them.
std::string Verdict(const Comparison& comparison, const PairedResult& test) {
  const auto pairs = std::count_if(comparison.tests.begin(), comparison.tests.end(),
                                   [&](const PairedResult& other) {
                                     return other.metric == test.metric && other.over == test.over;
                                   });
  const double threshold = 0.05 / static_cast<double>(pairs);
  if (test.over == "seeds" && 2 / static_cast<double>(test.samples) >= threshold)
    return "too few seeds to tell";
  return test.p_value < threshold ? fmt::format("more than chance (p < {:.2g})", threshold)
                                  : "no difference shown";
}

// "BLEU, GRU - transformer: +0.12, p = 0.4210 (approximate randomization), no difference shown."
std::string TestFinding(const Comparison& comparison, const PairedResult& test) {
  const auto name = [&](int64_t m) {
    const ModelResult& model = comparison.models[static_cast<size_t>(m)];
    return test.over == "seeds" ? "seeds of " + model.group : model.name;
  };
  return fmt::format("{}, {} - {}: {:+.2f}, p = {:.4f} ({}), {}.", test.metric, name(test.model),
                     name(test.baseline), test.difference, test.p_value, test.test,
                     Verdict(comparison, test));
}

bool AllAlike(const std::vector<ModelResult>& models, std::string ModelResult::*signature) {
  return std::all_of(models.begin(), models.end(), [&](const ModelResult& model) {
    return model.*signature == models.front().*signature;
  });
}

}  // namespace

std::string ScoreText(std::optional<double> score) {
  return score && std::isfinite(*score) ? fmt::format("{:.2f}", *score) : kAbsent;
}

std::string PercentText(std::optional<double> share) {
  return share && std::isfinite(*share) ? fmt::format("{:.1f} %", 100 * *share) : kAbsent;
}

std::vector<ComparisonRow> ComparisonRows(const Comparison& comparison) {
  std::vector<ComparisonRow> rows;
  const auto add = [&](std::string name,
                       const std::function<std::string(const ModelResult&)>& text) {
    ComparisonRow row{.name = std::move(name), .values = {}};
    for (const ModelResult& model : comparison.models) row.values.push_back(text(model));
    const bool is_empty = std::all_of(row.values.begin(), row.values.end(),
                                      [](const std::string& value) { return value == kAbsent; });
    if (!is_empty) rows.push_back(std::move(row));
  };
  using Model = ModelResult;
  add("Architecture", [](const Model& m) { return TextOrAbsent(m.architecture); });
  add("Attention", [](const Model& m) { return TextOrAbsent(m.attention); });
  add("BLEU", [](const Model& m) { return ScoreText(m.bleu); });
  add("chrF", [](const Model& m) { return ScoreText(m.chrf); });
  add("TER", [](const Model& m) { return ScoreText(m.ter); });
  add("AER", [](const Model& m) { return PercentText(m.aer); });
  add("Alignment precision", [](const Model& m) { return PercentText(m.aer_precision); });
  add("Alignment recall", [](const Model& m) { return PercentText(m.aer_recall); });
  add("Alignment from", [](const Model& m) { return TextOrAbsent(m.alignment_choice); });
  add("Parameters", [](const Model& m) { return WithThousands(m.parameters); });
  add("Training time", [](const Model& m) { return DurationText(m.training_seconds); });
  add("Training updates", [](const Model& m) { return WithThousands(m.training_updates); });
  add("Translation time", [](const Model& m) { return DurationText(m.decode_seconds); });
  add("Translated tokens/s", [](const Model& m) { return RateText(m.decode_tokens_per_second); });
  return rows;
}

std::vector<std::string> ComparisonFindings(const Comparison& comparison) {
  std::vector<std::string> findings;
  if (comparison.models.size() < 2) return findings;
  for (const Measure& measure : Measures()) {
    if (std::optional<std::string> finding = Finding(comparison, measure)) {
      findings.push_back(*std::move(finding));
    }
  }
  if (findings.empty()) return findings;
  for (const PairedResult& test : comparison.tests)
    findings.push_back(TestFinding(comparison, test));
  if (comparison.tests.empty()) {
    findings.push_back(
        "These are differences between single runs; none was tested for significance.");
  }
  for (const auto& [name, signature] :
       {std::pair{"BLEU", &ModelResult::bleu_signature}, {"chrF", &ModelResult::chrf_signature}}) {
    if (AllAlike(comparison.models, signature)) continue;
    findings.push_back(fmt::format(
        "The {} signatures differ, so these {} scores cannot be compared.", name, name));
  }
  return findings;
}

}  // namespace nmt
