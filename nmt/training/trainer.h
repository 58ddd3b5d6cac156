// The training loop: NextBatches, TrainingStep, validate, save, until a limit of the config is
// reached.
//
//   Trainer trainer(std::move(model), corpora, log, stop, workers);
//   NMT_RETURN_IF_ERROR(trainer.Resume());     // or begin anew
//   NMT_ASSIGN_OR_RETURN(TrainingSummary summary, trainer.Run());
//
// Data order, subword sampling and dropout are functions of the seed and the place in the training;
// moments, weights and TrainingState are in each checkpoint. So a run that is stopped at any update and
// resumed gives the weights of the run that was not (`nmt train --verify-resume`).
//
// Of several workers (nmt/distributed/workers.h) each runs the same loop over its part of each update's
// batches; worker 0 alone reads and writes the run directory and the log.
#ifndef NMT_TRAINING_TRAINER_H_
#define NMT_TRAINING_TRAINER_H_

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/corpus/batch_stream.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/corpus/training_text.h"
#include "nmt/distributed/workers.h"
#include "nmt/training/adam.h"
#include "nmt/training/metrics_log.h"
#include "nmt/training/moving_average.h"
#include "nmt/training/training_step.h"
#include "nmt/training/validation.h"

namespace nmt {

struct TrainingCorpora {
  TrainingText train;
  ParallelCorpus valid;
  std::vector<Links> valid_gold;  // of its pairs, or none
};

struct TrainingSummary {
  TrainingState state;
  bool interrupted = false;
  std::string reason;  // why it ended
};

class Trainer {
 public:
  // `model` holds the options, tokenizers and the network to train. `stop` set: finish the update,
  // save, return; of several workers any may be told. `workers` null: this process alone.
  Trainer(TrainedModel model, const TrainingCorpora& corpora, Log& log,
          const std::atomic<bool>& stop, Workers* workers = nullptr);

  // Goes on from the run's last checkpoint, or where that is damaged from the newest one that is not:
  // weights, moments, place in the data. Checkpoints after it, and `best` where that is wrong, are set
  // right. Workers other than the first get all of it from there in Run().
  absl::Status Resume();

  // `pause_after`: ends after this update as a signal would.
  absl::StatusOr<TrainingSummary> Run(int64_t pause_after = std::numeric_limits<int64_t>::max());

 private:
  // Checkpoints of a multiple of this count for keep and average: those of validations.
  int64_t regular() const { return trained_.options.training.validate_every; }
  absl::Status CheckSameUpdates() const;
  absl::Status BeginTogether();
  absl::Status OpenBatches();
  absl::StatusOr<std::vector<Batch>> NextBatches();
  absl::StatusOr<std::filesystem::path> FindLastCheckpoint();
  absl::Status PointAtBest();
  absl::Status CheckFinite(const UpdateResult& result);
  absl::Status RecordUpdate(const UpdateResult& result, double learning_rate);
  absl::Status Record(const nlohmann::json& record);
  absl::Status ValidateAndRecord();
  absl::StatusOr<nlohmann::json> WatchAlignment();
  bool IsBetter(const ValidationResult& result) const;  // than the best so far
  absl::Status SaveWhereItStands();
  absl::Status AverageLastCheckpoints();
  absl::StatusOr<int64_t> LoadMeanOfLastCheckpoints();
  // What each worker decides for itself by its clock and its signals becomes one decision of all.
  void Agree(int64_t pause_after);
  // The limit that is reached, if one is.
  std::optional<std::string> ReasonToEnd() const;
  double Seconds() const;
  void ShowProgress();

  TrainedModel trained_;
  const TrainingCorpora& corpora_;
  Log& log_;
  const std::atomic<bool>& stop_;
  Workers alone_;
  Workers& workers_;
  RunDirectory run_;
  Adam adam_;
  MovingAverage moving_average_;
  TrainingState state_;
  std::optional<MetricsLog> metrics_;
  std::unique_ptr<BatchStream> batches_;
  ProgressBar progress_;
  std::chrono::steady_clock::time_point started_;
  double seconds_before_ = 0;
  bool is_stopped_ = false;    // agreed
  double agreed_seconds_ = 0;  // of the training, by worker 0's clock
  double window_seconds_ =
      0;  // when the running log window began, or this process in the middle of it
  int64_t window_tokens_before_ = 0;  // tokens of the window before this process
  std::string note_, last_validation_;
};

}  // namespace nmt

#endif  // NMT_TRAINING_TRAINER_H_
