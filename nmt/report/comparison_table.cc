#include <algorithm>

#include "nmt/report/comparison.h"
#include "nmt/report/comparison_rows.h"
#include "nmt/report/printable.h"

namespace nmt {

std::string ComparisonTable(const Comparison& comparison) {
  std::vector<ComparisonRow> rows = ComparisonRows(comparison);
  ComparisonRow header{.name = "", .values = {}};
  for (const ModelResult& model : comparison.models) header.values.push_back(model.name);
  rows.insert(rows.begin(), std::move(header));

  int name_width = 0;
  std::vector<int> widths(comparison.models.size(), 0);
  for (ComparisonRow& row : rows) {
    name_width = std::max(name_width, DisplayWidth(row.name));
    for (size_t i = 0; i < row.values.size(); ++i) {
      row.values[i] = PrintableText(row.values[i]);
      widths[i] = std::max(widths[i], DisplayWidth(row.values[i]));
    }
  }
  std::string table;
  for (const ComparisonRow& row : rows) {
    table += PadRight(row.name, name_width);
    for (size_t i = 0; i < row.values.size(); ++i)
      table += "  " + PadLeft(row.values[i], widths[i]);
    table += '\n';
  }
  const std::vector<std::string> findings = ComparisonFindings(comparison);
  if (!findings.empty()) table += '\n';
  for (const std::string& finding : findings) table += PrintableText(finding) + "\n";
  return table;
}

}  // namespace nmt
