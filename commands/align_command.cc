// nmt align: the attention of given pairs, or of the run's own translations, as word links and
// heatmaps.
#include <fmt/format.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "commands/command.h"
#include "commands/line_aligner.h"
#include "commands/record_file.h"
#include "nmt/alignment/selection.h"
#include "nmt/alignment/symmetrize.h"
#include "nmt/base/file.h"
#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/decoding/translator.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

// Sentences whose attention is in memory together.
constexpr size_t kSentencesAtOnce = 512;

struct AlignArguments {
  std::string run, backward, source, target, gold, record, device = "auto";
  LineAlignerOptions lines;
  int64_t threads = 0;
  // What stands in place of the run's stored choice.
  int64_t layer = 0, head = -1, shift = -1;
  double threshold = -1, per_source = -1;
  std::string weights, end;
  bool final_punctuation = false;
  bool select = false;
};

// The run's stored choice, with what the command line says instead.
absl::StatusOr<AlignmentChoice> Choose(const AlignArguments& arguments,
                                       const TrainedModel& trained) {
  NMT_ASSIGN_OR_RETURN(AlignmentChoice choice,
                       LoadAlignmentChoice(RunDirectory(trained.path).alignment(), *trained.model));
  const Seq2Seq& model = *trained.model;
  for (const auto& [option, given, most] :
       {std::tuple("--layer", arguments.layer, model.attention_layers()),
        {"--head", arguments.head, model.attention_heads()}}) {
    if (given <= most) continue;
    return UsageError(fmt::format("{} {}: the model of {} has {} layers of {} heads", option, given,
                                  trained.path.string(), model.attention_layers(),
                                  model.attention_heads()));
  }
  AttentionChoice& attention = choice.attention;
  if (arguments.layer > 0) attention.layer = arguments.layer - 1;
  if (arguments.head == 0) attention.head = kAverage;
  if (arguments.head > 0) attention.head = arguments.head - 1;
  if (arguments.shift >= 0) attention.shift = arguments.shift;
  if (!arguments.weights.empty()) attention.value_norms = arguments.weights == "norms";
  if (arguments.threshold >= 0) choice.threshold = arguments.threshold;
  if (arguments.per_source >= 0) choice.per_source = arguments.per_source;
  if (!arguments.end.empty())
    choice.end = arguments.end == "drop" ? EndOfSource::kDrop : EndOfSource::kMask;
  if (arguments.final_punctuation) choice.final_punctuation = true;
  return choice;
}

// What can be refused without a model.
absl::Status Check(AlignArguments& arguments, size_t lines) {
  for (const auto& [option, given] : {std::pair("--gold", !arguments.gold.empty()),
                                      {"--select", arguments.select},
                                      {"--backward", !arguments.backward.empty()}}) {
    if (given && arguments.target.empty())
      return UsageError(fmt::format("{} needs --target", option));
  }
  if (!arguments.backward.empty() && arguments.lines.symmetrize != kProduct)
    NMT_RETURN_IF_ERROR(ParseSymmetrization(arguments.lines.symmetrize).status());
  const bool extracts = arguments.threshold >= 0 || arguments.per_source >= 0 ||
                        !arguments.end.empty() || arguments.final_punctuation;
  if (!arguments.backward.empty() && arguments.lines.symmetrize == kProduct && extracts) {
    return UsageError(
        "--symmetrize product links each target word to its largest product: --threshold, "
        "--per-source, --end-of-source and --final-punctuation have no say in it");
  }
  PictureOptions& pictures = arguments.lines.pictures;
  for (const int64_t line : pictures.lines) {
    if (line >= 1 && line <= static_cast<int64_t>(lines)) continue;
    return UsageError(fmt::format("--lines {}: the source has {} lines", line, lines));
  }
  if (pictures.formats.empty() && !pictures.folder.empty()) pictures.formats = {"png", "svg"};
  if (pictures.formats.empty() && pictures.grid)
    return UsageError("--grid needs --heatmaps DIR, or --format term");
  for (const std::string& format : pictures.formats) {
    if (format == "term" || !pictures.folder.empty()) continue;
    return UsageError(fmt::format("--format {} needs --heatmaps DIR to write to", format));
  }
  return absl::OkStatus();
}

