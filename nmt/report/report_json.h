// The parts of report.json, shared by the file and the page, so that both hold the same numbers.
// docs/report.schema.json describes them.
//
//   report["tests"].push_back(ToJson(test));
//   std::string line = DumpJson(ToJson(sentence));
#ifndef NMT_REPORT_REPORT_JSON_H_
#define NMT_REPORT_REPORT_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "nmt/report/comparison.h"

namespace nmt {

using ReportJson = nlohmann::ordered_json;

// JSON has neither NaN nor infinity.
ReportJson NumberOrNull(std::optional<double> value);
ReportJson TextOrNull(const std::string& text);

ReportJson ToJson(const PartResult& part, size_t models);
ReportJson ToJson(const Breakdown& breakdown, size_t models);
ReportJson ToJson(const PairedResult& test);
ReportJson ToJson(const ModelAlignment& alignment);
ReportJson ToJson(const PairAgreement& agreement);
ReportJson ToJson(const ModelCost& cost);
ReportJson ToJson(const SentenceAttention& attention);
// Scores of single sentences are rounded to four decimals. `attention` is left out: it is large.
ReportJson ToJson(const SentenceRecord& sentence, size_t models);

// Mean and deviation of the models that share a group, for groups of two and more.
ReportJson GroupsJson(const Comparison& comparison);

// All but the sentences.
ReportJson SummaryJson(const Comparison& comparison);

// Bytes that are not UTF-8 become U+FFFD, where the library's default would throw. Without `indent` on
// one line.
std::string DumpJson(const ReportJson& json, int indent = -1);

}  // namespace nmt

#endif  // NMT_REPORT_REPORT_JSON_H_
