#include "commands/compare_runs.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

#include "commands/command.h"
#include "commands/contestant.h"
#include "nmt/base/file.h"
#include "nmt/base/log.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/config/reader.h"
#include "nmt/report/attention_summary.h"
#include "nmt/report/quality_summary.h"
#include "nmt/report/report_page.h"
#include "nmt/report/run_names.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

// Sentences spread evenly over the file, unless the user names some.
absl::StatusOr<std::vector<size_t>> SampleLines(const CompareOptions& options, size_t lines) {
  std::vector<size_t> chosen;
  for (const int64_t line : options.lines) {
    if (line < 1 || line > static_cast<int64_t>(lines)) {
      return UsageError(fmt::format("--lines {}: the source has {} lines", line, lines));
    }
    chosen.push_back(static_cast<size_t>(line - 1));
  }
  if (!chosen.empty()) return chosen;
  const size_t count = std::min(lines, static_cast<size_t>(options.samples));
  for (size_t i = 0; i < count; ++i) chosen.push_back(i * lines / count);
  return chosen;
}

// Runs with their names, and nothing else yet.
struct NamedRuns {
  std::vector<ModelResult> models;    // of the first run's direction
  std::vector<ModelResult> opposite;  // of the other one
};

// What can be refused is refused before the first run takes its time.
absl::StatusOr<NamedRuns> CheckRuns(const CompareOptions& options) {
  std::vector<Options> configs, opposite_configs;
  NamedRuns runs;
  for (const std::string& run : options.runs) {
    const RunDirectory directory(run);
    if (!directory.Exists()) {
      return DataError(
          fmt::format("{}: is no run directory of nmt train (it has no config.yaml)", run));
    }
    NMT_RETURN_IF_ERROR(directory.CheckPlain());
    NMT_ASSIGN_OR_RETURN(Options config, ReadOptions(directory.config(), {}));
    NMT_ASSIGN_OR_RETURN(const fs::path best, directory.ResolveWeights("best"));
    NMT_RETURN_IF_ERROR(VerifyCheckpoint(best));
    const DataOptions first = configs.empty() ? config.data : configs[0].data, data = config.data;
    if (data.source_language == first.source_language &&
        data.target_language == first.target_language) {
      runs.models.push_back({.run = run});
      configs.push_back(std::move(config));
    } else if (data.source_language == first.target_language &&
               data.target_language == first.source_language) {
      runs.opposite.push_back({.run = run});
      opposite_configs.push_back(std::move(config));
    } else {
      return UsageError(
          fmt::format("{} translates \"{}\" to \"{}\", but {} \"{}\" to \"{}\"; expected runs of "
                      "this direction or "
                      "of the opposite one",
                      run, data.source_language, data.target_language, options.runs[0],
                      first.source_language, first.target_language));
    }
  }
  NMT_RETURN_IF_ERROR(NameRuns(std::move(configs), options.seeds, runs.models));
  const std::string direction =
      opposite_configs.empty()
          ? ""
          : fmt::format(" ({} to {})", opposite_configs[0].data.source_language,
                        opposite_configs[0].data.target_language);
  NMT_RETURN_IF_ERROR(NameRuns(std::move(opposite_configs), /*seeds=*/false, runs.opposite));
  for (ModelResult& model : runs.opposite) model.name += direction;
  return runs;
}

TestSet Exchanged(const TestSet& set) {
  TestSet exchanged{.name = set.name, .source = set.reference, .reference = set.source};
  for (const Links& links : set.gold) exchanged.gold.push_back(Reversed(links));
  return exchanged;
}

PartResult SummarizePart(const std::vector<Contestant>& contestants, const TestSet& set,
                         size_t index) {
  PartResult part{.part = set.name, .sentences = static_cast<int64_t>(set.source.size())};
  for (const Contestant& contestant : contestants) {
    const PartScores& scores = contestant.parts[index];
    part.bleu.push_back(scores.bleu);
    part.chrf.push_back(scores.chrf);
    part.ter.push_back(scores.ter);
    part.aer.push_back(scores.aer);
  }
  return part;
}

SentenceRecord RecordOf(std::vector<Contestant>& contestants, const TestSet& set, size_t i) {
  SentenceRecord record{.line = static_cast<int64_t>(i) + 1,
                        .source = CleanLine(set.source[i]),
                        .reference = CleanLine(set.reference[i])};
  if (!set.gold.empty()) record.gold = set.gold[i];
  for (size_t m = 0; m < contestants.size(); ++m) {
    Contestant& contestant = contestants[m];
    record.translations.push_back(contestant.translations[i]);
    record.reference_links.push_back(std::move(contestant.reference_links[i]));
    record.translation_links.push_back(std::move(contestant.translation_links[i]));
    for (SentenceAttention& attention : contestant.attention[i]) {
      attention.model = static_cast<int64_t>(m);
      record.attention.push_back(std::move(attention));
    }
  }
  return record;
}

