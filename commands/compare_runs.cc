#include "commands/compare_runs.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <set>

#include "commands/command.h"
#include "commands/contestant.h"
#include "nmt/base/file.h"
#include "nmt/base/log.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/config/printer.h"
#include "nmt/report/attention_summary.h"
#include "nmt/report/quality_summary.h"
#include "nmt/report/report_page.h"
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

// All that two runs of one group share, as text: the config but for its seed, folder and machine.
std::string ConfigOf(Options options) {
  options.run_dir.clear();
  options.seed = 0;
  options.threads = 0;
  options.device = "auto";
  return PrintOptions(options);
}

std::string FolderName(const ModelResult& result) {
  const fs::path path = fs::path(result.run).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// Runs of one config are a group, named as its first run.
void GroupBySeed(std::vector<Contestant>& contestants) {
  std::map<std::string, std::string> names;  // of configs
  std::set<std::string> taken;
  for (Contestant& contestant : contestants) {
    ModelResult& result = contestant.result;
    const auto [known, is_new] = names.emplace(ConfigOf(contestant.options), result.name);
    if (is_new && !taken.insert(result.name).second)
      known->second = fmt::format("{} ({})", result.name, FolderName(result));
    result.group = known->second;
  }
}

// Runs of the same title are told apart by their seed, or by their folder.
void NameApart(std::vector<Contestant>& contestants) {
  std::map<std::string, int> titles;
  for (const Contestant& contestant : contestants) ++titles[contestant.result.name];
  std::map<std::string, int> names;
  for (Contestant& contestant : contestants) {
    ModelResult& result = contestant.result;
    if (titles[result.name] > 1) result.name += fmt::format(" ({})", FolderName(result));
    // Folders of one name in different places.
    if (const int count = ++names[result.name]; count > 1)
      result.name += fmt::format(" #{}", count);
    for (auto& picture : contestant.pictures)
      if (picture) picture->title = result.name;
  }
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
    const auto lines = ReadLines(path);
    if (!lines.ok()) {
      Warn(fmt::format("{}: cannot be read, so the report has no scores by word frequency", path));
      return;
    }
    for (const std::string& line : *lines) CountWords(line, counts);
  }
  comparison.breakdowns.push_back(BreakdownByFrequency(comparison, counts, {0, 1, 5, 20, 100}));
}

// One a group with seeds, else one a model: what is tested against the first.
std::vector<std::pair<int64_t, int64_t>> TestedPairs(const std::vector<Contestant>& contestants) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  std::set<std::string> seen{contestants[0].result.group};
  for (size_t m = 1; m < contestants.size(); ++m) {
    const std::string& group = contestants[m].result.group;
    if (group.empty() || seen.insert(group).second) pairs.emplace_back(static_cast<int64_t>(m), 0);
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
                                       const SentenceRecord& record, size_t d,
                                       const fs::path& out) {
  DrawnSample drawn;
  SampleSentence& sample = drawn.sentence;
  sample = {.line = record.line,
            .source = record.source,
            .reference = record.reference,
            .translations = record.translations};
  std::vector<Heatmap> panels;
  for (const Contestant& contestant : contestants) {
    if (!contestant.pictures[d]) return drawn;  // blank on a side, or longer than a picture
    panels.push_back(*contestant.pictures[d]);
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
  AttentionSummary attention(contestants.size());
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
  attention.Finish(comparison);
  NMT_RETURN_IF_ERROR(SummarizeQuality(comparison, {.pairs = TestedPairs(contestants)}));
  if (options.seeds) TestAcrossSeeds(comparison);
  comparison.breakdowns.push_back(BreakdownByLength(comparison, {1, 6, 11, 16, 21, 31}));
  AddFrequencies(comparison, contestants[0]);
  for (size_t part = 1; part < sets.size(); ++part)
    comparison.parts.push_back(SummarizePart(contestants, sets[part], part - 1));
  comparison.attention_left_out += LimitAttention(comparison.sentences);
  return comparison;
}

absl::Status WriteReport(const CompareOptions& options, const std::vector<Contestant>& contestants,
                         const std::vector<size_t>& lines, Comparison& comparison) {
  const fs::path out(options.out);
  std::vector<char32_t> missing;
  for (size_t d = 0; d < lines.size(); ++d) {
    NMT_ASSIGN_OR_RETURN(DrawnSample drawn,
                         DrawSample(contestants, comparison.sentences[lines[d]], d, out));
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
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(fs::path(options.out) / "heatmaps"));
  std::vector<Contestant> contestants;
  for (const std::string& run : options.runs) {
    NMT_ASSIGN_OR_RETURN(contestants.emplace_back(), Measure(run, sets, lines, device));
  }
  if (options.seeds) GroupBySeed(contestants);
  NameApart(contestants);
  NMT_ASSIGN_OR_RETURN(Comparison comparison, SumUp(options, sets, contestants));
  return WriteReport(options, contestants, lines, comparison);
}

}  // namespace nmt
