#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/metric_scores.h"
#include "commands/score_by_model.h"
#include "nmt/base/log.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/metrics/bleu.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

struct ScoreOptions {
  std::string hypothesis;
  std::string reference;
  std::string baseline;
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};
  std::string tokenizer = "13a";
  std::string smoothing = "exp";
  std::optional<double> smoothing_value;
  bool lowercase = false;
  bool ter_case_sensitive = false;
  bool confidence = false;
  std::string test = "approximate-randomization";
  int64_t resamples = BootstrapOptions{}.resamples;
  int64_t trials = RandomizationOptions{}.trials;
  uint64_t seed = BootstrapOptions{}.seed;
  bool json = false;
  ModelScoreOptions by_model;
};

bool UsesRandomization(const ScoreOptions& options) {
  return options.test == "approximate-randomization" || options.test == "ar";
}

absl::StatusOr<MetricOptions> ToMetricOptions(const ScoreOptions& options) {
  NMT_ASSIGN_OR_RETURN(const BleuTokenizer tokenizer, ParseTokenizer(options.tokenizer));
  NMT_ASSIGN_OR_RETURN(const BleuSmoothing smoothing, ParseSmoothing(options.smoothing));
  if (options.smoothing_value && smoothing != BleuSmoothing::kFloor &&
      smoothing != BleuSmoothing::kAddK) {
    return UsageError(
        fmt::format("--smooth-value {}: --smooth {} has no value, floor and add-k have",
                    *options.smoothing_value, options.smoothing));
  }
  return MetricOptions{.bleu = {.tokenizer = tokenizer,
                                .lowercase = options.lowercase,
                                .smoothing = smoothing,
                                .smoothing_value = options.smoothing_value},
                       .chrf = {.lowercase = options.lowercase},
                       .ter = {.case_sensitive = options.ter_case_sensitive},
                       .confidence = options.confidence,
                       .test = UsesRandomization(options)
                                   ? PairedTestKind::kApproximateRandomization
                                   : PairedTestKind::kBootstrap,
                       .bootstrap = {.resamples = options.resamples, .seed = options.seed},
                       .randomization = {.trials = options.trials, .seed = options.seed}};
}

absl::StatusOr<ScoredTexts> ReadTexts(const ScoreOptions& options) {
  ScoredTexts texts;
  NMT_ASSIGN_OR_RETURN(texts.hypotheses, ReadLines(options.hypothesis));
  NMT_ASSIGN_OR_RETURN(texts.references, ReadLines(options.reference));
  NMT_RETURN_IF_ERROR(CheckEqualLines(options.hypothesis, texts.hypotheses.size(),
                                      options.reference, texts.references.size()));
  if (options.baseline.empty()) return texts;
  NMT_ASSIGN_OR_RETURN(texts.baseline, ReadLines(options.baseline));
  NMT_RETURN_IF_ERROR(CheckEqualLines(options.baseline, texts.baseline->size(), options.reference,
                                      texts.references.size()));
  return texts;
}

// "1000 samples" of the test that was made.
int64_t Samples(const ScoreOptions& options) {
  return UsesRandomization(options) ? options.trials : options.resamples;
}

void PrintJson(const ScoreOptions& options, const ScoredTexts& texts,
               const std::vector<MetricScores>& metrics) {
  nlohmann::ordered_json json{{"lines", texts.references.size()}};
  if (texts.baseline) {
    json["test"] = {
        {"name", UsesRandomization(options) ? "approximate randomization" : "paired bootstrap"},
        {"samples", Samples(options)},
        {"seed", options.seed}};
  }
  for (const MetricScores& scores : metrics) json[scores.key] = ToJson(scores);
  fmt::print("{}\n", json.dump(/*indent=*/2));
}

void PrintComparison(const ScoreOptions& options, const std::vector<MetricScores>& metrics) {
  fmt::print("baseline {}\nsystem   {}\n\n{}\n", options.baseline, options.hypothesis,
             ComparisonTable(metrics));
  fmt::print(
      "p: how often equally good systems would differ by more, of {} samples ({}, seed {})\n\n",
      Samples(options),
      UsesRandomization(options) ? "approximate randomization" : "paired bootstrap", options.seed);
  for (const MetricScores& scores : metrics) fmt::print("{}|{}\n", scores.name, scores.signature);
}

absl::Status Score(const ScoreOptions& options) {
  NMT_ASSIGN_OR_RETURN(const MetricOptions metric_options, ToMetricOptions(options));
  NMT_ASSIGN_OR_RETURN(const ScoredTexts texts, ReadTexts(options));
  std::vector<MetricScores> metrics;
  for (const std::string& key : options.metrics) {
    NMT_ASSIGN_OR_RETURN(MetricScores scores, ScoreMetric(key, texts, metric_options));
    metrics.push_back(std::move(scores));
    if (key != "bleu") continue;
    for (const std::string& warning :
         BleuWarnings(texts.hypotheses, texts.references, metric_options.bleu)) {
      Warn(warning);
    }
  }
  if (options.json) {
    PrintJson(options, texts, metrics);
  } else if (texts.baseline) {
    PrintComparison(options, metrics);
  } else {
    for (const MetricScores& scores : metrics) fmt::print("{}\n", FormatScore(scores));
  }
  return absl::OkStatus();
}