// Places that the command writes to, when all that it reads was found good.
absl::Status CheckPlaces(const AlignArguments& arguments) {
  if (!arguments.lines.pictures.folder.empty())
    NMT_RETURN_IF_ERROR(MakeWritableDirectory(arguments.lines.pictures.folder));
  for (const std::string& run : {arguments.run, arguments.backward}) {
    if (arguments.select && !run.empty() && access(run.c_str(), W_OK) != 0)
      return DataError(fmt::format("{}: cannot be written to, and --select stores there", run));
  }
  return absl::OkStatus();
}

// The pairs of lines [begin, end): given ones, or each line with its translation.
LinePairs MakePart(const TrainedModel& trained, const Translator& translator,
                   const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                   size_t begin, size_t end) {
  const std::vector<std::string> lines(sources.begin() + static_cast<int64_t>(begin),
                                       sources.begin() + static_cast<int64_t>(end));
  if (!targets.empty()) {
    std::vector<std::string> given(targets.begin() + static_cast<int64_t>(begin),
                                   targets.begin() + static_cast<int64_t>(end));
    auto pairs = EncodePairs(trained, lines, given);
    return {std::move(pairs), std::move(given)};
  }
  LinePairs part;
  const auto translations =
      translator.Translate(lines, {.first_line = static_cast<int64_t>(begin) + 1, .warn = Warn});
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool blank = translations[i].hypotheses.empty();
    part.targets.push_back(blank ? "" : translations[i].texts[0]);
    part.pairs.push_back(blank ? EncodePair(trained.tokenizers, lines[i], "", /*max_length=*/2)
                               : TranslatedPair(trained.tokenizers, lines[i],
                                                translations[i].source_ids,
                                                translations[i].hypotheses[0].ids));
  }
  return part;
}

absl::Status Store(const TrainedModel& trained, const SelectedAlignment& selected) {
  NMT_RETURN_IF_ERROR(SaveAlignmentChoice(RunDirectory(trained.path).alignment(), selected));
  fmt::print(stderr, "selected and stored in {}: {}\n", trained.path.string(), selected.ToString());
  return absl::OkStatus();
}

// By gold links, or by the agreement of two directions, or by a guess.
absl::Status SelectAndStore(const TrainedModel& forward, const TrainedModel* backward,
                            const std::vector<std::string>& sources,
                            const std::vector<std::string>& targets, std::vector<Links> gold) {
  const auto pairs = EncodePairs(forward, sources, targets);
  if (!gold.empty()) {
    NMT_ASSIGN_OR_RETURN(const SelectedAlignment selected, SelectByGold(forward, pairs, gold));
    NMT_RETURN_IF_ERROR(Store(forward, selected));
    if (backward == nullptr) return absl::OkStatus();
    for (Links& line : gold) line = Reversed(std::move(line));
    NMT_ASSIGN_OR_RETURN(const SelectedAlignment other,
                         SelectByGold(*backward, EncodePairs(*backward, targets, sources), gold));
    return Store(*backward, other);
  }
  if (backward == nullptr) return Store(forward, SelectByCertainty(forward, pairs));
  const SelectedDirections selected =
      SelectByAgreement(forward, pairs, *backward, EncodePairs(*backward, targets, sources));
  NMT_RETURN_IF_ERROR(Store(forward, selected.forward));
  return Store(*backward, selected.backward);
}

absl::StatusOr<AlignTexts> ReadTexts(AlignArguments& arguments) {
  AlignTexts texts;
  NMT_ASSIGN_OR_RETURN(texts.sources, ReadLines(arguments.source));
  if (!arguments.target.empty()) {
    NMT_ASSIGN_OR_RETURN(texts.targets, ReadLines(arguments.target));
    NMT_RETURN_IF_ERROR(CheckEqualLines(arguments.target, texts.targets.size(), arguments.source,
                                        texts.sources.size()));
  }
  NMT_RETURN_IF_ERROR(Check(arguments, texts.sources.size()));
  if (arguments.gold.empty()) return texts;
  NMT_ASSIGN_OR_RETURN(texts.gold, ReadLinks(arguments.gold, LinkBase::kZero,
                                             LengthsInWords(texts.sources, texts.targets)));
  return texts;
}

