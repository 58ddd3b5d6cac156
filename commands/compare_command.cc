// nmt compare: translations, alignments, cost of several runs on one test set, side by side.
#include <fmt/format.h>
#include <torch/torch.h>

#include <chrono>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/pictures.h"
#include "nmt/base/file.h"
#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/decoding/translator.h"
#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/report/comparison.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

struct CompareArguments {
  std::vector<std::string> runs, parts;
  std::string source, reference, gold, out, device = "auto";
  std::vector<int64_t> lines;
  int64_t samples = 5, threads = 0;
};

// A test set, or one part of it.
struct TestSet {
  std::string name;
  std::vector<std::string> source, reference;
  std::vector<Links> gold;  // empty: none
};

absl::StatusOr<TestSet> ReadTestSet(const std::string& name, const std::string& source,
                                    const std::string& reference, const std::string& gold) {
  NMT_ASSIGN_OR_RETURN(ParallelCorpus corpus, ReadParallelCorpus({source, reference, gold}, name));
  TestSet set{name, std::move(corpus.source), std::move(corpus.target), {}};
  if (gold.empty()) return set;
  std::vector<LinkLengths> lengths;
  for (size_t i = 0; i < set.source.size(); ++i) {
    lengths.push_back({static_cast<int64_t>(WordSpans(set.source[i]).size()),
                       static_cast<int64_t>(WordSpans(set.reference[i]).size())});
  }
  NMT_ASSIGN_OR_RETURN(set.gold, ReadLinks(gold, LinkBase::kZero, lengths));
  return set;
}

// "unseen=x.en,x.de[,x.links]"
absl::StatusOr<TestSet> ReadPart(const std::string& text) {
  const size_t equals = text.find('=');
  std::vector<std::string> files;
  for (size_t begin = equals + 1; equals != std::string::npos && begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    files.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (files.size() < 2 || files.size() > 3) {
    return UsageError(fmt::format(
        "--part \"{}\": expected NAME=SOURCE,REFERENCE or NAME=SOURCE,REFERENCE,LINKS", text));
  }
  return ReadTestSet(text.substr(0, equals), files[0], files[1], files.size() == 3 ? files[2] : "");
}

// One run's work on one test set.
struct Outcome {
  std::vector<std::string> translations;
  double bleu = 0, chrf = 0;
  std::optional<AerScore> aer;
  double decode_seconds = 0;
  int64_t target_pieces = 0;
};

absl::StatusOr<Outcome> Measure(const TrainedModel& trained, const AlignmentChoice& choice,
                                const TestSet& set) {
  Outcome outcome;
  const Translator translator({&trained}, FromConfig(trained.options.translation));
  ProgressBar progress("translating " + set.name, static_cast<int64_t>(set.source.size()));
  const auto begin = std::chrono::steady_clock::now();
  const auto translations = translator.Translate(
      set.source,
      {.warn = Warn, .progress = [&](int64_t done) { progress.Update(done, "sentences"); }});
  outcome.decode_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const Translation& translation : translations) {
    outcome.translations.push_back(translation.texts.empty() ? "" : translation.texts[0]);
    if (!translation.hypotheses.empty()) {
      outcome.target_pieces += static_cast<int64_t>(translation.hypotheses[0].ids.size()) + 1;
    }
  }
  NMT_ASSIGN_OR_RETURN(const BleuScore bleu, CorpusBleu(outcome.translations, set.reference));
  NMT_ASSIGN_OR_RETURN(const ChrfScore chrf, CorpusChrf(outcome.translations, set.reference));
  outcome.bleu = bleu.score;
  outcome.chrf = chrf.score;
  if (set.gold.empty()) return outcome;
  AerCounts counts;
  AttendInParts(trained, EncodePairs(trained, set.source, set.reference),
                choice.attention.value_norms, [&](const CorpusAttention& part, size_t begin) {
                  for (size_t i = 0; i < part.pairs.size(); ++i)
                    counts += CountAer(LinksOf(part, i, choice), set.gold[begin + i]);
                });
  outcome.aer = ComputeAer(counts);
  return outcome;
}

struct Contestant {
  TrainedModel trained;
  AlignmentChoice choice;
  std::vector<Outcome> outcomes;  // one a test set
};

