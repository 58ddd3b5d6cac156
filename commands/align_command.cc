// nmt align: the attention of given pairs, or of the run's own translations, as word links and
// heatmaps.
#include <fmt/format.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/pictures.h"
#include "nmt/base/file.h"
#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/decoding/translator.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

// Sentences whose attention is in memory together.
constexpr size_t kSentencesAtOnce = 512;

struct AlignArguments {
  std::string run, source, target, gold, heatmaps, device = "auto";
  std::vector<std::string> formats;
  std::vector<int64_t> lines;
  int64_t max_heatmaps = 10, threads = 0;
  int64_t layer = 0, head = -1, shift = -1;
  double threshold = 0;
  bool select = false;
};

TerminalColors ColorsOfTerminal() {
  if (isatty(STDERR_FILENO) == 0 || std::getenv("NO_COLOR") != nullptr)
    return TerminalColors::kNone;
  const char* const color = std::getenv("COLORTERM");
  const std::string_view kind = color == nullptr ? "" : color;
  return kind == "truecolor" || kind == "24bit" ? TerminalColors::kTrueColor
                                                : TerminalColors::kAnsi256;
}

// The run's stored choice, with what the command line says instead.
absl::StatusOr<AlignmentChoice> Choose(const AlignArguments& arguments,
                                       const TrainedModel& trained) {
  NMT_ASSIGN_OR_RETURN(AlignmentChoice choice,
                       LoadAlignmentChoice(RunDirectory(trained.path).alignment(), *trained.model));
  const Seq2Seq& model = *trained.model;
  if (arguments.layer > model.attention_layers() || arguments.head > model.attention_heads()) {
    return UsageError(fmt::format("--layer {} --head {}: the model has {} layers of {} heads",
                                  arguments.layer, arguments.head, model.attention_layers(),
                                  model.attention_heads()));
  }
  if (arguments.layer > 0) choice.layer = arguments.layer - 1;
  if (arguments.head == 0) choice.head = kAverage;
  if (arguments.head > 0) choice.head = arguments.head - 1;
  if (arguments.shift >= 0) choice.shift = arguments.shift;
  if (arguments.threshold > 0) choice.threshold = arguments.threshold;
  return choice;
}

// Draws the sentences that were asked for, as they come by.
class Pictures {
 public:
  Pictures(const AlignArguments& arguments, const AlignmentChoice& choice, std::string title)
      : arguments_(arguments), choice_(choice), title_(std::move(title)) {}

  // Sentence i of the part is line `line` of the file, counted from 1.
  absl::Status Draw(const CorpusAttention& attention, size_t i, int64_t line,
                    const std::string& source, const std::string& target, const Links& gold) {
    if (!Wanted(line)) return absl::OkStatus();
    if (!CanDraw(attention.pairs[i])) {
      Warn(fmt::format("line {}: blank on a side or too long for a picture, no heatmap", line));
      return absl::OkStatus();
    }
    const Heatmap heatmap = WordHeatmap(attention, i, choice_, source, target, title_, gold);
    for (const std::string& format : arguments_.formats) {
      const fs::path path =
          fs::path(arguments_.heatmaps) / fmt::format("line-{:04d}.{}", line, format);
      if (format == "term") {
        fmt::print(stderr, "{}\n",
                   DrawHeatmapInTerminal(heatmap, ColorsOfTerminal(), /*columns=*/100));
      } else if (format == "png") {
        NMT_ASSIGN_OR_RETURN(const PictureNotes notes, WriteHeatmapPng({heatmap}, path));
        missing_.insert(missing_.end(), notes.missing_glyphs.begin(), notes.missing_glyphs.end());
      } else {
        NMT_RETURN_IF_ERROR(WriteHeatmapSvg({heatmap}, path));
      }
    }
    ++drawn_;
    return absl::OkStatus();
  }

