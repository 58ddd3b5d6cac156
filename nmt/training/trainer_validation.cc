// What a training does at a validation, and at its end with the mean of its last checkpoints.
#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/training/average.h"
#include "nmt/training/trainer.h"

namespace nmt {
namespace {

using nlohmann::json;

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

}  // namespace nmt
