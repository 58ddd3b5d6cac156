// nmt aer: links against gold, in all that can be said of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "nmt/alignment/aer.h"
#include "nmt/alignment/known_links.h"
#include "nmt/alignment/link_statistics.h"
#include "nmt/alignment/symmetrize.h"
#include "nmt/corpus/links.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

struct AerArguments {
  std::string hypothesis, backward, gold, known_links, source, target;
  std::string symmetrize;  // empty: the hypothesis is judged as it is
  int hypothesis_base = 0;
  std::optional<int> gold_base;        // 0 unless given
  std::optional<int64_t> pairs;        // 10 unless given
  bool reverse = false;                // the hypothesis has the target word first
  bool backward_source_first = false;  // the backward links have the source word first
  bool json = false;
};

// What was found out; parts that were not asked for are empty.
struct AerReport {
  std::optional<AerScore> score;
  std::optional<LinkAccuracy> accuracy;
  std::optional<LinkStatistics> statistics;  // with texts only
  LinkErrors errors;
  int64_t links = 0;
  int64_t sentences = 0;

  double LinksPerSentence() const {
    return sentences == 0 ? 0 : static_cast<double>(links) / static_cast<double>(sentences);
  }
};

LinkBase Base(int first) { return first == 1 ? LinkBase::kOne : LinkBase::kZero; }

// Options that do not belong together, before any file is read.
absl::Status CheckArguments(const AerArguments& arguments) {
  const bool has_gold = !arguments.gold.empty(), has_known = !arguments.known_links.empty();
  if (has_gold == has_known) {
    return UsageError(has_gold ? "--gold and --known-links exclude each other"
                               : "found neither --gold nor --known-links, expected one of them");
  }
  if (arguments.gold_base && !has_gold) return UsageError("--gold-base is of --gold");
  if (arguments.symmetrize.empty() != arguments.backward.empty()) {
    return UsageError("--symmetrize METHOD and --backward LINKS need each other");
  }
  if (arguments.backward_source_first && arguments.backward.empty()) {
    return UsageError("--backward-source-first is of --backward");
  }
  if (arguments.source.empty() != arguments.target.empty()) {
    return UsageError("--source and --target need each other");
  }
  if (arguments.pairs && (arguments.source.empty() || !has_gold)) {
    return UsageError("--pairs needs --source, --target and --gold");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SentenceWords>> ReadTexts(const AerArguments& arguments) {
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> sources, ReadLines(arguments.source));
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> targets, ReadLines(arguments.target));
  NMT_RETURN_IF_ERROR(
      CheckEqualLines(arguments.source, sources.size(), arguments.target, targets.size()));
  std::vector<SentenceWords> texts;
  for (size_t i = 0; i < sources.size(); ++i) {
    texts.push_back({Words(CleanLine(sources[i])), Words(CleanLine(targets[i]))});
  }
  return texts;
}

// Within the texts, where there are any.
absl::StatusOr<std::vector<Links>> ReadWithin(
    const std::optional<std::vector<SentenceWords>>& texts, const std::string& path,
    LinkFormat format) {
  if (!texts) return ReadLinks(path, format);
  std::vector<LinkLengths> lengths;
  for (const SentenceWords& words : *texts) lengths.push_back(words.lengths());
  return ReadLinks(path, format, lengths);
}

// The links to judge: of one direction, or of both merged.
absl::StatusOr<std::vector<Links>> ReadHypotheses(
    const AerArguments& arguments, const std::optional<std::vector<SentenceWords>>& texts) {
  const LinkFormat source_first(Base(arguments.hypothesis_base));
  const LinkFormat target_first(source_first.base, LinkOrder::kTargetFirst);
  NMT_ASSIGN_OR_RETURN(
      std::vector<Links> hypotheses,
      ReadWithin(texts, arguments.hypothesis, arguments.reverse ? target_first : source_first));
  if (arguments.symmetrize.empty()) return hypotheses;
  NMT_ASSIGN_OR_RETURN(const Symmetrization method, ParseSymmetrization(arguments.symmetrize));
  NMT_ASSIGN_OR_RETURN(const std::vector<Links> backward,
                       ReadWithin(texts, arguments.backward,
                                  arguments.backward_source_first ? source_first : target_first));
  NMT_RETURN_IF_ERROR(CheckEqualLines(arguments.backward, backward.size(), arguments.hypothesis,
                                      hypotheses.size()));
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    hypotheses[i] = Symmetrize(hypotheses[i], backward[i], method);
  }
  return hypotheses;
}