absl::Status AlignAll(const AlignArguments& arguments, const AlignTexts& texts,
                      const Aligner& forward, const std::optional<Aligner>& backward,
                      RecordFile& record) {
  const auto& [sources, targets, gold] = texts;
  const Translator translator({&forward.trained}, FromConfig(forward.trained.options.translation));
  ProgressBar progress("aligning", static_cast<int64_t>(sources.size()));
  LineAligner aligner(arguments.lines, texts, forward, backward, record);
  for (size_t begin = 0; begin < sources.size(); begin += kSentencesAtOnce) {
    const size_t end = std::min(sources.size(), begin + kSentencesAtOnce);
    const LinePairs part = MakePart(forward.trained, translator, sources, targets, begin, end);
    std::vector<AlignedPair> opposite;
    if (backward) {
      const auto slice = [&](const std::vector<std::string>& lines) {
        return std::vector<std::string>(lines.begin() + static_cast<int64_t>(begin),
                                        lines.begin() + static_cast<int64_t>(end));
      };
      opposite = EncodePairs(backward->trained, slice(targets), slice(sources));
    }
    progress.Clear();
    WarnOfCuts(part.pairs, begin + 1, forward.trained, arguments.source);
    NMT_RETURN_IF_ERROR(aligner.Align(part, opposite, begin));
    progress.Update(static_cast<int64_t>(end), "sentences");
  }
  progress.Clear();
  NMT_RETURN_IF_ERROR(record.Conclude());
  aligner.Conclude();
  return absl::OkStatus();
}

absl::Status Align(AlignArguments arguments) {
  NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(arguments.device));
  if (arguments.threads > 0) at::set_num_threads(static_cast<int>(arguments.threads));
  NMT_ASSIGN_OR_RETURN(const AlignTexts texts, ReadTexts(arguments));
  NMT_RETURN_IF_ERROR(CheckPlaces(arguments));
  NMT_ASSIGN_OR_RETURN(RecordFile record, RecordFile::Open(arguments.record));
  NMT_ASSIGN_OR_RETURN(TrainedModel trained, LoadTrainedModel(arguments.run, "best", device));
  Aligner forward{std::move(trained), {}};
  std::optional<Aligner> backward;
  if (!arguments.backward.empty()) {
    NMT_ASSIGN_OR_RETURN(TrainedModel other, LoadTrainedModel(arguments.backward, "best", device));
    backward = Aligner{std::move(other), {}};
  }
  if (arguments.select) {
    NMT_RETURN_IF_ERROR(SelectAndStore(forward.trained, backward ? &backward->trained : nullptr,
                                       texts.sources, texts.targets, texts.gold));
  }
  NMT_ASSIGN_OR_RETURN(forward.choice, Choose(arguments, forward.trained));
  if (backward) {
    NMT_ASSIGN_OR_RETURN(backward->choice, Choose(arguments, backward->trained));
  }
  return AlignAll(arguments, texts, forward, backward, record);
}

