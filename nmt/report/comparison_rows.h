// What both the Markdown report and the terminal table say of the models: one row a property.
//
//   for (const ComparisonRow& row : ComparisonRows(comparison)) Print(row.name, row.values);
//   for (const std::string& sentence : ComparisonFindings(comparison)) Print(sentence);
#ifndef NMT_REPORT_COMPARISON_ROWS_H_
#define NMT_REPORT_COMPARISON_ROWS_H_

#include <optional>
#include <string>
#include <vector>

#include "nmt/report/comparison.h"

namespace nmt {

inline constexpr const char* kAbsent = "–";

struct ComparisonRow {
  std::string name;
  std::vector<std::string> values;  // one a model, raw text
};

// Rows that no model has a value for are left out.
std::vector<ComparisonRow> ComparisonRows(const Comparison& comparison);

// Sentences such as "BLEU: GRU is higher (34.20 against 33.11).", then one that says how far to
// trust them, and a warning where the models were scored by unlike settings. Two models or more.
// Values that print alike count as equal. Raw text.
std::vector<std::string> ComparisonFindings(const Comparison& comparison);

// "34.20"; "21.3 %"; "–" for absent values and NaN.
std::string ScoreText(std::optional<double> score);
std::string PercentText(std::optional<double> share);

}  // namespace nmt

#endif  // NMT_REPORT_COMPARISON_ROWS_H_
