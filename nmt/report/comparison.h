// The comparison of translation models on one test set, and its report as Markdown, JSON and text; as a
// page: report_page.h.
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

#include "nmt/report/report_alignment.h"
#include "nmt/report/report_cost.h"
#include "nmt/report/report_quality.h"
#include "nmt/report/report_sentence.h"

namespace nmt {

struct ModelResult {
  std::string name;          // what the report calls it, e.g. "GRU"
  std::string run;           // its run directory
  std::string architecture;  // "gru"
  std::string attention;     // "additive"
  std::string group;         // equal for runs that differ in the seed
  std::optional<int64_t> seed;
  double bleu = 0;                             // 0 to 100
  double chrf = 0;                             // 0 to 100
  std::optional<double> ter;                   // 0 and up, lower is better
  std::string bleu_signature, chrf_signature;  // as sacreBLEU writes them
  std::string ter_signature;
  std::optional<ScoreInterval> bleu_interval, chrf_interval, ter_interval;
  std::optional<double> aer, aer_precision, aer_recall;  // 0 to 1
  std::string alignment_choice;  // where the links come from: "layer 2, head 1, shift 0, argmax"
  int64_t parameters = 0;
  double training_seconds = 0;
  int64_t training_updates = 0;
  double decode_seconds = 0;
  double decode_tokens_per_second = 0;
  ModelAlignment alignment;
  ModelCost cost;
};

// A sentence of the Markdown report, with its picture.
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
  // Runs that translate the other way: scores on the test set with its sides exchanged, and cost. They are in
  // nothing else, since scores in two languages are not of one kind.
  std::vector<ModelResult> opposite;
  std::vector<PartResult> parts;      // further test sets, or named parts of this one
  std::vector<Breakdown> breakdowns;  // by sentence length, by word frequency
  std::vector<PairedResult> tests;
  std::vector<PairAgreement> agreements;
  std::vector<SampleSentence> samples;    // of the Markdown report
  std::vector<SentenceRecord> sentences;  // of the page: the whole test set
  int64_t attention_left_out = 0;         // matrices, by LimitAttention()
};

// The report for readers: models side by side, which is better on which measure, the parts, the
// samples with their pictures. CommonMark with tables as GitHub renders them.
std::string ComparisonMarkdown(const Comparison& comparison);

// report.json, as docs/report.schema.json describes it.
std::string ComparisonJson(const Comparison& comparison);

// Models side by side for a terminal.
std::string ComparisonTable(const Comparison& comparison);

}  // namespace nmt

#endif  // NMT_REPORT_COMPARISON_H_
