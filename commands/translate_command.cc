// nmt translate: lines of text on stdin to their translations on stdout.
#include <fmt/format.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "commands/command.h"
#include "nmt/alignment/selection.h"
#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/decoding/translator.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

// Batches read at once: sentences of similar length are found among so many lines, and a pipe shows
// these together.
constexpr int64_t kBatchesPerChunk = 16;

struct TranslateArguments {
  std::string run;
  std::string checkpoint = "best";
  std::string device = "auto";
  std::string alignment;
  int64_t beam_size = 0, n_best = 0, max_length = -1, batch_size = 0, threads = 0;
  double length_penalty = -1;
};

// "-0.1234" with enough digits to tell hypotheses apart.
std::string Score(double score) { return fmt::format("{:.6f}", score); }

// One translation's attention: links, or a group of numbers a target word (the weights of the source words and, last, of
// </s>).
std::string AlignmentText(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice,
                          bool soft) {
  if (!soft) return FormatLinks(LinksOf(attention, i, choice));
  const WordAttention words = WordsOf(attention, i, choice);
  const auto weights = words.weights_TS.accessor<float, 2>();
  std::string text;
  for (int64_t t = 0; t < weights.size(0); ++t) {
    if (t > 0) text += " ";
    for (int64_t s = 0; s < weights.size(1); ++s)
      text += fmt::format("{}{:.4f}", s > 0 ? "," : "", weights[t][s]);
  }
  return text;
}

// For each translation, one text a hypothesis.
std::vector<std::vector<std::string>> Alignments(const TrainedModel& trained,
                                                 const AlignmentChoice& choice,
                                                 const std::vector<std::string>& lines,
                                                 const std::vector<Translation>& translations,
                                                 bool soft) {
  std::vector<AlignedPair> pairs;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const Hypothesis& hypothesis : translations[i].hypotheses) {
      pairs.push_back(
          TranslatedPair(trained.tokenizers, lines[i], translations[i].source_ids, hypothesis.ids));
    }
  }
  const CorpusAttention attention = AttendPairs(trained, std::move(pairs));
  std::vector<std::vector<std::string>> texts(lines.size());
  size_t pair = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (size_t n = 0; n < translations[i].hypotheses.size(); ++n) {
      texts[i].push_back(AlignmentText(attention, pair++, choice, soft));
    }
  }
  return texts;
}

absl::StatusOr<TranslatorOptions> Resolve(const TranslateArguments& arguments,
                                          const TranslationOptions& defaults) {
  TranslatorOptions options = FromConfig(defaults);
  if (arguments.beam_size > 0) options.search.beam_size = arguments.beam_size;
  if (arguments.length_penalty >= 0) options.search.length_penalty = arguments.length_penalty;
  if (arguments.max_length >= 0) options.search.max_length = arguments.max_length;
  if (arguments.batch_size > 0) options.batch_size = arguments.batch_size;
  options.search.n_best = std::max<int64_t>(1, arguments.n_best);
  if (options.search.n_best > options.search.beam_size) {
    return UsageError(fmt::format("--n-best {} is more than the beam holds: --beam-size is {}",
                                  options.search.n_best, options.search.beam_size));
  }
  return options;
}

// One line a translation; with --n-best "line ||| text ||| score" for each hypothesis, lines
// counted from 0 as Moses and Marian do; links follow after " ||| ".
void Print(const TranslateArguments& arguments, int64_t first_line,
           const std::vector<Translation>& translations,
           const std::vector<std::vector<std::string>>& alignments) {
  for (size_t i = 0; i < translations.size(); ++i) {
    const Translation& translation = translations[i];
    const auto links = [&](size_t n) {
      if (alignments.empty()) return std::string();
      return " ||| " + (n < alignments[i].size() ? alignments[i][n] : "");
    };
    if (arguments.n_best == 0) {
      fmt::print("{}{}\n", translation.texts.empty() ? "" : translation.texts[0], links(0));
      continue;
    }
    const int64_t number = first_line - 1 + static_cast<int64_t>(i);
    if (translation.texts.empty()) fmt::print("{} |||  ||| {}{}\n", number, Score(0), links(0));
    for (size_t n = 0; n < translation.texts.size(); ++n) {
      fmt::print("{} ||| {} ||| {}{}\n", number, translation.texts[n],
                 Score(translation.hypotheses[n].score), links(n));
    }
  }
}