// How often the words of the references stand in the text that the first run was trained on; without
// that text there is no such breakdown.
void AddFrequencies(Comparison& comparison, const Contestant& first) {
  WordCounts counts;
  for (const std::string& path : first.options.data.train.target) {
    // A run may name anything here, a pipe too, which would never end.
    std::error_code ignored;
    std::FILE* file = fs::is_regular_file(path, ignored) ? std::fopen(path.c_str(), "r") : nullptr;
    if (file == nullptr) {
      Warn(fmt::format("{}: cannot be read, so the report has no scores by word frequency", path));
      return;
    }
    LineReader reader(file);
    while (const std::optional<std::string> line = reader.Next())
      CountWords(CleanLine(*line), counts);
    std::fclose(file);
  }
  comparison.breakdowns.push_back(BreakdownByFrequency(comparison, counts, {0, 1, 5, 20, 100}));
  comparison.breakdowns.back().note += "; the text is that of " + first.result.name;
}

// The first run of each group with seeds, else each run: those are compared with each other.
std::vector<size_t> Heads(const std::vector<Contestant>& contestants) {
  std::vector<size_t> heads;
  std::set<std::string> seen;
  for (size_t m = 0; m < contestants.size(); ++m) {
    const std::string& group = contestants[m].result.group;
    if (group.empty() || seen.insert(group).second) heads.push_back(m);
  }
  return heads;
}

// Each against the first.
std::vector<std::pair<int64_t, int64_t>> TestedPairs(const std::vector<size_t>& heads) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t h = 1; h < heads.size(); ++h)
    pairs.emplace_back(static_cast<int64_t>(heads[h]), static_cast<int64_t>(heads[0]));
  return pairs;
}

// Whose attention is compared: all of few, of many each with the first.
AttentionSummary::Pairs LookedAtPairs(const std::vector<size_t>& heads) {
  constexpr size_t kFew = 8;
  AttentionSummary::Pairs pairs;
  for (size_t a = 0; a < heads.size() && (a == 0 || heads.size() <= kFew); ++a) {
    for (size_t b = a + 1; b < heads.size(); ++b) pairs.emplace_back(heads[a], heads[b]);
  }
  return pairs;
}

struct DrawnSample {
  SampleSentence sentence;
  std::vector<char32_t> missing_glyphs;
};

// The reference under every model, side by side: one text, so that the cells can be compared one by
// one. `d` counts the drawn sentences.
absl::StatusOr<DrawnSample> DrawSample(const std::vector<Contestant>& contestants,
                                       const std::vector<size_t>& heads,
                                       const SentenceRecord& record, size_t d,
                                       const fs::path& out) {
  DrawnSample drawn;
  SampleSentence& sample = drawn.sentence;
  sample = {.line = record.line,
            .source = record.source,
            .reference = record.reference,
            .translations = record.translations};
  std::vector<Heatmap> panels;
  for (const size_t m : heads) {
    const Contestant& contestant = contestants[m];
    if (!contestant.pictures[d]) return drawn;  // blank on a side, or longer than a picture
    panels.push_back(*contestant.pictures[d]);
    panels.back().title = contestant.result.name;
  }
  sample.heatmap_png = fmt::format("heatmaps/line-{:04d}.png", sample.line);
  sample.heatmap_svg = fmt::format("heatmaps/line-{:04d}.svg", sample.line);
  NMT_ASSIGN_OR_RETURN(const PictureNotes notes, WriteHeatmapPng(panels, out / sample.heatmap_png));
  drawn.missing_glyphs = notes.missing_glyphs;
  NMT_RETURN_IF_ERROR(WriteHeatmapSvg(panels, out / sample.heatmap_svg));
  return drawn;
}

