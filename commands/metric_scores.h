// One metric of a system, or of a system and a baseline, in the one form that `nmt score` prints for
// all metrics.
//
//   NMT_ASSIGN_OR_RETURN(const MetricScores bleu, ScoreMetric("bleu", texts, options));
//   fmt::print("{}\n", FormatScore(bleu));
#ifndef NMT_COMMANDS_METRIC_SCORES_H_
#define NMT_COMMANDS_METRIC_SCORES_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/significance.h"
#include "nmt/metrics/ter.h"

namespace nmt {

// As --metrics spells them.
inline constexpr std::string_view kMetricKeys[] = {"bleu", "chrf", "chrf++", "ter"};

enum class PairedTestKind { kBootstrap, kApproximateRandomization };

struct MetricOptions {
  BleuOptions bleu;
  ChrfOptions chrf;  // of chrf++ too
  TerOptions ter;
  bool confidence = false;  // intervals; the paired bootstrap gives them unasked
  PairedTestKind test = PairedTestKind::kApproximateRandomization;
  BootstrapOptions bootstrap;
  RandomizationOptions randomization;
};

struct ScoredTexts {
  std::vector<std::string> hypotheses, references;
  std::optional<std::vector<std::string>> baseline;
};

struct SystemScore {
  double score = 0;
  std::string details;            // behind the score in sacreBLEU's line; often empty
  nlohmann::ordered_json fields;  // what the JSON says besides
  std::optional<ScoreInterval> interval;
};

struct MetricScores {
  std::string key;        // one of kMetricKeys
  std::string name;       // "chrF2++"
  std::string signature;  // with the number of samples and their seed, where there are any
  bool lower_is_better = false;
  SystemScore system;
  std::optional<SystemScore> baseline;
  std::optional<PairedTest> test;  // with a baseline
};

// `key` is one of kMetricKeys. Errors are those of unequal numbers of lines.
absl::StatusOr<MetricScores> ScoreMetric(std::string_view key, const ScoredTexts& texts,
                                         const MetricOptions& options);

// sacreBLEU's line: "BLEU|<signature> = 31.37 (μ = 31.34 ± 1.52) 61.4/34.3/... (BP = ...)".
std::string FormatScore(const MetricScores& scores);

// The two systems side by side, a line a metric, with p-values and what they say at 0.05.
std::string ComparisonTable(const std::vector<MetricScores>& metrics);

// Everything, the differences of the samples too.
nlohmann::ordered_json ToJson(const MetricScores& scores);

}  // namespace nmt

#endif  // NMT_COMMANDS_METRIC_SCORES_H_