void AddMetricOptions(CLI::App& command, ScoreOptions& options) {
  command
      .add_option("--metrics", options.metrics,
                  "bleu, chrf, chrf++, ter: any of them, separated by commas")
      ->capture_default_str()
      ->delimiter(',')
      ->check(
          CLI::IsMember(std::vector<std::string>(std::begin(kMetricKeys), std::end(kMetricKeys))));
  command
      .add_option(
          "--tokenize", options.tokenizer,
          "How BLEU cuts words: 13a for plain text, none for text that is tokenized already, "
          "intl by all of Unicode's punctuation, char or zh where words have no blanks "
          "between them")
      ->capture_default_str()
      ->check(CLI::IsMember({"13a", "none", "intl", "char", "zh"}));
  command
      .add_option("--smooth", options.smoothing,
                  "What BLEU takes an order without a match for: exp, floor, add-k or none")
      ->capture_default_str()
      ->check(CLI::IsMember({"exp", "floor", "add-k", "none"}));
  command
      .add_option("--smooth-value", options.smoothing_value,
                  "For floor (by default 0.1) and add-k (by default 1)")
      ->check(CLI::Range(0.001, 1000.));
  command.add_flag("--lowercase", options.lowercase, "BLEU and chrF without regard to case");
  command.add_flag("--ter-case-sensitive", options.ter_case_sensitive,
                   "TER with regard to case, which it has not by default");
}

void AddTestOptions(CLI::App& command, ScoreOptions& options) {
  constexpr const char* kGroup = "Confidence and comparison";
  command
      .add_flag("--confidence", options.confidence,
                "95% intervals by bootstrap: mean and half width of the samples' scores")
      ->group(kGroup);
  CLI::Option* baseline =
      command
          .add_option("--baseline", options.baseline,
                      "Another system's translations: is the difference more than luck?")
          ->type_name("FILE")
          ->group(kGroup);
  command
      .add_option("--paired", options.test,
                  "The test against the baseline: approximate-randomization (or ar), bootstrap "
                  "(or bs)")
      ->capture_default_str()
      ->check(CLI::IsMember({"approximate-randomization", "ar", "bootstrap", "bs"}))
      ->needs(baseline)
      ->group(kGroup);
  command.add_option("--resamples", options.resamples, "Samples of the bootstrap")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000))
      ->group(kGroup);
  command.add_option("--trials", options.trials, "Samples of approximate randomization")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000))
      ->group(kGroup);
  command.add_option("--seed", options.seed, "The samples are a function of it")
      ->capture_default_str()
      ->group(kGroup);
}

void AddModelOptions(CLI::App& command, ModelScoreOptions& options) {
  constexpr const char* kGroup = "By a model";
  CLI::Option* model =
      command
          .add_option(
              "--model", options.run,
              "In place of metrics: log P(hypothesis | source) of each pair under this run's "
              "model, in nats")
          ->type_name("RUN")
          ->group(kGroup);
  for (const char* metric_option :
       {"--reference", "--baseline", "--metrics", "--tokenize", "--smooth", "--smooth-value",
        "--lowercase", "--ter-case-sensitive", "--confidence", "--resamples", "--trials", "--seed",
        "--json"})
    model->excludes(command.get_option(metric_option));
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)
        ->group(kGroup)
        ->needs(model)
        ->capture_default_str();
  };
  model->needs(
      add("--source", options.source, "What was translated, one a line")->type_name("FILE"));
  command
      .add_flag("--per-piece", options.per_piece,
                "Divide by the number of pieces, the end of the sentence being one")
      ->needs(model)
      ->group(kGroup);
  add("--checkpoint", options.checkpoint, "Which weights of the run")
      ->check(CLI::IsMember({"best", "last"}));
  add("--batch-size", options.batch_size, "Pairs scored together")->check(CLI::Range(1, 100000));
  add("--device", options.device, "auto, cpu, cuda or cuda:N");
  add("--threads", options.threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 1024));
}

absl::Status RunScore(ScoreOptions options) {
  if (!options.by_model.run.empty()) {
    options.by_model.hypothesis = options.hypothesis;
    return ScoreByModel(options.by_model);
  }
  if (options.reference.empty())
    return UsageError("expected --reference FILE, or --model RUN with --source FILE");
  return Score(options);
}

}  // namespace

void AddScoreCommand(CLI::App& app, Run& run) {
  const auto options = std::make_shared<ScoreOptions>();
  CLI::App* command = app.add_subcommand(
      "score",
      "BLEU, chrF and TER of translations, as sacreBLEU gives them, and significance tests; or a "
      "model's own log-probabilities");
  command->add_option("--hypothesis", options->hypothesis, "The translations, one a line")
      ->required()
      ->type_name("FILE");
  command->add_option("--reference", options->reference, "The references, one a line")
      ->type_name("FILE");
  AddMetricOptions(*command, *options);
  AddTestOptions(*command, *options);
  command->add_flag("--json", options->json,
                    "Print everything as JSON, the differences of the samples too");
  AddModelOptions(*command, options->by_model);
  command->footer(
      "Example:\n"
      "  nmt translate runs/gru < test.de > gru.out\n"
      "  nmt translate runs/transformer < test.de > transformer.out\n"
      "  nmt score --hypothesis gru.out --reference test.en --confidence\n"
      "  nmt score --hypothesis gru.out --baseline transformer.out --reference test.en\n"
      "  nmt score --hypothesis gru.out --model runs/transformer --source test.de");
  command->callback([options, &run] { run = [options] { return RunScore(*options); }; });
}

}  // namespace nmt