ModelResult Summarize(const Contestant& contestant) {
  const Outcome& outcome = contestant.outcomes[0];
  const ModelOptions& options = contestant.trained.options.model;
  ModelResult result{.name = ModelTitle(options),
                     .run = contestant.trained.path.string(),
                     .architecture = std::string(EnumName(options.type)),
                     .attention = std::string(EnumName(options.attention)),
                     .bleu = outcome.bleu,
                     .chrf = outcome.chrf,
                     .bleu_signature = BleuSignature({}),
                     .chrf_signature = ChrfSignature({}),
                     .alignment_choice = contestant.choice.ToString(),
                     .parameters = contestant.trained.model->ParameterCount(),
                     .training_seconds = contestant.trained.state.seconds,
                     .training_updates = contestant.trained.state.update,
                     .decode_seconds = outcome.decode_seconds,
                     .decode_tokens_per_second = static_cast<double>(outcome.target_pieces) /
                                                 std::max(1e-9, outcome.decode_seconds)};
  if (outcome.aer) {
    result.aer = outcome.aer->aer;
    result.aer_precision = outcome.aer->precision;
    result.aer_recall = outcome.aer->recall;
  }
  return result;
}

PartResult SummarizePart(const std::vector<Contestant>& contestants, const TestSet& set,
                         size_t index) {
  PartResult part{.part = set.name, .sentences = static_cast<int64_t>(set.source.size())};
  for (const Contestant& contestant : contestants) {
    const Outcome& outcome = contestant.outcomes[index];
    part.bleu.push_back(outcome.bleu);
    part.chrf.push_back(outcome.chrf);
    part.aer.push_back(outcome.aer ? std::optional(outcome.aer->aer) : std::nullopt);
  }
  return part;
}

// The reference under every model, side by side: one text, so that the cells can be compared one by
// one.
struct DrawnSample {
  SampleSentence sentence;
  std::vector<char32_t> missing_glyphs;
};
absl::StatusOr<DrawnSample> DrawSample(const std::vector<Contestant>& contestants,
                                       const TestSet& set, size_t i, const fs::path& out) {
  DrawnSample drawn;
  SampleSentence& sample = drawn.sentence;
  sample = {
      .line = static_cast<int64_t>(i) + 1, .source = set.source[i], .reference = set.reference[i]};
  std::vector<Heatmap> panels;
  bool drawable = true;
  for (const Contestant& contestant : contestants) {
    sample.translations.push_back(contestant.outcomes[0].translations[i]);
    const CorpusAttention attention = AttendPairs(
        contestant.trained, EncodePairs(contestant.trained, {set.source[i]}, {set.reference[i]}),
        contestant.choice.attention.value_norms);
    drawable &= CanDraw(attention.pairs[0]);
    panels.push_back(WordHeatmap(attention, 0, contestant.choice, set.source[i], set.reference[i],
                                 ModelTitle(contestant.trained.options.model),
                                 set.gold.empty() ? Links{} : set.gold[i]));
  }
  if (!drawable) return drawn;  // blank on a side, or longer than a picture
  sample.heatmap_png = fmt::format("heatmaps/line-{:04d}.png", sample.line);
  sample.heatmap_svg = fmt::format("heatmaps/line-{:04d}.svg", sample.line);
  NMT_ASSIGN_OR_RETURN(const PictureNotes notes, WriteHeatmapPng(panels, out / sample.heatmap_png));
  drawn.missing_glyphs = notes.missing_glyphs;
  NMT_RETURN_IF_ERROR(WriteHeatmapSvg(panels, out / sample.heatmap_svg));
  return drawn;
}

// Sentences spread evenly over the file, unless the user names some.
absl::StatusOr<std::vector<size_t>> SampleLines(const CompareArguments& arguments, size_t lines) {
  std::vector<size_t> chosen;
  for (const int64_t line : arguments.lines) {
    if (line < 1 || line > static_cast<int64_t>(lines)) {
      return UsageError(fmt::format("--lines {}: the source has {} lines", line, lines));
    }
    chosen.push_back(static_cast<size_t>(line - 1));
  }
  if (!chosen.empty()) return chosen;
  const size_t count = std::min(lines, static_cast<size_t>(arguments.samples));
  for (size_t i = 0; i < count; ++i) chosen.push_back(i * lines / count);
  return chosen;
}

