// How a training begins where another process left it.
#include <fmt/format.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "nmt/training/trainer.h"

namespace nmt {

absl::StatusOr<std::filesystem::path> Trainer::FindLastCheckpoint() {
  const auto last = run_.Resolve("last");
  const absl::Status damage = last.ok() ? VerifyCheckpoint(*last) : last.status();
  if (damage.ok()) return *last;
  if (last.ok() && !IsDamage(damage)) return damage;
  log_.Line(fmt::format("the last checkpoint is damaged: {}", std::string(damage.message())));
  for (const std::filesystem::path& other : ListCheckpoints(run_)) {
    const absl::Status verified = VerifyCheckpoint(other);
    if (verified.ok()) return other;
    if (!IsDamage(verified)) return verified;
  }
  return DataError(fmt::format("{}; no whole checkpoint is left in {}",
                               std::string(damage.message()), run_.checkpoints().string()));
}

// Another number of workers is welcome; another number of batches in an update is another training, unless
// it is just what the other number of workers brings.
absl::Status Trainer::CheckSameUpdates() const {
  const int64_t accumulate = trained_.options.training.accumulate;
  const int64_t saved = state_.accumulate > 0 ? state_.accumulate : accumulate;
  const int64_t before = state_.workers * saved, now = workers_.size() * accumulate;
  if (accumulate != saved && before != now) {
    return UsageError(fmt::format(
        "{}: --resume needs the options of the run: training.accumulate: {} here, {} in the run; "
        "with {} workers an update would see {} batches, in the run {}",
        run_.root().string(), accumulate, saved, workers_.size(), now, before));
  }
  if (workers_.size() != state_.workers) {
    log_.Line(fmt::format(
        "the run of {} worker{} goes on with {}: an update {} {} batches", state_.workers,
        state_.workers == 1 ? "" : "s", workers_.size(), before == now ? "still sees" : "now sees",
        before == now ? fmt::format("{}", now) : fmt::format("{} instead of {}", now, before)));
  }
  return absl::OkStatus();
}

absl::Status Trainer::Resume() {
  if (!workers_.is_first()) return absl::OkStatus();
  NMT_ASSIGN_OR_RETURN(const auto checkpoint, FindLastCheckpoint());
  NMT_RETURN_IF_ERROR(LoadWeights(checkpoint, *trained_.model, trained_.tokenizers.checksum));
  NMT_ASSIGN_OR_RETURN(state_, LoadTrainingState(checkpoint));
  const auto moments = checkpoint / "optimizer.safetensors";
  NMT_ASSIGN_OR_RETURN(TensorFile file, ReadSafetensors(moments));
  NMT_RETURN_IF_ERROR(moving_average_.Load(&file, moments.string()));
  NMT_RETURN_IF_ERROR(adam_.Load(file, moments.string()));
  NMT_RETURN_IF_ERROR(CheckSameUpdates());
  if (state_.training_text != corpora_.train.checksum()) {
    return UsageError(fmt::format(
        "{}: --resume needs the training text of the run, but data.train has changed since",
        run_.root().string()));
  }
  NMT_RETURN_IF_ERROR(run_.Point("last", checkpoint.filename().string()));
  NMT_RETURN_IF_ERROR(RemoveCheckpointsAfter(run_, state_.update));  // they will be made again
  NMT_RETURN_IF_ERROR(PointAtBest());
  log_.Line(fmt::format("resuming after update {} ({})", state_.update, checkpoint.string()));
  return absl::OkStatus();
}

// Where a kill between saving and pointing, or a checkpoint that is gone, left `best` wrong.
absl::Status Trainer::PointAtBest() {
  const auto best = run_.Resolve("best");
  if (best.ok() && VerifyCheckpoint(*best).ok()) {
    NMT_ASSIGN_OR_RETURN(const TrainingState state, LoadTrainingState(*best));
    const bool is_mean = best->filename() == RunDirectory::AverageName(state.update);
    if (is_mean && state.best_score >= state_.best_score) {
      state_.best_score = state.best_score;
      return absl::OkStatus();
    }
  }
  const std::string name = RunDirectory::CheckpointName(state_.best_update);
  if (VerifyCheckpoint(run_.checkpoints() / name).ok()) return run_.Point("best", name);
  if (state_.best_update == 0 || (best.ok() && VerifyCheckpoint(*best).ok()))
    return absl::OkStatus();
  std::string found = RunDirectory::CheckpointName(state_.update);
  double highest = -1;
  for (const std::filesystem::path& path : ListCheckpoints(run_)) {
    const auto state = LoadTrainingState(path);
    if (!state.ok() || state->score <= highest || !VerifyCheckpoint(path).ok()) continue;
    highest = state->score;
    found = path.filename().string();
  }
  log_.Line(
      fmt::format("the best checkpoint ({}) is gone or damaged; {} takes its place", name, found));
  return run_.Point("best", found);
}

// All workers begin with worker 0's weights, moments and place in the training.
absl::Status Trainer::BeginTogether() {
  const std::string state = workers_.FromFirst(PrintTrainingState(state_));
  if (!workers_.is_first()) {
    NMT_ASSIGN_OR_RETURN(state_, ParseTrainingState(state, "the state of worker 0"));
  }
  TensorFile all = adam_.State();
  moving_average_.AddState(&all);
  std::vector<torch::Tensor> tensors = trained_.model->parameters();
  for (const auto& [name, tensor] : all.tensors) tensors.push_back(tensor);
  workers_.CopyFromFirst(tensors);
  workers_.ShareGradients(adam_.parameters(), trained_.options.training.gradient_compression, [&] {
    return BatchLoss(*trained_.model, EmptyBatch(trained_.model->device()), {}).loss;
  });
  state_.workers = workers_.size();
  state_.accumulate = trained_.options.training.accumulate;
  seconds_before_ = window_seconds_ = state_.seconds;
  window_tokens_before_ = state_.window_tokens;
  return absl::OkStatus();
}

}  // namespace nmt