absl::StatusOr<AerReport> Judge(const AerArguments& arguments) {
  std::optional<std::vector<SentenceWords>> texts;
  if (!arguments.source.empty()) {
    NMT_ASSIGN_OR_RETURN(texts, ReadTexts(arguments));
  }
  NMT_ASSIGN_OR_RETURN(const std::vector<Links> hypotheses, ReadHypotheses(arguments, texts));
  AerReport report{.sentences = static_cast<int64_t>(hypotheses.size())};
  for (const Links& links : hypotheses) report.links += static_cast<int64_t>(links.size());
  if (texts) {
    report.statistics.emplace();
    for (size_t i = 0; i < texts->size(); ++i) {
      *report.statistics += CountLinks(hypotheses[i], (*texts)[i].lengths());
    }
  }
  if (!arguments.known_links.empty()) {
    NMT_ASSIGN_OR_RETURN(const KnownLinks known, ReadKnownLinks(arguments.known_links));
    if (texts) NMT_RETURN_IF_ERROR(CheckKnownLinks(known, *texts));
    NMT_ASSIGN_OR_RETURN(report.accuracy, ComputeLinkAccuracy(hypotheses, known));
    return report;
  }
  NMT_ASSIGN_OR_RETURN(const std::vector<Links> golds,
                       ReadWithin(texts, arguments.gold, Base(arguments.gold_base.value_or(0))));
  NMT_RETURN_IF_ERROR(
      CheckEqualLines(arguments.hypothesis, hypotheses.size(), arguments.gold, golds.size()));
  NMT_ASSIGN_OR_RETURN(report.score, CorpusAer(hypotheses, golds));
  if (texts) {
    report.errors = CommonLinkErrors(hypotheses, golds, *texts,
                                     static_cast<size_t>(arguments.pairs.value_or(10)));
  }
  return report;
}

void PrintPairs(std::string_view title, const std::vector<WordPairCount>& pairs) {
  if (pairs.empty()) return;
  fmt::print("{}\n", title);
  for (const auto& [source, target, count] : pairs) {
    fmt::print("{:7} {} - {}\n", count, source, target);
  }
}

// Shares in percent.
void Print(const AerReport& report) {
  if (report.score) {
    const AerScore& score = *report.score;
    const AerCounts& counts = score.counts;
    fmt::print("AER {:.2f}\n", 100 * score.aer);
    fmt::print("precision {:.2f}, recall {:.2f}, F {:.2f}\n", 100 * score.precision,
               100 * score.recall, 100 * score.f_measure);
    fmt::print("{} links, {} of them sure and {} possible; the gold has {} sure, {} possible\n",
               counts.hypothesis, counts.matched_sure, counts.matched_possible, counts.sure,
               counts.possible);
  }
  if (report.accuracy) {
    fmt::print("accuracy {:.2f}\n", 100 * report.accuracy->Share());
    fmt::print("{} links, {} of the {} known ones among them\n", report.links,
               report.accuracy->found, report.accuracy->known);
  }
  fmt::print("links a sentence {:.2f}", report.LinksPerSentence());
  if (report.statistics) {
    fmt::print(", a target word {:.2f}\ncoverage {:.2f} of source words, {:.2f} of target words",
               report.statistics->LinksPerTargetWord(), 100 * report.statistics->SourceCoverage(),
               100 * report.statistics->TargetCoverage());
  }
  fmt::print("\n");
  PrintPairs("linked, but not in the gold:", report.errors.wrong);
  PrintPairs("sure in the gold, but not linked:", report.errors.missed);
}

nlohmann::ordered_json ToJson(const std::vector<WordPairCount>& pairs) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [source, target, count] : pairs) {
    json.push_back({{"source", source}, {"target", target}, {"count", count}});
  }
  return json;
}

