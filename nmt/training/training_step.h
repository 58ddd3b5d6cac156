// One update: forward and backward over its batches, clipping, one step of the optimiser.
//
//   UpdateResult result = TrainingStep(*model, adam, batches, {.learning_rate = 1e-3, .update = 1});
//
// A pure function of weights, moments, batches and options (for one number of threads): dropout and
// what else is drawn is a function of (seed, update, place of the batch in the update). Of several
// workers each has some of the batches; the step is that of one process with all of them.
#ifndef NMT_TRAINING_TRAINING_STEP_H_
#define NMT_TRAINING_TRAINING_STEP_H_

#include <cstdint>
#include <vector>

#include "nmt/distributed/workers.h"
#include "nmt/models/loss.h"
#include "nmt/training/adam.h"

namespace nmt {

// What the links of the training text guide, as training.alignment says.
GuidedAttention Guide(const Options& options);

struct StepOptions {
  double learning_rate = 0;
  double label_smoothing = 0;
  double clip_norm = 0;         // 0: gradients as they are
  double word_dropout = 0;      // share of input tokens that become <unk>
  double r_drop = 0;            // weight of the divergence of two passes; 0: one pass
  double guided_alignment = 0;  // weight of the links of a batch, which guide `guide`; 0: none
  GuidedAttention guide;
  Precision precision = Precision::kFp32;
  uint64_t seed = 0;
  int64_t update = 1;
  bool measure = false;  // also UpdateResult::update_ratio
  Workers* workers =
      nullptr;  // null: this process alone. Its gradients are shared (ShareGradients)
};

// The loss is summed over the target tokens of the update, in nats, with label smoothing and R-Drop; of
// several workers, over those of all.
struct UpdateResult {
  double loss = 0;
  double guided_loss = 0;  // summed over the target pieces with links, before its weight
  int64_t guided_pieces = 0;
  int64_t target_tokens = 0;
  double gradient_norm = 0;  // before clipping
  double update_ratio = 0;   // |change of the weights| / |weights|, if asked for
  bool skipped = false;      // loss or gradient was not finite: the weights are as before
};

// The gradients of the batches add up, divided by all their target tokens. Of several workers, batch i is
// the one at place i x workers + rank of the update; a worker may have none.
UpdateResult TrainingStep(Seq2Seq& model, Adam& adam, const std::vector<Batch>& batches,
                          const StepOptions& options);

// A pair of empty sentences: the smallest batch there is.
Batch EmptyBatch(torch::Device device);

// The batch with each input token, <s>, </s> and padding apart, replaced by <unk> with probability
// `rate` (Bowman et al. 2016, section 3.1, on both sides); what is to be predicted stays.
Batch DropWords(const Batch& batch, double rate, DropoutStream* stream);

}  // namespace nmt

#endif  // NMT_TRAINING_TRAINING_STEP_H_
