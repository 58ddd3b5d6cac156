#include <fmt/format.h>

#include <algorithm>

#include "nmt/report/comparison.h"
#include "nmt/report/comparison_rows.h"
#include "nmt/report/printable.h"

namespace nmt {

namespace {

using Cells = std::vector<std::vector<std::string>>;

// Left-aligned first column, the others to the right.
std::string Columns(Cells cells) {
  std::vector<int> widths;
  for (std::vector<std::string>& row : cells) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = PrintableText(row[i]);
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  std::string table;
  for (const std::vector<std::string>& row : cells) {
    table += PadRight(row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i) table += "  " + PadLeft(row[i], widths[i]);
    table += '\n';
  }
  return table;
}

// A column a model, a row a property.
Cells PropertiesDown(const Comparison& comparison) {
  Cells cells{{""}};
  for (const ModelResult& model : comparison.models) cells[0].push_back(model.name);
  for (const ComparisonRow& row : ComparisonRows(comparison)) {
    if (row.name == "Alignment from") continue;  // too wide; report.md has it
    cells.push_back({row.name});
    cells.back().insert(cells.back().end(), row.values.begin(), row.values.end());
  }
  return cells;
}

// A row a model, for many models; what the names say and what is too wide is left out.
Cells ModelsDown(const Comparison& comparison) {
  Cells cells{{""}};
  for (const ModelResult& model : comparison.models) cells.push_back({model.name});
  for (const ComparisonRow& row : ComparisonRows(comparison)) {
    const bool is_text =
        row.name == "Architecture" || row.name == "Attention" || row.name == "Alignment from";
    if (is_text) continue;
    cells[0].push_back(row.name);
    for (size_t m = 0; m < row.values.size(); ++m) cells[m + 1].push_back(row.values[m]);
  }
  return cells;
}

}  // namespace

std::string ComparisonTable(const Comparison& comparison) {
  constexpr size_t kMostColumns = 4;
  std::string table = Columns(comparison.models.size() <= kMostColumns ? PropertiesDown(comparison)
                                                                       : ModelsDown(comparison));
  for (const ModelResult& model : comparison.opposite) {
    table += fmt::format("\n{}, on the test set exchanged: BLEU {:.2f}, chrF {:.2f}{}\n",
                         PrintableText(model.name), model.bleu, model.chrf,
                         model.aer ? fmt::format(", AER {:.1f} %", 100 * *model.aer) : "");
  }
  const std::vector<std::string> findings = ComparisonFindings(comparison);
  if (!findings.empty()) table += '\n';
  for (const std::string& finding : findings) table += PrintableText(finding) + "\n";
  return table;
}

}  // namespace nmt
