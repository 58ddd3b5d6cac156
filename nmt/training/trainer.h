// The training loop: NextBatches, TrainingStep, validate, save, until a limit of the config is
// reached.
//
//   Trainer trainer(std::move(model), corpora, log, stop);
//   NMT_RETURN_IF_ERROR(trainer.Resume());     // or begin anew
//   NMT_ASSIGN_OR_RETURN(TrainingSummary summary, trainer.Run());
//
// Data order and dropout are functions of (seed, update); moments, weights and TrainingState are in
// each checkpoint. So a run that is stopped at any update and resumed gives the weights of the run
// that was not.
#ifndef NMT_TRAINING_TRAINER_H_
#define NMT_TRAINING_TRAINER_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/corpus/batches.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/training/adam.h"
#include "nmt/training/validation.h"

namespace nmt {

struct TrainingCorpora {
  ParallelCorpus train;
  ParallelCorpus valid;
};

// What one update did; the loss is summed over its target tokens, in nats, with label smoothing.
struct UpdateResult {
  double loss = 0;
  int64_t target_tokens = 0;
  double gradient_norm = 0;
  bool skipped = false;  // loss or gradient was not finite: the weights are as before
};

struct StepOptions {
  double learning_rate = 0;
  double label_smoothing = 0;
  double clip_norm = 0;  // 0: gradients as they are
  Precision precision = Precision::kFp32;
  uint64_t seed = 0;  // dropout is a function of (seed, update)
  int64_t update = 1;
};

// Forward and backward over the batches of one update (their gradients add up, divided by all their
// target tokens), clipping, and one step of Adam.
UpdateResult TrainingStep(Seq2Seq& model, Adam& adam, const std::vector<Batch>& batches,
                          const StepOptions& options);

struct TrainingSummary {
  TrainingState state;
  bool interrupted = false;
  std::string reason;  // why it ended
};

class Trainer {
 public:
  // `model` holds the options, tokenizers and the network to train. `stop` set: finish the update,
  // save, return.
  Trainer(TrainedModel model, const TrainingCorpora& corpora, Log& log,
          const std::atomic<bool>& stop);

  // Goes on from the run's last checkpoint: weights, moments, place in the data, records of
  // metrics.jsonl up to it.
  absl::Status Resume();

  absl::StatusOr<TrainingSummary> Run();

 private:
  // Checkpoints of a multiple of this count for keep and average: those of validations.
  int64_t regular() const { return trained_.options.training.validate_every; }
  absl::Status OpenBatches();
  std::vector<Batch> NextBatches();
  absl::Status RecordUpdate(const UpdateResult& result, double learning_rate);
  absl::Status ValidateAndRecord();
  absl::Status SaveWhereItStands();
  absl::Status AverageLastCheckpoints();
  // The limit that is reached, if one is.
  std::optional<std::string> ReasonToEnd() const;
  double Seconds() const;
  absl::Status Append(const std::string& json_line);
  void ShowProgress();

  TrainedModel trained_;
  const TrainingCorpora& corpora_;
  Log& log_;
  const std::atomic<bool>& stop_;
  RunDirectory run_;
  Adam adam_;
  TrainingState state_;
  std::unique_ptr<BatchStream> batches_;
  ProgressBar progress_;
  std::chrono::steady_clock::time_point started_;
  double seconds_before_ = 0;
  double window_seconds_ = 0;  // when the running log window began
  int64_t skipped_in_a_row_ = 0;
  std::string note_;
};

}  // namespace nmt

#endif  // NMT_TRAINING_TRAINER_H_
