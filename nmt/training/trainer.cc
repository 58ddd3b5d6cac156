#include "nmt/training/trainer.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "nmt/base/memory.h"
#include "nmt/metrics/bleu.h"
#include "nmt/training/schedule.h"

namespace nmt {
namespace {

using nlohmann::json;

constexpr int64_t kSkippedUpdatesToStop = 3;
constexpr double kSmallestPlateauScale = 1.0 / 64;
constexpr int64_t kProgressSteps = 1000;

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
