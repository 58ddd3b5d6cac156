// What a validation measures: the loss under teacher forcing, BLEU of real translations, and the attention.
#ifndef NMT_TRAINING_VALIDATION_H_
#define NMT_TRAINING_VALIDATION_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nmt/alignment/selection.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/distributed/workers.h"

namespace nmt {

struct ValidationResult {
  double loss = 0;        // nats a target token, </s> included, without label smoothing
  double perplexity = 0;  // exp(loss)
  double accuracy = 0;    // share of target tokens that are the most probable prediction
  double bleu = 0;        // greedy translations, 13a
  double seconds = 0;
  std::vector<std::string> translations;
};

// Evaluation mode: no dropout, no gradient. Pairs with a side too long for the model are cut. The work is
// shared among the workers; all get the result, which does not depend on their number.
absl::StatusOr<ValidationResult> Validate(const TrainedModel& model, const ParallelCorpus& corpus,
                                          int64_t batch_tokens, Workers& workers);

// How the attention of the first pairs of the validation text looks.
struct AlignmentResult {
  // By argmax, of the layer, head and shift that are best on these pairs; without gold links of the last
  // layer's mean of heads.
  AlignmentChoice choice;
  std::optional<double> aer;  // 0 to 1, where there are gold links
  double entropy = 0;         // nats a target word
};
absl::StatusOr<AlignmentResult> MeasureAlignment(const TrainedModel& model,
                                                 const ParallelCorpus& corpus,
                                                 const std::vector<Links>& gold);

}  // namespace nmt

#endif  // NMT_TRAINING_VALIDATION_H_
