#include "nmt/lab/lab_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nmt/base/file.h"
#include "nmt/base/progress.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

// Digits behind the point that a tolerance leaves: 2 for 0.005, which is half a unit of the second.
int DecimalsOf(double tolerance) {
  constexpr int kMost = 10;
  if (tolerance < 1e-10) return kMost;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(2 * tolerance) - 1e-9)), 0, kMost);
}

// The line width of the files in docs/.
constexpr int kMarkdownColumns = 120;

// Breaks a paragraph at blanks; lines that begin with a blank stay as they are.
std::string Wrap(std::string_view text, int columns) {
  std::string wrapped;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const bool verbatim = line.starts_with(' ');
    while (!verbatim && DisplayWidth(line) > columns) {
      size_t cut = line.size();
      while (cut != std::string_view::npos && DisplayWidth(line.substr(0, cut)) > columns)
        cut = line.rfind(' ', cut - 1);
      if (cut == std::string_view::npos || cut == 0) break;
      wrapped.append(line.substr(0, cut)).append("\n");
      line.remove_prefix(cut + 1);
    }
    wrapped.append(line).append("\n");
  }
  return wrapped;
}

// Without the marks of Markdown that stand around words.
std::string WithoutMarks(std::string_view markdown) {
  std::string text;
  for (const char c : markdown) {
    if (c != '`' && c != '*') text += c;
  }
  return text;
}

LabTable TableOf(const LabChecks& checks) {
  LabTable table{.columns = {"quantity", "expected", "measured", "tolerance", "result"}};
  for (const LabCheck& check : checks) {
    const std::string result = check.tolerance.empty() ? "" : check.passed ? "pass" : "FAIL";
    table.rows.push_back({check.what, check.expected, check.measured, check.tolerance, result});
  }
  return table;
}

std::string Plain(const LabTable& table) {
  std::vector<int> widths;
  const auto widen = [&](const std::vector<std::string>& row) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  };
  widen(table.columns);
  for (const auto& row : table.rows) widen(row);
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      // Names to the left, numbers to the right.
      line += (i == 0 ? PadRight(row[i], widths[i]) : PadLeft(row[i], widths[i])) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add(table.columns);
  std::vector<std::string> rule;
  for (const int width : widths) rule.emplace_back(static_cast<size_t>(width), '-');
  add(rule);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string Markdown(const LabTable& table) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    text += "|";
    for (const std::string& cell : row) {
      text += " ";
      for (const char c : cell) text += c == '|' ? "\\|" : std::string(1, c);  // not a new cell
      text += " |";
    }
    text += "\n";
  };
  add(table.columns);
  std::vector<std::string> rule = {"---"};
  rule.resize(table.columns.size(), "--:");
  add(rule);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string FileName(const LabPlot& plot, std::string_view extension) {
  return fmt::format("lab-{}.{}", plot.name, extension);
}

}  // namespace

void LabReport::Say(std::string markdown) { blocks_.emplace_back(LabProse{std::move(markdown)}); }
void LabReport::Show(LabTable table) { blocks_.emplace_back(std::move(table)); }
void LabReport::Draw(LabPlot plot) { blocks_.emplace_back(std::move(plot)); }

void LabReport::Add(LabCheck check) {
  if (!check.tolerance.empty()) {
    ++checks_;
    if (!check.passed) ++failures_;
  }
  if (blocks_.empty() || !std::holds_alternative<LabChecks>(blocks_.back()))
    blocks_.emplace_back(LabChecks());
  std::get<LabChecks>(blocks_.back()).push_back(std::move(check));
}

void LabReport::Expect(std::string what, double expected, double measured, double tolerance) {
  const bool passed = std::abs(measured - expected) <= tolerance;
  const std::string within = tolerance == 0 ? "exactly" : fmt::format("± {:.2g}", tolerance);
  if (expected == 0 && tolerance < 1e-6) {
    Add({std::move(what), "0", LabNumber(measured), within, passed});
  } else {
    const int decimals = DecimalsOf(tolerance);
    Add({std::move(what), LabFixed(expected, decimals), LabFixed(measured, decimals), within,
         passed});
  }
}

void LabReport::ExpectCount(std::string what, int64_t expected, int64_t measured) {
  Add({std::move(what), WithThousands(expected), WithThousands(measured), "equal",
       measured == expected});
}

void LabReport::ExpectAtMost(std::string what, double bound, double measured) {
  Add({std::move(what), "≤ " + LabNumber(bound), LabNumber(measured), "bound", measured <= bound});
}

void LabReport::ExpectAtLeast(std::string what, double bound, double measured) {
  Add({std::move(what), "≥ " + LabNumber(bound), LabNumber(measured), "bound", measured >= bound});
}

void LabReport::Measured(std::string what, std::string measured) {
  Add({std::move(what), "", std::move(measured), "", true});
}

std::string LabNumber(double value) {
  if (std::abs(value) >= 1000 && std::abs(value) < 1e15)
    return WithThousands(static_cast<int64_t>(std::llround(value)));
  return fmt::format("{:.4g}", value);
}

std::string LabFixed(double value, int decimals) {
  const std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !is_zero ? "−" + digits : digits;
}

std::string ReportForTerminal(const LabReport& report, LabDetail detail, int columns) {
  const bool all = detail == LabDetail::kAll;
  std::string text = fmt::format("{}: {}\n\n", report.name(), report.title());
  for (const LabBlock& block : report.blocks()) {
    if (const auto* checks = std::get_if<LabChecks>(&block)) {
      text += Plain(TableOf(*checks)) + "\n";
    } else if (const auto* prose = std::get_if<LabProse>(&block); prose != nullptr && all) {
      text += Wrap(WithoutMarks(prose->markdown), columns) + "\n";
    } else if (const auto* table = std::get_if<LabTable>(&block); table != nullptr && all) {
      text += Plain(*table) + "\n";
    }
  }
  return text;
}

std::string ReportAsMarkdown(const LabReport& report) {
  std::string text = fmt::format("## {}\n\n`nmt lab {}`\n\n", report.title(), report.name());
  for (const LabBlock& block : report.blocks()) {
    if (const auto* prose = std::get_if<LabProse>(&block)) {
      text += Wrap(prose->markdown, kMarkdownColumns);
    } else if (const auto* table = std::get_if<LabTable>(&block)) {
      text += Markdown(*table);
    } else if (const auto* checks = std::get_if<LabChecks>(&block)) {
      text += Markdown(TableOf(*checks));
    } else if (const auto* plot = std::get_if<LabPlot>(&block)) {
      text += fmt::format("![{0}](images/{1})\n\n*{0}*\n", plot->caption, FileName(*plot, "svg"));
    }
    text += "\n";
  }
  return text;
}

absl::Status WriteLabPlots(const LabReport& report, const std::filesystem::path& folder) {
  for (const LabBlock& block : report.blocks()) {
    const auto* plot = std::get_if<LabPlot>(&block);
    if (plot == nullptr) continue;
    NMT_RETURN_IF_ERROR(MakeWritableDirectory(folder));
    const auto svg = folder / FileName(*plot, "svg"), png = folder / FileName(*plot, "png");
    if (!plot->charts.empty()) {
      NMT_RETURN_IF_ERROR(WriteChartSvg(plot->charts, svg));
      NMT_RETURN_IF_ERROR(WriteChartPng(plot->charts, png));
    } else {
      NMT_RETURN_IF_ERROR(WriteHeatmapSvg(plot->heatmaps, svg));
      NMT_RETURN_IF_ERROR(WriteHeatmapPng(plot->heatmaps, png).status());
    }
  }
  return absl::OkStatus();
}

}  // namespace nmt