// All that is summed up over the contestants; they give their sentences away.
absl::StatusOr<Comparison> SumUp(const CompareOptions& options, const std::vector<TestSet>& sets,
                                 std::vector<Contestant>& contestants) {
  Comparison comparison{.source_file = options.test.source,
                        .reference_file = options.test.reference};
  const std::vector<size_t> heads = Heads(contestants);
  AttentionSummary attention(contestants.size(), LookedAtPairs(heads));
  for (size_t i = 0; i < sets[0].source.size(); ++i) {
    std::vector<SoftMatrix> forced_TS;
    for (Contestant& contestant : contestants)
      forced_TS.push_back(std::move(contestant.forced_TS[i]));
    comparison.sentences.push_back(RecordOf(contestants, sets[0], i));
    attention.Add(forced_TS, comparison.sentences.back());
  }
  std::set<std::string> titled;
  for (const Contestant& contestant : contestants) {
    const ModelResult& result = contestant.result;
    comparison.models.push_back(result);
    comparison.attention_left_out += contestant.attention_left_out;
    const std::string& name = options.seeds ? result.group : result.name;
    if (!titled.insert(name).second) continue;
    comparison.title += (comparison.title.empty() ? "" : " and ") + name;
  }
  if (titled.size() > 3) comparison.title = fmt::format("{} models compared", titled.size());
  if (titled.size() < contestants.size())
    comparison.title += fmt::format(", {} runs", contestants.size());
  attention.Finish(comparison);
  NMT_RETURN_IF_ERROR(SummarizeQuality(comparison, {.pairs = TestedPairs(heads)}));
  for (size_t part = 1; part < sets.size(); ++part)
    comparison.parts.push_back(SummarizePart(contestants, sets[part], part - 1));
  if (options.seeds) TestAcrossSeeds(comparison);
  comparison.breakdowns.push_back(BreakdownByLength(comparison, {1, 6, 11, 16, 21, 31}));
  AddFrequencies(comparison, contestants[0]);
  comparison.attention_left_out += LimitAttention(comparison.sentences);
  return comparison;
}

absl::Status WriteReport(const CompareOptions& options, const std::vector<Contestant>& contestants,
                         const std::vector<size_t>& lines, Comparison& comparison) {
  const fs::path out(options.out);
  std::vector<char32_t> missing;
  for (size_t d = 0; d < lines.size(); ++d) {
    NMT_ASSIGN_OR_RETURN(DrawnSample drawn, DrawSample(contestants, Heads(contestants),
                                                       comparison.sentences[lines[d]], d, out));
    missing.insert(missing.end(), drawn.missing_glyphs.begin(), drawn.missing_glyphs.end());
    comparison.samples.push_back(std::move(drawn.sentence));
  }
  if (const std::string message = MissingGlyphsMessage(missing); !message.empty()) Warn(message);
  NMT_RETURN_IF_ERROR(WriteFileAtomically(out / "report.md", ComparisonMarkdown(comparison)));
  NMT_RETURN_IF_ERROR(WriteFileAtomically(out / "report.json", ComparisonJson(comparison)));
  NMT_ASSIGN_OR_RETURN(const int64_t bytes, WriteReportPage(comparison, out / "index.html"));
  fmt::print("{}", ComparisonTable(comparison));
  fmt::print(stderr, "report:  {} and report.json\npage:    {} ({:.1f} MB)\n",
             (out / "report.md").string(), (out / "index.html").string(),
             static_cast<double>(bytes) / 1e6);
  return absl::OkStatus();
}

}  // namespace

absl::Status CompareRuns(const CompareOptions& options) {
  NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(options.device));
  if (options.threads > 0) at::set_num_threads(static_cast<int>(options.threads));
  std::vector<TestSet> sets;
  NMT_ASSIGN_OR_RETURN(sets.emplace_back(), ReadTestSet(options.test));
  for (const TestFiles& part : options.parts) {
    NMT_ASSIGN_OR_RETURN(sets.emplace_back(), ReadTestSet(part));
  }
  NMT_ASSIGN_OR_RETURN(const std::vector<size_t> lines,
                       SampleLines(options, sets[0].source.size()));
  NMT_ASSIGN_OR_RETURN(const NamedRuns named, CheckRuns(options));
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(options.out));
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(fs::path(options.out) / "heatmaps"));
  constexpr int64_t kAttentionBytes = 96'000'000;  // three times what the page has room for
  const MeasureOptions measure{
      .device = device,
      .drawn = lines,
      .most_attention_bytes = kAttentionBytes / static_cast<int64_t>(options.runs.size())};
  std::vector<Contestant> contestants;
  for (const ModelResult& model : named.models) {
    NMT_ASSIGN_OR_RETURN(contestants.emplace_back(), Measure(model.run, sets, measure));
    contestants.back().result.name = model.name;
    contestants.back().result.group = model.group;
  }
  NMT_ASSIGN_OR_RETURN(Comparison comparison, SumUp(options, sets, contestants));
  if (!named.opposite.empty()) {
    const TestSet exchanged = Exchanged(sets[0]);
    for (const ModelResult& model : named.opposite) {
      NMT_ASSIGN_OR_RETURN(comparison.opposite.emplace_back(),
                           MeasureOpposite(model.run, exchanged, device));
      comparison.opposite.back().name = model.name;
    }
  }
  return WriteReport(options, contestants, lines, comparison);
}

}  // namespace nmt