// Fractions, not percent.
void PrintJson(const AerReport& report) {
  nlohmann::ordered_json json;
  if (report.score) {
    const AerScore& score = *report.score;
    json["aer"] = score.aer;
    json["precision"] = score.precision;
    json["recall"] = score.recall;
    json["f_measure"] = score.f_measure;
    json["gold_sure_links"] = score.counts.sure;
    json["gold_possible_links"] = score.counts.possible;
    json["matched_sure_links"] = score.counts.matched_sure;
    json["matched_possible_links"] = score.counts.matched_possible;
  }
  if (report.accuracy) {
    json["accuracy"] = report.accuracy->Share();
    json["known_links"] = report.accuracy->known;
    json["found_links"] = report.accuracy->found;
  }
  json["hypothesis_links"] = report.links;
  json["sentences"] = report.sentences;
  json["links_per_sentence"] = report.LinksPerSentence();
  if (report.statistics) {
    json["links_per_target_word"] = report.statistics->LinksPerTargetWord();
    json["source_coverage"] = report.statistics->SourceCoverage();
    json["target_coverage"] = report.statistics->TargetCoverage();
  }
  if (report.statistics && report.score) {
    json["wrong_pairs"] = ToJson(report.errors.wrong);
    json["missed_pairs"] = ToJson(report.errors.missed);
  }
  fmt::print("{}\n", json.dump(/*indent=*/2));
}

absl::Status Aer(const AerArguments& arguments) {
  NMT_RETURN_IF_ERROR(CheckArguments(arguments));
  if (!arguments.symmetrize.empty()) {
    NMT_RETURN_IF_ERROR(ParseSymmetrization(arguments.symmetrize).status());
  }
  NMT_ASSIGN_OR_RETURN(const AerReport report, Judge(arguments));
  arguments.json ? PrintJson(report) : Print(report);
  return absl::OkStatus();
}

void AddLinkOptions(CLI::App& command, AerArguments& arguments) {
  command
      .add_option("--hypothesis", arguments.hypothesis,
                  "Links to judge, a sentence a line: \"0-0 1-2\", source word first")
      ->required()
      ->type_name("LINKS");
  command
      .add_option("--hypothesis-base", arguments.hypothesis_base,
                  "The index of a sentence's first word in the links to judge")
      ->capture_default_str()
      ->check(CLI::IsMember({0, 1}));
  command.add_flag("--reverse", arguments.reverse, "The links to judge have the target word first");
  command
      .add_option("--gold", arguments.gold,
                  "Links that people made: \"0-0 1p2\", p for a link that is only possible")
      ->type_name("LINKS");
  command
      .add_option("--gold-base", arguments.gold_base,
                  "The index of a sentence's first word in the gold links (default 0)")
      ->check(CLI::IsMember({0, 1}));
  command
      .add_option("--known-links", arguments.known_links,
                  "Instead of --gold: a list of right links of some words; a line is sentence, "
                  "source and target index from 0, both words")
      ->type_name("FILE");
}

void AddMergeAndTextOptions(CLI::App& command, AerArguments& arguments) {
  command
      .add_option(
          "--symmetrize", arguments.symmetrize,
          fmt::format("Judge both directions merged: {}", fmt::join(SymmetrizationNames(), ", ")))
      ->type_name("METHOD");
  command
      .add_option("--backward", arguments.backward,
                  "The links of the other direction, target word first")
      ->type_name("LINKS");
  command.add_flag("--backward-source-first", arguments.backward_source_first,
                   "The backward links have the source word first, as fast_align -r writes them");
  command
      .add_option("--source", arguments.source,
                  "The source sentences: adds coverage and the words most often linked wrongly")
      ->type_name("FILE");
  command.add_option("--target", arguments.target, "Their translations")->type_name("FILE");
  command
      .add_option("--pairs", arguments.pairs,
                  "Pairs of words to show of each kind of error (default 10)")
      ->check(CLI::Range(0, 1000000));
  command.add_flag("--json", arguments.json, "Print the scores as JSON, fractions from 0 to 1");
}

}  // namespace

void AddAerCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<AerArguments>();
  CLI::App* command = app.add_subcommand(
      "aer", "Alignment error rate, precision and recall against gold links, in percent");
  AddLinkOptions(*command, *arguments);
  AddMergeAndTextOptions(*command, *arguments);
  command->footer(
      "Example:\n"
      "  nmt align runs/gru --source test.de --target test.en > test.links\n"
      "  nmt aer --hypothesis test.links --gold gold.links --gold-base 1\n"
      "Both directions, from two runs:\n"
      "  nmt align runs/back --source test.en --target test.de > back.links\n"
      "  nmt aer --hypothesis test.links --backward back.links \\\n"
      "      --symmetrize grow-diag-final-and --gold gold.links --gold-base 1");
  command->callback([arguments, &run] { run = [arguments] { return Aer(*arguments); }; });
}

}  // namespace nmt