absl::Status Translate(const TranslateArguments& arguments) {
  if (arguments.n_best > 0 && arguments.beam_size > 0 && arguments.n_best > arguments.beam_size) {
    return UsageError(fmt::format("--n-best {} is more than the beam holds: --beam-size is {}",
                                  arguments.n_best, arguments.beam_size));
  }
  NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(arguments.device));
  if (arguments.threads > 0) at::set_num_threads(static_cast<int>(arguments.threads));
  NMT_ASSIGN_OR_RETURN(const TrainedModel trained,
                       LoadTrainedModel(arguments.run, arguments.checkpoint, device));
  NMT_ASSIGN_OR_RETURN(const TranslatorOptions options,
                       Resolve(arguments, trained.options.translation));
  AlignmentChoice choice;
  if (!arguments.alignment.empty()) {
    NMT_ASSIGN_OR_RETURN(
        choice, LoadAlignmentChoice(RunDirectory(trained.path).alignment(), *trained.model));
  }
  const Translator translator(trained, options);
  LineReader reader(stdin);
  // A person who types wants an answer to each line.
  const int64_t chunk = isatty(STDIN_FILENO) != 0 ? 1 : kBatchesPerChunk * options.batch_size;
  ProgressBar progress("translating", /*total=*/0);
  int64_t done = 0;
  while (true) {
    std::vector<std::string> lines;
    while (static_cast<int64_t>(lines.size()) < chunk) {
      std::optional<std::string> line = reader.Next();
      if (!line) break;
      lines.push_back(std::move(*line));
    }
    if (lines.empty()) break;
    const auto translations = translator.Translate(
        lines, /*first_line=*/done + 1,
        [&](const std::string& message) {
          progress.Clear();
          Warn(message);
        },
        [&](int64_t count) { progress.Update(done + count, "sentences"); });
    std::vector<std::vector<std::string>> alignments;
    if (!arguments.alignment.empty()) {
      alignments = Alignments(trained, choice, lines, translations, arguments.alignment == "soft");
    }
    progress.Clear();
    Print(arguments, /*first_line=*/done + 1, translations, alignments);
    if (std::fflush(stdout) != 0) return DataError("cannot write to the standard output");
    done += static_cast<int64_t>(lines.size());
  }
  if (std::ferror(stdin) != 0) return DataError("cannot read the standard input");
  return absl::OkStatus();
}

}  // namespace

void AddTranslateCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<TranslateArguments>();
  CLI::App* command = app.add_subcommand(
      "translate", "Translate lines from stdin to stdout, one line for one line");
  command->add_option("RUN", arguments->run, "Run directory of nmt train")->required();
  command->add_option("--checkpoint", arguments->checkpoint, "Which weights of the run")
      ->check(CLI::IsMember({"best", "last"}))
      ->capture_default_str();
  command
      ->add_option("--beam-size", arguments->beam_size, "Hypotheses kept a sentence; 1 is greedy")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--length-penalty", arguments->length_penalty,
                   "Scores are log-probabilities / length^this")
      ->check(CLI::Range(0.0, 10.0));
  command
      ->add_option("--max-length", arguments->max_length,
                   "Longest output in pieces; 0: 2 x source pieces + 10")
      ->check(CLI::Range(0, 65536));
  command->add_option("--batch-size", arguments->batch_size, "Sentences translated together")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--n-best", arguments->n_best,
                   "Print `line ||| text ||| score` for so many hypotheses")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option(
          "--alignment", arguments->alignment,
          "Append ` ||| ` and word links s-t (hard) or weights, a group a target word (soft)")
      ->check(CLI::IsMember({"hard", "soft"}));
  command->add_option("--device", arguments->device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  SetUpThreadsOption(*command, arguments->threads);
  command->footer(
      "Options that are not given take the values of the run's config.\n"
      "Example:\n  echo 'The old man reads a book.' | nmt translate runs/demo/gru --alignment "
      "hard");
  command->callback([arguments, &run] { run = [arguments] { return Translate(*arguments); }; });
}

}  // namespace nmt
