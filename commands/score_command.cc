#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/score_by_model.h"
#include "nmt/base/log.h"
#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

struct ScoreOptions {
  std::string hypothesis;
  std::string reference;
  std::string tokenizer = "13a";
  bool lowercase = false;
  bool json = false;
  ModelScoreOptions by_model;
};

absl::Status Check(const ScoreOptions& options) {
  const bool by_model = !options.by_model.run.empty();
  if (by_model == !options.reference.empty())
    return UsageError("expected --reference FILE, or --model RUN with --source FILE");
  if (by_model == options.by_model.source.empty())
    return UsageError("--model and --source belong together");
  if (by_model && (options.json || options.lowercase))
    return UsageError("--json and --lowercase are of --reference, not of --model");
  if (!by_model && options.by_model.per_piece)
    return UsageError("--per-piece is of --model, which is not given");
  return absl::OkStatus();
}

nlohmann::ordered_json ToJson(const BleuScore& bleu, const BleuOptions& options) {
  return {{"score", bleu.score},
          {"signature", BleuSignature(options)},
          {"precisions", bleu.precisions},
          {"brevity_penalty", bleu.brevity_penalty},
          {"hypothesis_length", bleu.statistics.hypothesis_length},
          {"reference_length", bleu.statistics.reference_length}};
}

nlohmann::ordered_json ToJson(const ChrfScore& chrf, const ChrfOptions& options) {
  return {{"name", ChrfName(options)},
          {"score", chrf.score},
          {"signature", ChrfSignature(options)},
          {"precision", chrf.precision},
          {"recall", chrf.recall}};
}

absl::Status Score(const ScoreOptions& options) {
  NMT_ASSIGN_OR_RETURN(const BleuTokenizer tokenizer, ParseTokenizer(options.tokenizer));
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> hypotheses, ReadLines(options.hypothesis));
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> references, ReadLines(options.reference));
  if (hypotheses.size() != references.size()) {
    return DataError(fmt::format("{}: {} lines, but {} has {}: they are joined by line number",
                                 options.hypothesis, hypotheses.size(), options.reference,
                                 references.size()));
  }
  const BleuOptions bleu_options{.tokenizer = tokenizer, .lowercase = options.lowercase};
  const ChrfOptions chrf_options{.lowercase = options.lowercase};
  NMT_ASSIGN_OR_RETURN(const BleuScore bleu, CorpusBleu(hypotheses, references, bleu_options));
  NMT_ASSIGN_OR_RETURN(const ChrfScore chrf, CorpusChrf(hypotheses, references, chrf_options));
  for (const std::string& warning : BleuWarnings(hypotheses, references, bleu_options)) {
    Warn(warning);
  }
  if (options.json) {
    const nlohmann::ordered_json scores = {{"lines", hypotheses.size()},
                                           {"bleu", ToJson(bleu, bleu_options)},
                                           {"chrf", ToJson(chrf, chrf_options)}};
    fmt::print("{}\n", scores.dump(/*indent=*/2));
  } else {
    fmt::print("{}\n{}\n", FormatBleu(bleu, bleu_options), FormatChrf(chrf, chrf_options));
  }
  return absl::OkStatus();
}

void AddModelOptions(CLI::App& command, ModelScoreOptions& options) {
  const char* group = "By a model";
  command
      .add_option("--model", options.run,
                  "Print log P(hypothesis | source) of each pair under this run's model, in nats")
      ->type_name("RUN")
      ->group(group);
  command.add_option("--source", options.source, "What was translated, one a line")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--per-piece", options.per_piece,
                "Divide by the number of pieces, the end of the sentence being one")
      ->group(group);
  command.add_option("--checkpoint", options.checkpoint, "Which weights of the run")
      ->check(CLI::IsMember({"best", "last"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--batch-size", options.batch_size, "Pairs scored together")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->group(group);
  command.add_option("--device", options.device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str()
      ->group(group);
  command.add_option("--threads", options.threads, "CPU threads; 0: all cores")
      ->check(CLI::Range(0, 1024))
      ->group(group);
}

}  // namespace

void AddScoreCommand(CLI::App& app, Run& run) {
  const auto options = std::make_shared<ScoreOptions>();
  CLI::App* command =
      app.add_subcommand("score",
                         "BLEU and chrF of translations, as sacreBLEU gives them, or a model's "
                         "own log-probabilities");
  command->add_option("--hypothesis", options->hypothesis, "The translations, one a line")
      ->required()
      ->type_name("FILE");
  command->add_option("--reference", options->reference, "The references, one a line")
      ->type_name("FILE");
  command
      ->add_option("--tokenize", options->tokenizer,
                   "How BLEU cuts words: 13a for plain text, none for text that is tokenized "
                   "already, char or zh where words have no blanks between them")
      ->capture_default_str()
      ->check(CLI::IsMember({"13a", "none", "char", "zh"}));
  command->add_flag("--lowercase", options->lowercase, "Compare without regard to case");
  command->add_flag("--json", options->json, "Print the scores as JSON");
  AddModelOptions(*command, options->by_model);
  command->footer(
      "Example:\n"
      "  nmt translate runs/gru < test.de > test.out\n"
      "  nmt score --hypothesis test.out --reference test.en\n"
      "  nmt score --hypothesis test.out --model runs/gru --source test.de");
  command->callback([options, &run] {
    run = [options]() -> absl::Status {
      NMT_RETURN_IF_ERROR(Check(*options));
      if (options->by_model.run.empty()) return Score(*options);
      options->by_model.hypothesis = options->hypothesis;
      return ScoreByModel(options->by_model);
    };
  });
}

}  // namespace nmt
