// What a validation measures: the loss under teacher forcing, and BLEU of real translations.
#ifndef NMT_TRAINING_VALIDATION_H_
#define NMT_TRAINING_VALIDATION_H_

#include <functional>
#include <string>
#include <vector>

#include "nmt/checkpoint/run_directory.h"
#include "nmt/corpus/parallel_corpus.h"

namespace nmt {

struct ValidationResult {
  double loss = 0;        // nats a target token, </s> included, without label smoothing
  double perplexity = 0;  // exp(loss)
  double accuracy = 0;    // share of target tokens that are the most probable prediction
  double bleu = 0;        // greedy translations, 13a
  double seconds = 0;
  std::vector<std::string> translations;
};

// Evaluation mode: no dropout, no gradient. Pairs with a side too long for the model are cut.
absl::StatusOr<ValidationResult> Validate(const TrainedModel& model, const ParallelCorpus& corpus,
                                          int64_t batch_tokens);

}  // namespace nmt

#endif  // NMT_TRAINING_VALIDATION_H_
