// nmt align: the attention of given pairs, or of the run's own translations, as word links and
// heatmaps.
#include <fmt/format.h>
#include <torch/torch.h>
#include <unistd.h>

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

struct AlignArguments {
  std::string run, source, target, gold, heatmaps, device = "auto";
  std::vector<std::string> formats = {"png", "svg"};
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

absl::Status DrawHeatmaps(const AlignArguments& arguments, const TrainedModel& trained,
                          const CorpusAttention& attention, const AlignmentChoice& choice,
                          const std::vector<std::string>& sources,
                          const std::vector<std::string>& targets, const std::vector<Links>& gold) {
  const bool files = !arguments.heatmaps.empty();
  if (files) NMT_RETURN_IF_ERROR(MakeWritableDirectory(arguments.heatmaps));
  std::vector<int64_t> wanted = arguments.lines;
  for (size_t i = 0; wanted.empty() && i < sources.size(); ++i) {
    if (static_cast<int64_t>(i) == arguments.max_heatmaps) break;
    wanted.push_back(static_cast<int64_t>(i) + 1);
  }
  std::vector<char32_t> missing;
  for (const int64_t line : wanted) {
    if (line < 1 || line > static_cast<int64_t>(sources.size())) {
      return UsageError(fmt::format("--lines {}: the source has {} lines", line, sources.size()));
    }
    const size_t i = static_cast<size_t>(line - 1);
    const Heatmap heatmap =
        WordHeatmap(attention, i, choice, sources[i], targets[i], ModelTitle(trained.options.model),
                    gold.empty() ? Links{} : gold[i]);
    if (heatmap.weights_TS.empty() || attention.pairs[i].source.ids.empty()) {
      Warn(fmt::format("line {}: is blank on a side, no heatmap", line));
      continue;
    }
    for (const std::string& format : arguments.formats) {
      const fs::path path =
          fs::path(arguments.heatmaps) / fmt::format("line-{:04d}.{}", line, format);
      if (format == "term") {
        fmt::print(stderr, "{}\n",
                   DrawHeatmapInTerminal(heatmap, ColorsOfTerminal(), /*columns=*/100));
      } else if (format == "png") {
        NMT_ASSIGN_OR_RETURN(const PictureNotes notes, WriteHeatmapPng({heatmap}, path));
        missing.insert(missing.end(), notes.missing_glyphs.begin(), notes.missing_glyphs.end());
      } else {
        NMT_RETURN_IF_ERROR(WriteHeatmapSvg({heatmap}, path));
      }
    }
  }
  if (const std::string message = MissingGlyphsMessage(missing); !message.empty()) Warn(message);
  if (files) fmt::print(stderr, "{} heatmaps in {}\n", wanted.size(), arguments.heatmaps);
  return absl::OkStatus();
}

absl::Status Align(const AlignArguments& arguments) {
  if (arguments.select && (arguments.target.empty() || arguments.gold.empty())) {
    return UsageError("--select needs --target and --gold");
  }
  const bool only_term = arguments.formats == std::vector<std::string>{"term"};
  NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(arguments.device));
  if (arguments.threads > 0) at::set_num_threads(static_cast<int>(arguments.threads));
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> sources, ReadLines(arguments.source));
  std::vector<std::string> targets;
  if (!arguments.target.empty()) {
    NMT_ASSIGN_OR_RETURN(targets, ReadLines(arguments.target));
    if (targets.size() != sources.size()) {
      return DataError(fmt::format("{}: {} lines, but {} has {} lines", arguments.target,
                                   targets.size(), arguments.source, sources.size()));
    }
  }
  NMT_ASSIGN_OR_RETURN(const TrainedModel trained, LoadTrainedModel(arguments.run, "best", device));
  ProgressBar progress("aligning", static_cast<int64_t>(sources.size()));
  const auto show = [&](int64_t done) { progress.Update(done, "sentences"); };
  if (arguments.target.empty()) {
    const TranslationOptions& options = trained.options.translation;
    const Translator translator(trained, {.search = {.beam_size = options.beam_size,
                                                     .length_penalty = options.length_penalty,
                                                     .max_length = options.max_length},
                                          .batch_size = options.batch_size,
                                          .max_source_length = options.max_source_length});
    for (const Translation& translation : translator.Translate(sources, 1, Warn, show)) {
      targets.push_back(translation.texts.empty() ? "" : translation.texts[0]);
    }
  }
  const CorpusAttention attention = AttendCorpus(trained, sources, targets, show);
  progress.Clear();
  std::vector<Links> gold;
  if (!arguments.gold.empty()) {
    std::vector<LinkLengths> lengths;
    for (const AlignedPair& pair : attention.pairs)
      lengths.push_back({pair.source_words, pair.target_words});
    NMT_ASSIGN_OR_RETURN(gold, ReadLinks(arguments.gold, LinkBase::kZero, lengths));
  }
  if (arguments.select) {
    NMT_ASSIGN_OR_RETURN(const SelectedAlignment selected, SelectAlignment(attention, gold));
    NMT_RETURN_IF_ERROR(SaveAlignmentChoice(RunDirectory(trained.path).alignment(), selected));
    fmt::print(stderr, "selected and stored: {}, AER {:.2f} %\n", selected.choice.ToString(),
               100 * selected.score.aer);
  }
  NMT_ASSIGN_OR_RETURN(const AlignmentChoice choice, Choose(arguments, trained));
  AerCounts counts;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Links links = LinksOf(attention, i, choice);
    fmt::print("{}\n", FormatLinks(links));
    if (!gold.empty()) counts += CountAer(links, gold[i]);
  }
  if (!gold.empty()) {
    const AerScore score = ComputeAer(counts);
    fmt::print(stderr, "AER {:.2f} %, precision {:.2f} %, recall {:.2f} % ({})\n", 100 * score.aer,
               100 * score.precision, 100 * score.recall, choice.ToString());
  }
  if (arguments.heatmaps.empty() && !only_term) return absl::OkStatus();
  return DrawHeatmaps(arguments, trained, attention, choice, sources, targets, gold);
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
      "Find layer, head, shift and threshold with the least AER, and store them in the run");
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
  command->add_option("--format", arguments->formats, "png, svg, and term (drawn on stderr)")
      ->delimiter(',')
      ->check(CLI::IsMember({"png", "svg", "term"}))
      ->capture_default_str();
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
      "Links go to stdout, `s-t` pairs from 0, source first. They are read off the attention that\n"
      "--select (or training with data.valid.alignment) found best, unless options say otherwise.\n"
      "Example:\n  nmt align runs/demo/gru --source test.en --target test.de --heatmaps pictures "
      "--lines 1,5");
  command->callback([arguments, &run] { run = [arguments] { return Align(*arguments); }; });
}

}  // namespace nmt