void AddExtractionOptions(CLI::App& command, AlignArguments& arguments) {
  const char* group = "How links are read off (by default as the run has stored)";
  command
      .add_flag("--select", arguments.select,
                "Find layer, head, shift and extraction, and store them in the run: with --gold by "
                "AER, with --backward by the agreement of both, else by a guess")
      ->group(group);
  command.add_option("--layer", arguments.layer, "Decoder layer, from 1")
      ->check(CLI::Range(1, 64))
      ->group(group);
  command.add_option("--head", arguments.head, "Head, from 1; 0: the mean of all")
      ->check(CLI::Range(0, 1024))
      ->group(group);
  command
      .add_option("--shift", arguments.shift,
                  "Take the links of a target piece from so many steps later")
      ->check(CLI::Range(0, 2))
      ->group(group);
  command
      .add_option(
          "--weights", arguments.weights,
          "raw: the attention; norms: times the size of what it weighs (Kobayashi et al. 2020)")
      ->check(CLI::IsMember({"raw", "norms"}))
      ->group(group);
  command
      .add_option(
          "--threshold", arguments.threshold,
          "Link every source word with this share of a target word's largest weight; 1: the "
          "largest alone; 0: none")
      ->check(CLI::Range(0.0, 1.0))
      ->group(group);
  command
      .add_option("--per-source", arguments.per_source,
                  "Also link a source word to the target word that gives it the largest weight, if "
                  "that is at least this; 0: none")
      ->check(CLI::Range(0.0, 1.0))
      ->group(group);
  command
      .add_option(
          "--end-of-source", arguments.end,
          "A target word whose largest weight is that of </s>: mask looks at the words alone, "
          "drop gives it no link")
      ->check(CLI::IsMember({"mask", "drop"}))
      ->group(group);
  command
      .add_flag("--final-punctuation", arguments.final_punctuation,
                "Link the marks that end both sentences to each other and to nothing else")
      ->group(group);
}

}  // namespace

void AddAlignCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<AlignArguments>();
  CLI::App* command =
      app.add_subcommand("align", "Word links and heatmaps from a translator's attention");
  command->add_option("RUN", arguments->run, "Run directory of nmt train")->required();
  command->add_option("--source", arguments->source, "Source sentences, one a line")->required();
  command->add_option("--target", arguments->target,
                      "Their translations; without it the run translates by itself");
  command->add_option("--gold", arguments->gold,
                      "Gold links (s-t, from 0): prints AER, outlines them in heatmaps");
  command->add_option(
      "--record", arguments->record,
      "File that gets all weights of all layers and heads between pieces, a JSON object "
      "a line");
  command->add_flag("--measures", arguments->lines.measures,
                    "Print entropy, coverage deviation, gold mass and the agreement of directions");
  CLI::Option* backward =
      command->add_option("--backward", arguments->backward,
                          "Run of the opposite direction: the links of both are merged");
  std::string methods(kProduct);
  for (const std::string& name : SymmetrizationNames()) methods += ", " + name;
  command
      ->add_option(
          "--symmetrize", arguments->lines.symmetrize,
          "How they are merged: " + methods + " (product is of the weights, the others of links)")
      ->capture_default_str()
      ->needs(backward);
  command->add_option("--device", arguments->device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  SetUpThreadsOption(*command, arguments->threads);
  AddExtractionOptions(*command, *arguments);
  PictureOptions& pictures = arguments->lines.pictures;
  const char* group = "Heatmaps";
  command->add_option("--heatmaps", pictures.folder, "Folder for one picture a sentence")
      ->group(group);
  command
      ->add_option("--format", pictures.formats,
                   "png, svg (both, if --heatmaps is given), pdf, term (drawn on stderr)")
      ->delimiter(',')
      ->check(CLI::IsMember({"png", "svg", "pdf", "term"}))
      ->group(group);
  command
      ->add_option("--labels", pictures.labels,
                   "words, or pieces: what the model reads and writes, with </s> on both sides")
      ->check(CLI::IsMember({"words", "pieces"}))
      ->capture_default_str()
      ->group(group);
  command
      ->add_flag("--grid", pictures.grid,
                 "All layers and heads in one picture, instead of the best")
      ->group(group);
  command->add_option("--lines", pictures.lines, "Sentences to draw, counted from 1")
      ->delimiter(',')
      ->group(group);
  command->add_option("--max-heatmaps", pictures.most, "Without --lines: draw the first so many")
      ->capture_default_str()
      ->group(group);
  command->footer(
      "Links go to stdout, `s-t` pairs from 0, source first; behind the translation and ` ||| ` "
      "where\n"
      "the run translates by itself. They are read off the attention that --select (or training) "
      "found\n"
      "best, unless options say otherwise.\n"
      "Example:\n  nmt align runs/demo/gru --source test.en --target test.de --heatmaps pictures "
      "--lines 1,5");
  command->callback([arguments, &run] { run = [arguments] { return Align(*arguments); }; });
}

}  // namespace nmt