  void Conclude() const {
    if (const std::string message = MissingGlyphsMessage(missing_); !message.empty()) Warn(message);
    if (!arguments_.heatmaps.empty()) {
      fmt::print(stderr, "{} {} in {}\n", drawn_,
                 drawn_ == 1 ? "sentence drawn" : "sentences drawn", arguments_.heatmaps);
    }
  }

 private:
  bool Wanted(int64_t line) const {
    if (arguments_.formats.empty()) return false;
    const auto& lines = arguments_.lines;
    return lines.empty() ? drawn_ < arguments_.max_heatmaps
                         : std::find(lines.begin(), lines.end(), line) != lines.end();
  }

  const AlignArguments& arguments_;
  const AlignmentChoice choice_;
  const std::string title_;
  int64_t drawn_ = 0;
  std::vector<char32_t> missing_;
};

// What can be refused without a model.
absl::Status Check(AlignArguments& arguments, size_t lines) {
  if (arguments.select && (arguments.target.empty() || arguments.gold.empty())) {
    return UsageError("--select needs --target and --gold");
  }
  if (!arguments.gold.empty() && arguments.target.empty())
    return UsageError("--gold needs --target");
  for (const int64_t line : arguments.lines) {
    if (line >= 1 && line <= static_cast<int64_t>(lines)) continue;
    return UsageError(fmt::format("--lines {}: the source has {} lines", line, lines));
  }
  if (arguments.formats.empty() && !arguments.heatmaps.empty()) arguments.formats = {"png", "svg"};
  for (const std::string& format : arguments.formats) {
    if (format == "term" || !arguments.heatmaps.empty()) continue;
    return UsageError(fmt::format("--format {} needs --heatmaps DIR to write to", format));
  }
  return arguments.heatmaps.empty() ? absl::OkStatus() : MakeWritableDirectory(arguments.heatmaps);
}