absl::Status Compare(const CompareArguments& arguments) {
  NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(arguments.device));
  if (arguments.threads > 0) at::set_num_threads(static_cast<int>(arguments.threads));
  std::vector<TestSet> sets(1);
  NMT_ASSIGN_OR_RETURN(sets[0],
                       ReadTestSet("test", arguments.source, arguments.reference, arguments.gold));
  for (const std::string& part : arguments.parts) {
    NMT_ASSIGN_OR_RETURN(TestSet set, ReadPart(part));
    sets.push_back(std::move(set));
  }
  NMT_ASSIGN_OR_RETURN(const std::vector<size_t> lines,
                       SampleLines(arguments, sets[0].source.size()));
  std::vector<Contestant> contestants;
  for (const std::string& run : arguments.runs) {
    NMT_ASSIGN_OR_RETURN(TrainedModel trained, LoadTrainedModel(run, "best", device));
    NMT_ASSIGN_OR_RETURN(const AlignmentChoice choice,
                         LoadAlignmentChoice(RunDirectory(run).alignment(), *trained.model));
    contestants.push_back({std::move(trained), choice, {}});
  }
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(fs::path(arguments.out) / "heatmaps"));
  for (Contestant& contestant : contestants) {
    for (const TestSet& set : sets) {
      NMT_ASSIGN_OR_RETURN(Outcome outcome, Measure(contestant.trained, contestant.choice, set));
      contestant.outcomes.push_back(std::move(outcome));
    }
  }
  Comparison comparison{.source_file = arguments.source, .reference_file = arguments.reference};
  for (const Contestant& contestant : contestants) {
    comparison.models.push_back(Summarize(contestant));
    comparison.title += (comparison.title.empty() ? "" : " and ") + comparison.models.back().name;
  }
  for (size_t part = 1; part < sets.size(); ++part) {
    comparison.parts.push_back(SummarizePart(contestants, sets[part], part));
  }
  std::vector<char32_t> missing;
  for (const size_t line : lines) {
    NMT_ASSIGN_OR_RETURN(DrawnSample drawn, DrawSample(contestants, sets[0], line, arguments.out));
    missing.insert(missing.end(), drawn.missing_glyphs.begin(), drawn.missing_glyphs.end());
    comparison.samples.push_back(std::move(drawn.sentence));
  }
  if (const std::string message = MissingGlyphsMessage(missing); !message.empty()) Warn(message);
  const fs::path out(arguments.out);
  NMT_RETURN_IF_ERROR(WriteFileAtomically(out / "report.md", ComparisonMarkdown(comparison)));
  NMT_RETURN_IF_ERROR(WriteFileAtomically(out / "report.json", ComparisonJson(comparison)));
  fmt::print("{}", ComparisonTable(comparison));
  fmt::print(stderr, "report: {}\n", (out / "report.md").string());
  for (const SampleSentence& sample : comparison.samples) {
    if (!sample.heatmap_png.empty())
      fmt::print(stderr, "picture: {}\n", (out / sample.heatmap_png).string());
  }
  return absl::OkStatus();
}

}  // namespace

void AddCompareCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Compare runs: quality, alignments, cost, heatmaps side by side");
  command->add_option("RUN", arguments->runs, "Run directories of nmt train")
      ->required()
      ->expected(2, 20);
  command->add_option("--source", arguments->source, "Source sentences of the test set, one a line")
      ->required();
  command->add_option("--reference", arguments->reference, "Their reference translations")
      ->required();
  command->add_option("--gold", arguments->gold,
                      "Gold links between the two (s-t, from 0), for the alignment error rate");
  command
      ->add_option("--part", arguments->parts,
                   "A further test set, reported apart: NAME=SOURCE,REFERENCE[,LINKS]")
      ->expected(1)
      ->take_all();
  command->add_option("--out", arguments->out, "Folder for report.md, report.json and heatmaps")
      ->required();
  command->add_option("--lines", arguments->lines, "Sentences to show, counted from 1")
      ->delimiter(',');
  command->add_option("--samples", arguments->samples, "Without --lines: show so many")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--device", arguments->device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  SetUpThreadsOption(*command, arguments->threads);
  command->footer(
      "Example:\n  nmt compare runs/demo/gru runs/demo/transformer --source "
      "runs/demo/data/test_seen.en \\\n"
      "    --reference runs/demo/data/test_seen.de --gold runs/demo/data/test_seen.links --out "
      "runs/demo/report");
  command->callback([arguments, &run] { run = [arguments] { return Compare(*arguments); }; });
}

}  // namespace nmt
