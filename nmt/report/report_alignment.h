// What the report says of attention and alignments over the whole test set. docs/alignment-measures.md
// has the formulas; soft_measures.h computes them.
//
//   model.alignment.choices = {{.layer = 2, .head = 1}, {.layer = 2, .head = 0}};
//   model.alignment.grids.push_back({.conventions = "shift 0, argmax", .layers = 1, .heads = 2,
//                                    .aer = {0.31, 0.42, 0.25}});
#ifndef NMT_REPORT_REPORT_ALIGNMENT_H_
#define NMT_REPORT_REPORT_ALIGNMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

// Which weights the reader can switch to, counted as `nmt align` counts them.
struct ReportChoice {
  int64_t layer = 1;  // from 1
  int64_t head = 0;   // from 1; 0 is the mean of the layer's heads
  int64_t shift = 0;
  bool value_norms = false;

  bool operator==(const ReportChoice&) const = default;
};

// The alignment error rate of every layer and head under one set of conventions.
struct AerGrid {
  std::string conventions;  // "shift 0, argmax, </s> masked, reference forced"
  int64_t layers = 0, heads = 0;
  // Row by row, layers x (1 + heads); the first column is the mean of the heads. 0 to 1.
  std::vector<std::optional<double>> aer;
};

struct ModelAlignment {
  std::vector<ReportChoice> choices;  // the first, that of alignment_choice, is shown first
  std::vector<AerGrid> grids;
  // Means over the words of the test set, with the model's alignment_choice.
  std::optional<double> gold_mass;           // 0 to 1
  std::optional<double> entropy;             // nats
  std::optional<double> coverage_deviation;  // 0 and up
  std::optional<double> end_mass;            // share of the weight on </s>, 0 to 1
  std::optional<double> punctuation_mass;    // share on words of punctuation alone, 0 to 1
};

// Two models forced through the same references.
struct PairAgreement {
  int64_t model = 0, other = 0;            // indices into Comparison::models
  std::optional<double> link_agreement;    // Dice's coefficient, 0 to 1
  std::optional<double> divergence;        // Jensen-Shannon, 0 to ln 2 nats
  std::optional<double> rank_correlation;  // Spearman's, -1 to 1, mean over target words
};

}  // namespace nmt

#endif  // NMT_REPORT_REPORT_ALIGNMENT_H_
