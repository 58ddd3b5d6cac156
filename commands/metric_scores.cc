#include "commands/metric_scores.h"

#include <fmt/format.h>

#include <utility>

namespace nmt {
namespace {

constexpr double kLevel = 0.05;  // of significance; sacreBLEU's too

// What ScoreWith below asks of a metric: names, statistics of sentences, a score of their sum.
struct Bleu {
  BleuOptions options;

  std::string Name() const { return "BLEU"; }
  std::string Signature() const { return BleuSignature(options); }
  auto Count(const std::vector<std::string>& hypotheses,
             const std::vector<std::string>& references) const {
    return CountBleuPerSentence(hypotheses, references, options);
  }
  BleuScore Compute(const BleuStatistics& sum) const { return ComputeBleu(sum, options); }
  SystemScore Describe(const BleuScore& bleu) const {
    return {.score = bleu.score,
            .details = BleuDetails(bleu),
            .fields = {{"precisions", bleu.precisions},
                       {"brevity_penalty", bleu.brevity_penalty},
                       {"hypothesis_length", bleu.statistics.hypothesis_length},
                       {"reference_length", bleu.statistics.reference_length}},
            .interval = {}};
  }
};

struct Chrf {
  ChrfOptions options;

  std::string Name() const { return std::string(ChrfName(options)); }
  std::string Signature() const { return ChrfSignature(options); }
  auto Count(const std::vector<std::string>& hypotheses,
             const std::vector<std::string>& references) const {
    return CountChrfPerSentence(hypotheses, references, options);
  }
  ChrfScore Compute(const ChrfStatistics& sum) const { return ComputeChrf(sum); }
  SystemScore Describe(const ChrfScore& chrf) const {
    return {.score = chrf.score,
            .details = "",
            .fields = {{"precision", chrf.precision}, {"recall", chrf.recall}},
            .interval = {}};
  }
};

struct Ter {
  TerOptions options;