// The pairs of lines [begin, end): given ones, or each line with its translation.
struct Part {
  std::vector<AlignedPair> pairs;
  std::vector<std::string> targets;
};
Part MakePart(const TrainedModel& trained, const Translator& translator,
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
  Part part;
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

absl::Status SelectAndStore(const TrainedModel& trained, const std::vector<std::string>& sources,
                            const std::vector<std::string>& targets,
                            const std::vector<Links>& gold) {
  const CorpusAttention attention = AttendPairs(trained, EncodePairs(trained, sources, targets));
  NMT_ASSIGN_OR_RETURN(const SelectedAlignment selected, SelectAlignment(attention, gold));
  NMT_RETURN_IF_ERROR(SaveAlignmentChoice(RunDirectory(trained.path).alignment(), selected));
  fmt::print(stderr, "selected and stored: {}, AER {:.2f} %\n", selected.choice.ToString(),
             100 * selected.score.aer);
  return absl::OkStatus();
}

absl::Status Align(AlignArguments arguments) {
  NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(arguments.device));
  if (arguments.threads > 0) at::set_num_threads(static_cast<int>(arguments.threads));
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> sources, ReadLines(arguments.source));
  std::vector<std::string> targets;
  std::vector<Links> gold;
  if (!arguments.target.empty()) {
    NMT_ASSIGN_OR_RETURN(targets, ReadLines(arguments.target));
    if (targets.size() != sources.size()) {
      return DataError(fmt::format("{}: {} lines, but {} has {} lines", arguments.target,
                                   targets.size(), arguments.source, sources.size()));
    }
  }
  NMT_RETURN_IF_ERROR(Check(arguments, sources.size()));
  if (!arguments.gold.empty()) {
    std::vector<LinkLengths> lengths;
    for (size_t i = 0; i < sources.size(); ++i) {
      lengths.push_back({static_cast<int64_t>(WordSpans(CleanLine(sources[i])).size()),
                         static_cast<int64_t>(WordSpans(CleanLine(targets[i])).size())});
    }
    NMT_ASSIGN_OR_RETURN(gold, ReadLinks(arguments.gold, LinkBase::kZero, lengths));
  }
  NMT_ASSIGN_OR_RETURN(const TrainedModel trained, LoadTrainedModel(arguments.run, "best", device));
  if (arguments.select) NMT_RETURN_IF_ERROR(SelectAndStore(trained, sources, targets, gold));
  NMT_ASSIGN_OR_RETURN(const AlignmentChoice choice, Choose(arguments, trained));

  const Translator translator({&trained}, FromConfig(trained.options.translation));
  ProgressBar progress("aligning", static_cast<int64_t>(sources.size()));
  Pictures pictures(arguments, choice, ModelTitle(trained.options.model));
  AerCounts counts;
  for (size_t begin = 0; begin < sources.size(); begin += kSentencesAtOnce) {
    const size_t end = std::min(sources.size(), begin + kSentencesAtOnce);
    Part part = MakePart(trained, translator, sources, targets, begin, end);
    const CorpusAttention attention = AttendPairs(trained, std::move(part.pairs));
    progress.Clear();
    for (size_t i = 0; begin + i < end; ++i) {
      const Links links = LinksOf(attention, i, choice);
      const std::string text = FormatLinks(links);
      fmt::print("{}\n", targets.empty() ? part.targets[i] + " ||| " + text : text);
      const Links& gold_links = gold.empty() ? Links{} : gold[begin + i];
      if (!gold.empty()) counts += CountAer(links, gold_links);
      NMT_RETURN_IF_ERROR(pictures.Draw(attention, i, static_cast<int64_t>(begin + i) + 1,
                                        sources[begin + i], part.targets[i], gold_links));
    }
    progress.Update(static_cast<int64_t>(end), "sentences");
  }
  progress.Clear();
  if (!gold.empty()) {
    const AerScore score = ComputeAer(counts);
    fmt::print(stderr, "AER {:.2f} %, precision {:.2f} %, recall {:.2f} % ({})\n", 100 * score.aer,
               100 * score.precision, 100 * score.recall, choice.ToString());
  }
  pictures.Conclude();
  return absl::OkStatus();
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
  command->add_flag(
      "--select", arguments->select,
      "Find layer, head, shift and extraction with the least AER, and store them in the run");
  command->add_option("--layer", arguments->layer, "Decoder layer, from 1")
      ->check(CLI::Range(1, 64));
  command->add_option("--head", arguments->head, "Head, from 1; 0: the mean of all")
      ->check(CLI::Range(0, 1024));
  command
      ->add_option("--shift", arguments->shift,
                   "Take the links of a target piece from so many steps later")
      ->check(CLI::Range(0, 2));
  command
      ->add_option("--threshold", arguments->threshold,
                   "Link every source word with this share of the largest weight")
      ->check(CLI::Range(0.01, 1.0));
  command->add_option("--heatmaps", arguments->heatmaps, "Folder for one picture a sentence");
  command
      ->add_option("--format", arguments->formats,
                   "png, svg (both, if --heatmaps is given), term (drawn on stderr)")
      ->delimiter(',')
      ->check(CLI::IsMember({"png", "svg", "term"}));
  command->add_option("--lines", arguments->lines, "Sentences to draw, counted from 1")
      ->delimiter(',');
  command
      ->add_option("--max-heatmaps", arguments->max_heatmaps,
                   "Without --lines: draw the first so many")
      ->capture_default_str();
  command->add_option("--device", arguments->device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  SetUpThreadsOption(*command, arguments->threads);
  command->footer(
      "Links go to stdout, `s-t` pairs from 0, source first; behind the translation and ` ||| ` "
      "where\n"
      "the run translates by itself. They are read off the attention that\n"
      "--select (or training with data.valid.alignment) found best, unless options say otherwise.\n"
      "Example:\n  nmt align runs/demo/gru --source test.en --target test.de --heatmaps pictures "
      "--lines 1,5");
  command->callback([arguments, &run] { run = [arguments] { return Align(*arguments); }; });
}

}  // namespace nmt
