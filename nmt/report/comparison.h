// The comparison of translation models on one test set, and its report as Markdown, JSON and text.
//
//   Comparison comparison{.title = "GRU and transformer", .models = {gru, transformer}};
//   NMT_RETURN_IF_ERROR(WriteFileAtomically(dir / "report.md", ComparisonMarkdown(comparison)));
//   std::fputs(ComparisonTable(comparison).c_str(), stdout);
//
// Absent values and NaN are null in JSON and "–" elsewhere. Text from outside may hold any bytes.
#ifndef NMT_REPORT_COMPARISON_H_
#define NMT_REPORT_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

struct ModelResult {
  std::string name;                                      // what the report calls it, e.g. "GRU"
  std::string run;                                       // its run directory
  std::string architecture;                              // "gru"
  std::string attention;                                 // "additive"
  double bleu = 0;                                       // 0 to 100
  double chrf = 0;                                       // 0 to 100
  std::string bleu_signature, chrf_signature;            // as sacreBLEU writes them
  std::optional<double> aer, aer_precision, aer_recall;  // 0 to 1
  std::string alignment_choice;  // where the links come from: "layer 2, head 1, shift 0, argmax"
  int64_t parameters = 0;
  double training_seconds = 0;
  int64_t training_updates = 0;
  double decode_seconds = 0;
  double decode_tokens_per_second = 0;
};

// Scores of a part of the test set, e.g. "unseen combinations" or "1 to 10 words". One entry a
// model, in the order of Comparison::models; missing entries are shown as absent.
struct PartResult {
  std::string part;
  int64_t sentences = 0;
  std::vector<double> bleu, chrf;
  std::vector<std::optional<double>> aer;
};

struct SampleSentence {
  int64_t line = 0;  // in the source file, from 1
  std::string source, reference;
  std::vector<std::string> translations;  // one a model
  std::string heatmap_png, heatmap_svg;   // relative to the report; empty: none
};

struct Comparison {
  std::string title;
  std::string source_file, reference_file;
  std::vector<ModelResult> models;
  std::vector<PartResult> parts;
  std::vector<SampleSentence> samples;
};

// The report for readers: models side by side, which is better on which measure, the parts, the
// samples with their pictures. CommonMark with tables as GitHub renders them.
std::string ComparisonMarkdown(const Comparison& comparison);

// report.json: `models`, `comparison` (differences from the first model), `parts`, `samples`.
std::string ComparisonJson(const Comparison& comparison);

// Models side by side for a terminal.
std::string ComparisonTable(const Comparison& comparison);

}  // namespace nmt

#endif  // NMT_REPORT_COMPARISON_H_