  std::string Name() const { return "TER"; }
  std::string Signature() const { return TerSignature(options); }
  auto Count(const std::vector<std::string>& hypotheses,
             const std::vector<std::string>& references) const {
    return CountTerPerSentence(hypotheses, references, options);
  }
  TerScore Compute(const TerStatistics& sum) const { return ComputeTer(sum); }
  SystemScore Describe(const TerScore& ter) const {
    return {.score = ter.score,
            .details = "",
            .fields = {{"edits", ter.statistics.edits},
                       {"reference_length", ter.statistics.reference_length}},
            .interval = {}};
  }
};

// Samples stand behind the number of references, as in sacreBLEU's signatures.
std::string WithSamples(const std::string& signature, bool bootstrap, bool randomization,
                        const MetricOptions& options) {
  std::string samples;
  if (bootstrap) samples += fmt::format("bs:{}|", options.bootstrap.resamples);
  if (randomization) samples += fmt::format("ar:{}|", options.randomization.trials);
  if (!samples.empty()) samples += fmt::format("seed:{}|", options.bootstrap.seed);
  const size_t behind_references = signature.find('|') + 1;
  return signature.substr(0, behind_references) + samples + signature.substr(behind_references);
}

template <typename Metric>
absl::StatusOr<MetricScores> ScoreWith(const Metric& metric, const ScoredTexts& texts,
                                       const MetricOptions& options) {
  const auto score = [&metric](const auto& sum) { return metric.Compute(sum).score; };
  const bool randomizes =
      texts.baseline.has_value() && options.test == PairedTestKind::kApproximateRandomization;
  const bool bootstraps = options.confidence || (texts.baseline.has_value() && !randomizes);
  MetricScores scores{
      .name = metric.Name(),
      .signature = WithSamples(metric.Signature(), bootstraps, randomizes, options)};
  NMT_ASSIGN_OR_RETURN(const auto system, metric.Count(texts.hypotheses, texts.references));
  scores.system = metric.Describe(metric.Compute(Sum(system)));
  if (!texts.baseline) {
    if (bootstraps) {
      scores.system.interval = EstimateInterval(BootstrapScores(system, score, options.bootstrap));
    }
    return scores;
  }
  NMT_ASSIGN_OR_RETURN(const auto baseline, metric.Count(*texts.baseline, texts.references));
  scores.baseline = metric.Describe(metric.Compute(Sum(baseline)));
  std::optional<PairedTest> bootstrap;
  if (bootstraps) {
    bootstrap = PairedBootstrap(system, baseline, score, options.bootstrap);
    scores.system.interval = EstimateInterval(bootstrap->system_scores);
    scores.baseline->interval = EstimateInterval(bootstrap->baseline_scores);
  }
  scores.test = randomizes
                    ? ApproximateRandomization(system, baseline, score, options.randomization)
                    : std::move(bootstrap);
  return scores;
}

// "31.37 (μ = 31.34 ± 1.52)".
std::string WithInterval(const SystemScore& system) {
  if (!system.interval) return fmt::format("{:.2f}", system.score);
  return fmt::format("{:.2f} (μ = {:.2f} ± {:.2f})", system.score, system.interval->mean,
                     system.interval->half_width);
}

std::string_view Verdict(const MetricScores& scores) {
  if (scores.test->p_value >= kLevel) return "no difference shown";
  const bool system_is_better = (scores.test->difference > 0) != scores.lower_is_better;
  return system_is_better ? "the system is better" : "the baseline is better";
}

nlohmann::ordered_json ToJson(const SystemScore& system) {
  nlohmann::ordered_json json{{"score", system.score}};
  json.update(system.fields);
  if (system.interval) {
    json["interval"] = {{"mean", system.interval->mean},
                        {"half_width", system.interval->half_width}};
  }
  return json;
}

}  // namespace

absl::StatusOr<MetricScores> ScoreMetric(std::string_view key, const ScoredTexts& texts,
                                         const MetricOptions& options) {
  absl::StatusOr<MetricScores> scores = UsageError(fmt::format("unknown metric \"{}\"", key));
  if (key == "bleu") scores = ScoreWith(Bleu{options.bleu}, texts, options);
  if (key == "ter") scores = ScoreWith(Ter{options.ter}, texts, options);
  if (key == "chrf" || key == "chrf++") {
    Chrf chrf{options.chrf};
    chrf.options.word_ngrams = key == "chrf++";
    scores = ScoreWith(chrf, texts, options);
  }
  if (!scores.ok()) return scores;
  scores->key = key;
  scores->lower_is_better = key == "ter";
  return scores;
}

std::string FormatScore(const MetricScores& scores) {
  return fmt::format("{}|{} = {}{}{}", scores.name, scores.signature, WithInterval(scores.system),
                     scores.system.details.empty() ? "" : " ", scores.system.details);
}

std::string ComparisonTable(const std::vector<MetricScores>& metrics) {
  constexpr std::string_view kLine = "{:<8} {:<26} {:<26} {:>10} {:>8}  {}\n";
  std::string table = fmt::format(kLine, "", "baseline", "system", "difference", "p",
                                  fmt::format("at p < {}", kLevel));
  for (const MetricScores& scores : metrics) {
    table +=
        fmt::format(kLine, scores.name, WithInterval(*scores.baseline), WithInterval(scores.system),
                    fmt::format("{:+.2f}", scores.test->difference),
                    fmt::format("{:.4f}", scores.test->p_value), Verdict(scores));
  }
  return table;
}

nlohmann::ordered_json ToJson(const MetricScores& scores) {
  nlohmann::ordered_json json{{"name", scores.name}, {"signature", scores.signature}};
  json.update(ToJson(scores.system));
  if (scores.baseline) json["baseline"] = ToJson(*scores.baseline);
  if (scores.test) {
    json["difference"] = scores.test->difference;
    json["p_value"] = scores.test->p_value;
    json["differences"] = scores.test->differences;
  }
  return json;
}

}  // namespace nmt
