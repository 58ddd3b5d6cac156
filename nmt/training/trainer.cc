#include "nmt/training/trainer.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/base/memory.h"
#include "nmt/metrics/bleu.h"
#include "nmt/training/average.h"
#include "nmt/training/schedule.h"

namespace nmt {
namespace {

using nlohmann::json;

constexpr int64_t kSkippedUpdatesToStop = 3;
constexpr double kSmallestPlateauScale = 1.0 / 64;
constexpr int64_t kProgressSteps = 1000;

// "7.14"; of a model that learnt nothing, "8.1e+31".
std::string Shown(double perplexity) {
  return perplexity < 1e6 ? fmt::format("{:.2f}", perplexity) : fmt::format("{:.3g}", perplexity);
}

json ValidationRecord(const ValidationResult& result) {
  return {{"loss", result.loss},
          {"perplexity", result.perplexity},
          {"accuracy", result.accuracy},
          {"bleu", result.bleu},
          {"seconds", result.seconds}};
}

}  // namespace

Trainer::Trainer(TrainedModel model, const TrainingCorpora& corpora, Log& log,
                 const std::atomic<bool>& stop, Workers* workers)
    : trained_(std::move(model)),
      corpora_(corpora),
      log_(log),
      stop_(stop),
      workers_(workers != nullptr ? *workers : alone_),
      run_(trained_.path),
      adam_(*trained_.model, trained_.options.training),
      moving_average_(*trained_.model, trained_.options.training.ema_decay),
      progress_("training", kProgressSteps),
      started_(std::chrono::steady_clock::now()) {
  state_.training_text = corpora.train.checksum();
}

double Trainer::Seconds() const {
  return seconds_before_ +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

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

absl::Status Trainer::OpenBatches() {
  const Options& options = trained_.options;
  const int64_t longest = std::min(options.data.max_length, trained_.model->max_length() - 1);
  const BatchOptions batch_options{.batch_tokens = options.training.batch_tokens,
                                   .max_length = longest,
                                   .shuffle_buffer = options.data.shuffle_buffer,
                                   .sampling = options.tokenizer.sampling,
                                   .links = options.training.alignment.weight > 0,
                                   .worker = workers_.rank(),
                                   .workers = workers_.size(),
                                   .seed = static_cast<uint64_t>(options.seed)};
  NMT_ASSIGN_OR_RETURN(batches_, BatchStream::Open(corpora_.train, trained_.tokenizers.source,
                                                   trained_.tokenizers.target, batch_options,
                                                   {state_.epoch, state_.block, state_.batch}));
  log_.Line(fmt::format("{} training pairs, {} validation pairs",
                        WithThousands(corpora_.train.pairs()),
                        WithThousands(static_cast<int64_t>(corpora_.valid.source.size()))));
  if (const BleuTokenizer tokenizer = OptionsFor(corpora_.valid.target).tokenizer;
      tokenizer != BleuTokenizer::k13a) {
    log_.Line(fmt::format(
        "validation BLEU cuts words by the tokenizer {}: the references have no blanks between "
        "words",
        TokenizerName(tokenizer)));
  }
  const PairCounts& counts = batches_->first_counts();
  const std::string left_out =
      counts.read < corpora_.train.pairs()
          ? fmt::format("left out of {} pairs read so far: ", WithThousands(counts.read))
          : "left out: ";
  if (counts.too_long > 0) {
    log_.Line(fmt::format("{}{} pairs with a side of more than {} pieces (data.max_length)",
                          left_out, WithThousands(counts.too_long), longest));
  }
  if (counts.empty > 0) {
    log_.Line(fmt::format("{}{} pairs with an empty side", left_out, WithThousands(counts.empty)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Batch>> Trainer::NextBatches() {
  std::vector<Batch> window;
  // The end of an epoch closes the window, so that its last batches are learnt from in this epoch.
  for (int64_t i = 0; i < trained_.options.training.accumulate * workers_.size(); ++i) {
    NMT_ASSIGN_OR_RETURN(const ExampleBatch examples, batches_->Next());
    std::vector<Ids> sources, targets;
    std::vector<std::vector<PieceLink>> links;
    for (const Example& example : examples.examples) {
      sources.push_back(example.source);
      targets.push_back(example.target);
      links.emplace_back();
      for (const Link& link : example.links) links.back().push_back({link.source, link.target});
    }
    Batch batch = MakeBatch(sources, targets);
    batch.links_BTS = MakeLinks(batch, links);
    if (examples.is_own) window.push_back(batch.To(trained_.model->device()));
    state_.epoch = examples.next.epoch;
    state_.block = examples.next.block;
    state_.batch = examples.next.batch;
    if (examples.last_in_epoch()) break;
  }
  return window;
}

// A run that gives no finite loss ends, with what it had saved.
absl::Status Trainer::CheckFinite(const UpdateResult& result) {
  if (!result.skipped) {
    state_.skipped_in_a_row = 0;
    return absl::OkStatus();
  }
  progress_.Clear();
  log_.Line(fmt::format("update {}: loss {} and gradient norm {}: skipped", state_.update,
                        result.loss, result.gradient_norm));
  if (++state_.skipped_in_a_row < kSkippedUpdatesToStop) return absl::OkStatus();
  const auto last = run_.Resolve("last");
  return DataError(
      fmt::format("{} updates in a row gave no finite loss; {}; "
                  "try a lower training.learning_rate or training.clip_norm",
                  state_.skipped_in_a_row,
                  last.ok() ? "the last good checkpoint is " + last->string()
                            : "there is no good checkpoint yet"));
}

absl::Status Trainer::RecordUpdate(const UpdateResult& result, double learning_rate) {
  if (!result.skipped) {
    state_.window_loss += result.loss;
    state_.window_tokens += result.target_tokens;
    state_.window_guided_loss += result.guided_loss;
    state_.window_guided_pieces += result.guided_pieces;
  }
  if (state_.update % trained_.options.training.log_every != 0) return absl::OkStatus();
  const double seconds = Seconds();
  // NaN, printed as null, when every update of the window was skipped.
  const double loss = state_.window_loss / static_cast<double>(state_.window_tokens);
  const double speed = static_cast<double>(state_.window_tokens - window_tokens_before_) /
                       std::max(1e-9, seconds - window_seconds_);
  note_ = fmt::format("loss {:.3f}, {} tokens/s", loss, WithThousands(std::llround(speed)));
  progress_.Clear();
  log_.Line(fmt::format("update {}, epoch {}, {}, learning rate {:.3g}, gradient norm {:.2f}",
                        WithThousands(state_.update), state_.epoch + 1, note_, learning_rate,
                        result.gradient_norm));
  json record = {{"update", state_.update},
                 {"epoch", state_.epoch},
                 {"loss", loss},
                 {"learning_rate", learning_rate},
                 {"gradient_norm", result.gradient_norm},
                 {"update_ratio", result.update_ratio},
                 {"target_tokens", state_.window_tokens},
                 {"tokens_per_second", speed},
                 {"seconds", seconds}};
  if (state_.window_guided_pieces > 0) {
    record["alignment_loss"] =
        state_.window_guided_loss / static_cast<double>(state_.window_guided_pieces);
  }
  if (const std::optional<int64_t> peak = PeakMemory()) record["peak_memory"] = *peak;
  state_.window_loss = state_.window_guided_loss = 0;
  state_.window_tokens = window_tokens_before_ = state_.window_guided_pieces = 0;
  window_seconds_ = seconds;
  return Record(record);
}

absl::Status Trainer::Record(const json& record) {
  return workers_.is_first() ? metrics_->Append(record) : absl::OkStatus();
}

absl::Status Trainer::SaveWhereItStands() {
  if (!workers_.is_first()) return absl::OkStatus();
  state_.seconds = Seconds();
  const std::string name = RunDirectory::CheckpointName(state_.update);
  moving_average_.Swap();
  TensorFile optimizer = adam_.State();
  moving_average_.AddState(&optimizer);
  const absl::Status saved =
      SaveCheckpoint(run_, name, *trained_.model, optimizer, state_, trained_.tokenizers.checksum);
  moving_average_.Swap();
  NMT_RETURN_IF_ERROR(saved);
  NMT_RETURN_IF_ERROR(run_.Point("last", name));
  if (state_.best_update == state_.update) NMT_RETURN_IF_ERROR(run_.Point("best", name));
  const TrainingOptions& training = trained_.options.training;
  return RemoveOldCheckpoints(run_, {.last = std::max(training.keep_last, training.average),
                                     .best = training.keep_best,
                                     .every = regular()});
}

// Early in a run BLEU is 0 more than once.
bool Trainer::IsBetter(const ValidationResult& result) const {
  if (result.bleu != state_.best_score) return result.bleu > state_.best_score;
  return result.loss < state_.best_loss;
}

absl::StatusOr<json> Trainer::WatchAlignment() {
  if (!workers_.is_first()) return json();  // only worker 0 records it
  moving_average_.Swap();
  auto measured = MeasureAlignment(trained_, corpora_.valid, corpora_.valid_gold);
  moving_average_.Swap();
  NMT_ASSIGN_OR_RETURN(const AlignmentResult result, std::move(measured));
  json record = {{"entropy", result.entropy}, {"attention", result.choice.ToString()}};
  if (result.aer) record["aer"] = *result.aer;
  return record;
}

absl::Status Trainer::ValidateAndRecord() {
  progress_.Clear();
  const double begin = Seconds();
  moving_average_.Swap();
  auto validated =
      Validate(trained_, corpora_.valid, trained_.options.training.batch_tokens, workers_);
  moving_average_.Swap();
  NMT_ASSIGN_OR_RETURN(const ValidationResult result, std::move(validated));
  const bool finite = std::isfinite(result.loss);
  state_.score = finite ? result.bleu : -1;
  last_validation_ = fmt::format(", BLEU {:.2f}", result.bleu);
  const bool better = finite && (state_.best_update == 0 || IsBetter(result));
  if (better) {
    state_.best_score = result.bleu;
    state_.best_loss = result.loss;
    state_.best_update = state_.update;
    state_.bad_validations = 0;
  } else {
    ++state_.bad_validations;
  }
  const TrainingOptions& training = trained_.options.training;
  if (training.schedule == Schedule::kPlateau && state_.bad_validations >= training.patience) {
    state_.learning_rate_scale /= 2;
    state_.bad_validations = 0;
  }
  log_.Line(fmt::format(
      "validation at update {}: loss {:.4f}, perplexity {}, accuracy {:.1f} %, BLEU {:.2f}{}",
      WithThousands(state_.update), result.loss, Shown(result.perplexity), 100 * result.accuracy,
      result.bleu,
      better ? " (best)"
             : fmt::format(" (best {:.2f} at {})", state_.best_score, state_.best_update)));
  NMT_ASSIGN_OR_RETURN(const json alignment, WatchAlignment());
  const json record = {{"update", state_.update},
                       {"validation", ValidationRecord(result)},
                       {"alignment", alignment},
                       {"seconds", Seconds()}};
  NMT_RETURN_IF_ERROR(Record(record));
  std::string text;
  for (const std::string& line : result.translations) text += line + "\n";
  if (workers_.is_first()) {
    NMT_RETURN_IF_ERROR(WriteFileAtomically(
        run_.translations() / fmt::format("valid-{:08d}.txt", state_.update), text));
  }
  window_seconds_ += Seconds() - begin;  // tokens/s is that of training
  return absl::OkStatus();
}

std::optional<std::string> Trainer::ReasonToEnd() const {
  const TrainingOptions& training = trained_.options.training;
  if (state_.update >= training.max_updates)
    return fmt::format("max_updates {} reached", training.max_updates);
  if (training.max_epochs > 0 && state_.epoch >= training.max_epochs) {
    return fmt::format("max_epochs {} reached", training.max_epochs);
  }
  if (training.max_minutes > 0 && agreed_seconds_ >= 60 * training.max_minutes) {
    return fmt::format("max_minutes {} reached", training.max_minutes);
  }
  if (training.schedule == Schedule::kPlateau) {
    if (state_.learning_rate_scale < kSmallestPlateauScale)
      return "the learning rate fell to nothing (plateau)";
  } else if (training.patience > 0 && state_.bad_validations >= training.patience) {
    return fmt::format("{} validations without a better score (patience)", state_.bad_validations);
  }
  return std::nullopt;
}

void Trainer::ShowProgress() {
  if (!workers_.is_first()) return;
  const TrainingOptions& training = trained_.options.training;
  double share = static_cast<double>(state_.update) / static_cast<double>(training.max_updates);
  if (training.max_minutes > 0) share = std::max(share, Seconds() / 60 / training.max_minutes);
  if (training.max_epochs > 0) {
    share = std::max(share,
                     static_cast<double>(state_.epoch) / static_cast<double>(training.max_epochs));
  }
  const std::string best =
      state_.best_update > 0 ? fmt::format(", best {:.2f}", state_.best_score) : "";
  progress_.Update(static_cast<int64_t>(share * kProgressSteps),
                   fmt::format("update {}, {}{}{}", state_.update, note_, last_validation_, best));
}

// Gives the model the mean, and the number of checkpoints that are in it; 0: there is none to make.
absl::StatusOr<int64_t> Trainer::LoadMeanOfLastCheckpoints() {
  NMT_ASSIGN_OR_RETURN(const bool averaged, metrics_->Holds(state_.update, "averaged_checkpoints"));
  if (averaged) return 0;
  // The last update's checkpoint, and those of the validations before it: not one that only an
  // interruption made, so that the mean is that of the run without it.
  std::vector<std::filesystem::path> checkpoints = ListCheckpoints(run_, regular());
  const std::filesystem::path last =
      run_.checkpoints() / RunDirectory::CheckpointName(state_.update);
  if (checkpoints.empty() || checkpoints[0] != last) checkpoints.insert(checkpoints.begin(), last);
  const size_t count =
      std::min(checkpoints.size(), static_cast<size_t>(trained_.options.training.average));
  if (count < 2) return 0;
  checkpoints.resize(count);
  NMT_RETURN_IF_ERROR(AverageCheckpoints(checkpoints, trained_));
  return static_cast<int64_t>(count);
}

absl::Status Trainer::AverageLastCheckpoints() {
  int64_t count = 0;
  if (workers_.is_first()) {
    NMT_ASSIGN_OR_RETURN(count, LoadMeanOfLastCheckpoints());
  }
  count = std::stoll(workers_.FromFirst(std::to_string(count)));
  if (count == 0) return absl::OkStatus();
  workers_.CopyFromFirst(trained_.model->parameters());
  NMT_ASSIGN_OR_RETURN(
      const ValidationResult result,
      Validate(trained_, corpora_.valid, trained_.options.training.batch_tokens, workers_));
  if (!workers_.is_first()) return absl::OkStatus();
  const bool better = result.bleu >= state_.best_score;
  log_.Line(fmt::format("mean of the last {} checkpoints: loss {:.4f}, BLEU {:.2f}{}", count,
                        result.loss, result.bleu,
                        better ? " (best)" : ", not better than the best"));
  const json record = {{"update", state_.update},
                       {"averaged_checkpoints", count},
                       {"validation", ValidationRecord(result)},
                       {"seconds", Seconds()}};
  if (better) {
    state_.best_score = result.bleu;
    const std::string name = RunDirectory::AverageName(state_.update);
    NMT_RETURN_IF_ERROR(SaveCheckpoint(run_, name, *trained_.model, adam_.State(), state_,
                                       trained_.tokenizers.checksum));
    NMT_RETURN_IF_ERROR(run_.Point("best", name));
  }
  return Record(record);  // last: without it, a resume does all this again
}

void Trainer::Agree(int64_t pause_after) {
  const bool stop = stop_ || state_.update >= pause_after;
  const std::vector<double> sums =
      workers_.Sum({stop ? 1.0 : 0.0, workers_.is_first() ? Seconds() : 0});
  is_stopped_ = sums[0] > 0;
  agreed_seconds_ = sums[1];
}

absl::StatusOr<TrainingSummary> Trainer::Run(int64_t pause_after) {
  NMT_RETURN_IF_ERROR(BeginTogether());
  NMT_RETURN_IF_ERROR(OpenBatches());
  const TrainingOptions& training = trained_.options.training;
  if (workers_.is_first()) {
    NMT_ASSIGN_OR_RETURN(metrics_, MetricsLog::Open(run_, training.tensorboard, state_.update));
  }
  Agree(pause_after);
  std::optional<std::string> reason = ReasonToEnd();
  while (!reason && !is_stopped_) {
    NMT_ASSIGN_OR_RETURN(const std::vector<Batch> batches, NextBatches());
    ++state_.update;
    state_.score = -1;
    const double learning_rate = LearningRate(training, state_.update, state_.learning_rate_scale);
    const UpdateResult result = TrainingStep(*trained_.model, adam_, batches,
                                             {.learning_rate = learning_rate,
                                              .label_smoothing = training.label_smoothing,
                                              .clip_norm = training.clip_norm,
                                              .word_dropout = training.word_dropout,
                                              .r_drop = training.r_drop,
                                              .guided_alignment = training.alignment.weight,
                                              .guide = Guide(trained_.options),
                                              .precision = trained_.options.precision,
                                              .seed = static_cast<uint64_t>(trained_.options.seed),
                                              .update = state_.update,
                                              .measure = state_.update % training.log_every == 0,
                                              .workers = &workers_});
    NMT_RETURN_IF_ERROR(CheckFinite(result));
    if (!result.skipped) moving_average_.Update(state_.update);
    NMT_RETURN_IF_ERROR(RecordUpdate(result, learning_rate));
    ShowProgress();
    Agree(pause_after);
    reason = ReasonToEnd();
    const bool validate = state_.update % training.validate_every == 0 || reason;
    if (validate) {
      NMT_RETURN_IF_ERROR(ValidateAndRecord());
      Agree(pause_after);
      if (!reason) reason = ReasonToEnd();
    }
    if (validate || is_stopped_) NMT_RETURN_IF_ERROR(SaveWhereItStands());
  }
  progress_.Clear();
  if (reason && training.average > 1) NMT_RETURN_IF_ERROR(AverageLastCheckpoints());
  state_.seconds = Seconds();
  return TrainingSummary{state_, !reason, reason.value_or("interrupted")};
}

}  // namespace nmt
