#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/command.h"
#include "nmt/alignment/aer.h"
#include "nmt/alignment/links.h"

namespace nmt {
namespace {

struct AerOptions {
  std::string hypothesis;
  std::string gold;
  int hypothesis_base = 0;
  int gold_base = 0;
  bool json = false;
};

LinkBase Base(int first) { return first == 1 ? LinkBase::kOne : LinkBase::kZero; }

void Print(const AerScore& score) {
  fmt::print("AER {:.2f} %, precision {:.2f} %, recall {:.2f} %\n", 100 * score.aer,
             100 * score.precision, 100 * score.recall);
  const AerCounts& counts = score.counts;
  fmt::print("{} links, {} of them sure and {} possible; the gold has {} sure, {} possible\n",
             counts.hypothesis, counts.matched_sure, counts.matched_possible, counts.sure,
             counts.possible);
}

// Fractions, not percent.
void PrintJson(const AerScore& score) {
  const AerCounts& counts = score.counts;
  const nlohmann::ordered_json scores = {{"aer", score.aer},
                                         {"precision", score.precision},
                                         {"recall", score.recall},
                                         {"hypothesis_links", counts.hypothesis},
                                         {"gold_sure_links", counts.sure},
                                         {"gold_possible_links", counts.possible},
                                         {"matched_sure_links", counts.matched_sure},
                                         {"matched_possible_links", counts.matched_possible}};
  fmt::print("{}\n", scores.dump(/*indent=*/2));
}

absl::Status Aer(const AerOptions& options) {
  NMT_ASSIGN_OR_RETURN(const std::vector<Links> hypotheses,
                       ReadLinks(options.hypothesis, Base(options.hypothesis_base)));
  NMT_ASSIGN_OR_RETURN(const std::vector<Links> golds,
                       ReadLinks(options.gold, Base(options.gold_base)));
  if (hypotheses.size() != golds.size()) {
    return DataError(fmt::format("{}: {} lines, but {} has {}: they are joined by line number",
                                 options.hypothesis, hypotheses.size(), options.gold,
                                 golds.size()));
  }
  NMT_ASSIGN_OR_RETURN(const AerScore score, CorpusAer(hypotheses, golds));
  options.json ? PrintJson(score) : Print(score);
  return absl::OkStatus();
}

}  // namespace

void AddAerCommand(CLI::App& app, Run& run) {
  const auto options = std::make_shared<AerOptions>();
  CLI::App* command =
      app.add_subcommand("aer", "Alignment error rate, precision and recall against gold links");
  command
      ->add_option("--hypothesis", options->hypothesis,
                   "Links to judge, a sentence a line: \"0-0 1-2\", source word first")
      ->required()
      ->type_name("LINKS");
  command
      ->add_option("--gold", options->gold,
                   "Links that people made: \"0-0 1p2\", p for a link that is only possible")
      ->required()
      ->type_name("LINKS");
  command
      ->add_option("--hypothesis-base", options->hypothesis_base,
                   "The index of a sentence's first word in the links to judge")
      ->capture_default_str()
      ->check(CLI::IsMember({0, 1}));
  command
      ->add_option("--gold-base", options->gold_base,
                   "The index of a sentence's first word in the gold links")
      ->capture_default_str()
      ->check(CLI::IsMember({0, 1}));
  command->add_flag("--json", options->json, "Print the scores as JSON, fractions from 0 to 1");
  command->footer(
      "Example:\n"
      "  nmt align runs/gru --source test.de --target test.en > test.links\n"
      "  nmt aer --hypothesis test.links --gold gold.links --gold-base 1");
  command->callback([options, &run] { run = [options] { return Aer(*options); }; });
}

}  // namespace nmt
