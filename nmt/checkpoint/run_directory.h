// The folder that a training run leaves and that every other command reads.
//
//   config.yaml                          every option, resolved
//   shared.spm | source.spm target.spm
//   checkpoints/update-00001000/         model.safetensors, optimizer.safetensors, state.json,
//                                        manifest.json: sizes and checksums of the three
//   checkpoints/average-00001000/        the same, weights averaged over several checkpoints
//   checkpoints/last, checkpoints/best   text files that name one of these folders
//   metrics.jsonl  tensorboard/  train.log  translations/  alignment.json
//   finished.json                        how training ended; absent while it can go on
//
//   NMT_ASSIGN_OR_RETURN(TrainedModel trained, LoadTrainedModel("runs/demo/gru", "best", device));
//
// It can be moved and copied. A checkpoint is complete or absent: it is written under a temporary
// name and renamed.
#ifndef NMT_CHECKPOINT_RUN_DIRECTORY_H_
#define NMT_CHECKPOINT_RUN_DIRECTORY_H_

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "nmt/base/status.h"
#include "nmt/checkpoint/safetensors.h"
#include "nmt/config/options.h"
#include "nmt/models/seq2seq.h"
#include "nmt/text/tokenizer.h"

namespace nmt {

class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path config() const { return root_ / "config.yaml"; }
  std::filesystem::path tokenizer(bool shared, bool source) const;
  std::filesystem::path checkpoints() const { return root_ / "checkpoints"; }
  std::filesystem::path metrics() const { return root_ / "metrics.jsonl"; }
  std::filesystem::path tensorboard() const { return root_ / "tensorboard"; }
  std::filesystem::path log() const { return root_ / "train.log"; }
  std::filesystem::path translations() const { return root_ / "translations"; }
  std::filesystem::path alignment() const { return root_ / "alignment.json"; }
  std::filesystem::path finish() const { return root_ / "finished.json"; }

  // Whether a run was begun here.
  bool Exists() const { return std::filesystem::exists(config()); }

  // Everything that a run writes, there or not.
  std::vector<std::filesystem::path> OwnPaths() const;
  // Whether all of that is plain files and folders: a link would lead out of the run, a pipe be read for ever. The
  // run directory itself may be a link.
  absl::Status CheckPlain() const;
  // Removes what a run writes, and nothing else.
  absl::Status RemoveOwnFiles() const;

  // "last" or "best" to the checkpoint's folder. Errors name the pointer file.
  absl::StatusOr<std::filesystem::path> Resolve(std::string_view pointer) const;
  // As Resolve, but where there is no best yet, "best" is the last.
  absl::StatusOr<std::filesystem::path> ResolveWeights(std::string_view pointer) const;
  absl::Status Point(std::string_view pointer, const std::string& checkpoint) const;

  // "update-00001000", and "average-00001000" for weights averaged at that update.
  static std::string CheckpointName(int64_t update);
  static std::string AverageName(int64_t update);

 private:
  std::filesystem::path root_;
};

// Where a training run stands; with the weights and the optimiser's moments it is all that a resume needs, since
// data order, dropout and the schedule are functions of it.
struct TrainingState {
  int64_t update = 0;
  int64_t epoch = 0, block = 0, batch = 0;  // of the next batch, see BatchPosition
  double score = -1;                        // validation BLEU of this checkpoint; -1: none
  double best_score = 0;  // of the best checkpoint; of equal ones the smaller loss is better
  double best_loss = 0;
  int64_t best_update = 0;  // 0: none yet
  int64_t bad_validations = 0;
  double learning_rate_scale = 1;  // plateau schedule
  double seconds = 0;              // of training so far, validation included
  int64_t training_text = 0;       // checksum of the training pairs
  int64_t skipped_in_a_row = 0;    // updates without a finite loss
  double window_loss = 0;          // summed since the last record in metrics.jsonl
  int64_t window_tokens = 0;
  double window_guided_loss = 0;  // likewise, of guided alignment
  int64_t window_guided_pieces = 0;
  int64_t workers = 1;  // processes that trained together
  int64_t accumulate =
      1;  // batches of each in an update; 0: of an older version, as the config says
};

