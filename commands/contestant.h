// One run of a comparison: all that is measured with its model, so that no two models are in memory
// together.
//
//   NMT_ASSIGN_OR_RETURN(Contestant gru, Measure("runs/demo/gru", sets, {.drawn = {0, 7}}));
#ifndef NMT_COMMANDS_CONTESTANT_H_
#define NMT_COMMANDS_CONTESTANT_H_

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

#include "commands/test_set.h"
#include "nmt/alignment/soft_matrix.h"
#include "nmt/config/options.h"
#include "nmt/report/comparison.h"
#include "nmt/report/heatmap.h"

namespace nmt {

// Scores of one of the further test sets.
struct PartScores {
  double bleu = 0, chrf = 0, ter = 0;
  std::optional<double> aer;
};

struct Contestant {
  Options options;
  ModelResult
      result;  // but for its name, and scores and measures over sentences, which the report sums up
  std::vector<PartScores> parts;  // of the further sets

  // Of the first set, an entry a sentence.
  std::vector<std::string> translations;
  std::vector<SoftMatrix> forced_TS;  // words of source and reference, the run's choice of weights
  std::vector<Links> reference_links, translation_links;
  std::vector<std::vector<SentenceAttention>> attention;  // without the index of the model
  int64_t attention_left_out = 0;                         // matrices for which there was no room
  std::vector<std::optional<Heatmap>> pictures;  // of the sentences `drawn`; none: cannot be drawn
};

struct MeasureOptions {
  torch::Device device = torch::kCPU;
  std::vector<size_t> drawn;  // sentences of the first set, from 0
  // What the weights beyond those of a model's first choice may take in memory.
  int64_t most_attention_bytes = 48'000'000;
};

// Translates the sets, looks at the attention of the first one's references and translations, and reads
// what the run's training cost.
absl::StatusOr<Contestant> Measure(const std::string& run, const std::vector<TestSet>& sets,
                                   const MeasureOptions& options);

// Scores and cost of a run that translates the other way, without a name. `exchanged`: the test set with source and
// reference exchanged, and the links in that order.
absl::StatusOr<ModelResult> MeasureOpposite(const std::string& run, const TestSet& exchanged,
                                            torch::Device device);

}  // namespace nmt

#endif  // NMT_COMMANDS_CONTESTANT_H_
