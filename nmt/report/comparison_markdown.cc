#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "nmt/base/progress.h"
#include "nmt/report/comparison.h"
#include "nmt/report/comparison_rows.h"
#include "nmt/report/printable.h"
#include "nmt/report/seed_groups.h"

namespace nmt {
namespace {

// Text that Markdown shows literally, also inside a table.
std::string Escaped(std::string_view text) {
  std::string result;
  for (const char c : PrintableText(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
      case '#':
      case '$':
        result += '\\';
        [[fallthrough]];
      default:
        result += c;
    }
  }
  return result;
}

// A path as a link's target: the bytes that end or change a link, and all non-ASCII ones, as %XX.
std::string LinkTarget(std::string_view path) {
  std::string result;
  for (const unsigned char c : path) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') ||
                          std::string_view("-._~/").find(static_cast<char>(c)) != std::string::npos;
    result += is_plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return result;
}

std::string TableRow(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

// The first column is text, the others are numbers.
std::string TableRule(size_t columns) {
  std::string rule = "|---|";
  for (size_t i = 1; i < columns; ++i) rule += "---:|";
  return rule + "\n";
}

// "34.20 ± 0.31", "34.20" of a single run.
std::string SummaryText(const std::optional<MeanAndDeviation>& summary, double scale) {
  if (!summary) return kAbsent;
  return fmt::format("{:.2f}", scale * summary->mean) +
         (summary->deviation ? fmt::format(" ± {:.2f}", scale * *summary->deviation) : "");
}

void AppendGroups(std::string& report, const Comparison& comparison) {
  const std::vector<SeedGroup> groups = SeedGroups(comparison);
  if (groups.empty()) return;
  std::vector<std::string> header{"", "runs", "BLEU", "chrF", "TER", "AER %"};
  for (const PartResult& part : comparison.parts) {
    header.push_back("BLEU, " + Escaped(part.part));
    header.push_back("AER %, " + Escaped(part.part));
  }
  report += "## Mean and standard deviation over seeds\n\n";
  report += TableRow(header) + TableRule(header.size());
  for (const SeedGroup& group : groups) {
    std::vector<std::string> cells{
        Escaped(group.name),        fmt::format("{}", group.models.size()),
        SummaryText(group.bleu, 1), SummaryText(group.chrf, 1),
        SummaryText(group.ter, 1),  SummaryText(group.aer, 100)};
    for (const SeedGroup::Part& part : group.parts) {
      cells.push_back(SummaryText(part.bleu, 1));
      cells.push_back(SummaryText(part.aer, 100));
    }
    report += TableRow(cells);
  }
  report += '\n';
}

void AppendModels(std::string& report, const Comparison& comparison) {
  std::vector<std::string> header{""};
  for (const ModelResult& model : comparison.models) header.push_back(Escaped(model.name));
  report += TableRow(header) + TableRule(header.size());
  for (const ComparisonRow& row : ComparisonRows(comparison)) {
    std::vector<std::string> cells{row.name};
    for (const std::string& value : row.values) cells.push_back(Escaped(value));
    report += TableRow(cells);
  }
  report += '\n';
  for (const std::string& finding : ComparisonFindings(comparison)) {
    report += "- " + Escaped(finding) + "\n";
  }
  report += '\n';
}

void AppendOpposite(std::string& report, const Comparison& comparison) {
  if (comparison.opposite.empty()) return;
  const std::vector<std::string> header{"", "BLEU", "chrF", "TER", "AER %", "parameters"};
  report += "## The other direction\n\nOn the test set with its sides exchanged.\n\n";
  report += TableRow(header) + TableRule(header.size());
  for (const ModelResult& model : comparison.opposite) {
    report += TableRow({Escaped(model.name), ScoreText(model.bleu), ScoreText(model.chrf),
                        ScoreText(model.ter),
                        model.aer ? fmt::format("{:.1f}", 100 * *model.aer) : kAbsent,
                        WithThousands(model.parameters)});
  }
  report += '\n';
}

// One line where all models were scored alike, one a model otherwise.
void AppendSignatures(std::string& report, const Comparison& comparison) {
  std::string last;
  for (const ModelResult& model : comparison.models) {
    std::string signatures;
    if (!model.bleu_signature.empty()) signatures += "BLEU " + Escaped(model.bleu_signature);
    if (!model.chrf_signature.empty()) {
      signatures += (signatures.empty() ? "chrF " : "; chrF ") + Escaped(model.chrf_signature);
    }
    if (!model.ter_signature.empty()) {
      signatures += (signatures.empty() ? "TER " : "; TER ") + Escaped(model.ter_signature);
    }
    if (signatures.empty() || signatures == last) continue;
    last = signatures;
    const bool shared = std::all_of(comparison.models.begin(), comparison.models.end(),
                                    [&model](const ModelResult& other) {
                                      return other.bleu_signature == model.bleu_signature &&
                                             other.chrf_signature == model.chrf_signature &&
                                             other.ter_signature == model.ter_signature;
                                    });
    report +=
        fmt::format("Signatures{}: {}\n\n", shared ? "" : " of " + Escaped(model.name), signatures);
  }
}

template <typename T>
std::optional<double> At(const std::vector<T>& values, size_t i) {
  return i < values.size() ? std::optional<double>(values[i]) : std::nullopt;
}

void AppendParts(std::string& report, const Comparison& comparison) {
  if (comparison.parts.empty()) return;
  const size_t models = comparison.models.size();
  const bool has_aer =
      std::any_of(comparison.parts.begin(), comparison.parts.end(), [](const PartResult& part) {
        return std::any_of(part.aer.begin(), part.aer.end(),
                           [](const std::optional<double>& aer) { return aer.has_value(); });
      });
  std::vector<std::string> header{"part", "sentences"};
  for (const char* measure : {"BLEU", "chrF", "AER"}) {
    if (measure == std::string_view("AER") && !has_aer) continue;
    for (const ModelResult& model : comparison.models) {
      header.push_back(fmt::format("{} {}", measure, Escaped(model.name)));
    }
  }
  report += "## Parts of the test set\n\n" + TableRow(header) + TableRule(header.size());
  for (const PartResult& part : comparison.parts) {
    std::vector<std::string> cells{Escaped(part.part), WithThousands(part.sentences)};
    for (size_t i = 0; i < models; ++i) cells.push_back(ScoreText(At(part.bleu, i)));
    for (size_t i = 0; i < models; ++i) cells.push_back(ScoreText(At(part.chrf, i)));
    for (size_t i = 0; has_aer && i < models; ++i) cells.push_back(PercentText(At(part.aer, i)));
    report += TableRow(cells);
  }
  report += '\n';
}

void AppendSample(std::string& report, const Comparison& comparison, const SampleSentence& sample) {
  report += fmt::format("### Line {}\n\n| | |\n|---|---|\n", sample.line);
  report += TableRow({"source", Escaped(sample.source)});
  report += TableRow({"reference", Escaped(sample.reference)});
  for (size_t i = 0; i < comparison.models.size() && i < sample.translations.size(); ++i) {
    report += TableRow({Escaped(comparison.models[i].name), Escaped(sample.translations[i])});
  }
  report += '\n';
  const std::string& picture = sample.heatmap_png.empty() ? sample.heatmap_svg : sample.heatmap_png;
  if (picture.empty()) return;
  report += fmt::format("![Attention of line {}]({})\n\n", sample.line, LinkTarget(picture));
  if (!sample.heatmap_png.empty() && !sample.heatmap_svg.empty()) {
    report += fmt::format("[The same as SVG]({})\n\n", LinkTarget(sample.heatmap_svg));
  }
}

}  // namespace

std::string ComparisonMarkdown(const Comparison& comparison) {
  std::string report = fmt::format("# {}\n\n", Escaped(comparison.title));
  if (!comparison.source_file.empty()) {
    report += fmt::format("Source: {}; reference: {}.\n\n", Escaped(comparison.source_file),
                          Escaped(comparison.reference_file));
  }
  AppendGroups(report, comparison);
  AppendModels(report, comparison);
  AppendSignatures(report, comparison);
  AppendOpposite(report, comparison);
  AppendParts(report, comparison);
  if (!comparison.samples.empty()) {
    report +=
        "## Samples\n\nIn the pictures rows are target words and columns source words; the darker "
        "a cell, the more the target word looked at the source word.\n\n";
  }
  for (const SampleSentence& sample : comparison.samples) AppendSample(report, comparison, sample);
  while (report.ends_with("\n\n")) report.pop_back();
  return report;
}

}  // namespace nmt
