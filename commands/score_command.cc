#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/command.h"
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
};

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

}  // namespace

void AddScoreCommand(CLI::App& app, Run& run) {
  const auto options = std::make_shared<ScoreOptions>();
  CLI::App* command =
      app.add_subcommand("score", "BLEU and chrF of translations, as sacreBLEU gives them");
  command->add_option("--hypothesis", options->hypothesis, "The translations, one a line")
      ->required()
      ->type_name("FILE");
  command->add_option("--reference", options->reference, "The references, one a line")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--tokenize", options->tokenizer,
                   "How BLEU cuts words: 13a for plain text, none for text that is tokenized "
                   "already, char or zh where words have no blanks between them")
      ->capture_default_str()
      ->check(CLI::IsMember({"13a", "none", "char", "zh"}));
  command->add_flag("--lowercase", options->lowercase, "Compare without regard to case");
  command->add_flag("--json", options->json, "Print the scores as JSON");
  command->footer(
      "Example:\n"
      "  nmt translate runs/gru < test.de > test.out\n"
      "  nmt score --hypothesis test.out --reference test.en");
  command->callback([options, &run] { run = [options] { return Score(*options); }; });
}

}  // namespace nmt