// How a training that reached one of its limits ended.
struct TrainingFinish {
  int64_t update = 0;
  double seconds = 0;
  std::string reason;  // "training.max_updates"
};
absl::Status SaveFinish(const RunDirectory& run, const TrainingFinish& finish);
// Before a training goes on: it is not finished any more.
absl::Status RemoveFinish(const RunDirectory& run);
// nullopt: it has not ended, or its file is damaged.
std::optional<TrainingFinish> LoadFinish(const RunDirectory& run);

// Writes model, moments and state as the checkpoint `name`, complete or not at all. Weights that are
// not finite are refused.
absl::Status SaveCheckpoint(const RunDirectory& run, const std::string& name, const Seq2Seq& model,
                            const TensorFile& optimizer, const TrainingState& state,
                            const std::string& vocabulary_checksum);

// Gives the model the weights of a checkpoint folder. Strict: the manifest's checksum, names, shapes
// and vocabulary must agree.
absl::Status LoadWeights(const std::filesystem::path& checkpoint, Seq2Seq& model,
                         const std::string& vocabulary_checksum);
absl::StatusOr<TrainingState> LoadTrainingState(const std::filesystem::path& checkpoint);

// A state as the text of state.json, and back; `place` is for the error.
std::string PrintTrainingState(const TrainingState& state);
absl::StatusOr<TrainingState> ParseTrainingState(const std::string& text, const std::string& place);

// Whether a checkpoint is as it was saved: all files are there with the sizes and checksums of the
// manifest. An error names the file, what was found and what was expected; IsDamage tells one of the
// checkpoint from one of the machine (a disk that cannot be read now may be read later).
absl::Status VerifyCheckpoint(const std::filesystem::path& checkpoint);
bool IsDamage(const absl::Status& verified);

// The checkpoints "update-...", newest first. With `every` only those of a multiple of it, that is of
// a regular validation and not of an interruption.
std::vector<std::filesystem::path> ListCheckpoints(const RunDirectory& run, int64_t every = 1);

// Removes "update-..." and "average-..." of later updates than `update`.
absl::Status RemoveCheckpointsAfter(const RunDirectory& run, int64_t update);

// What RemoveOldCheckpoints leaves, besides the checkpoints that `last` and `best` name.
struct KeepOptions {
  int64_t last = 1;   // newest ones of regular validations
  int64_t best = 1;   // ones of the best validation scores
  int64_t every = 1;  // updates between two validations
};
// Also removes what interrupted saves left.
absl::Status RemoveOldCheckpoints(const RunDirectory& run, const KeepOptions& keep);

// The subword models of a run.
struct Tokenizers {
  Tokenizer source;
  Tokenizer target;
  std::string
      checksum;  // of both files; a checkpoint keeps it, so that a swapped vocabulary is found
  std::string target_checksum;  // of the target's: models with the same can form an ensemble
};
absl::StatusOr<Tokenizers> LoadTokenizers(const RunDirectory& run, const TokenizerOptions& options);

// A config may name any size: a data error where the model would be twice as large as its file of weights, before
// it is made.
absl::Status CheckModelFits(const ModelOptions& options, const VocabularySizes& sizes,
                            const std::filesystem::path& weights);

// Everything that translating needs.
struct TrainedModel {
  std::filesystem::path path;
  Options options;
  Tokenizers tokenizers;
  std::shared_ptr<Seq2Seq> model;
  std::filesystem::path checkpoint;
  TrainingState state;

  // Pieces of a source with </s>, beyond which lines are cut.
  int64_t longest_source() const {
    return std::min(options.translation.max_source_length, model->max_length());
  }
};
// `pointer`: "best" or "last"; best falls back to last while there is no best.
absl::StatusOr<TrainedModel> LoadTrainedModel(const std::filesystem::path& run,
                                              std::string_view pointer, torch::Device device);

// "auto", "cpu", "cuda", "cuda:1" to a device; a UsageError where the machine has no such device.
absl::StatusOr<torch::Device> ChooseDevice(const std::string& name);

}  // namespace nmt

#endif  // NMT_CHECKPOINT_RUN_DIRECTORY_H_
