// nmt average: the mean of several checkpoints of a run.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <string>

#include "commands/command.h"
#include "nmt/base/progress.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/training/average.h"
#include "nmt/training/validation.h"

namespace nmt {
namespace {

struct AverageArguments {
  std::string run;
  int64_t last = 0;
  int64_t best = 0;
  bool make_best = false;
  int64_t threads = 0;
};

// Newest first, or best first.
absl::StatusOr<std::vector<std::filesystem::path>> Choose(const RunDirectory& run,
                                                          const AverageArguments& arguments) {
  std::vector<std::filesystem::path> found = ListCheckpoints(run);
  if (arguments.best > 0) {
    std::vector<std::pair<double, std::filesystem::path>> scored;
    for (const std::filesystem::path& path : found) {
      NMT_ASSIGN_OR_RETURN(const TrainingState state, LoadTrainingState(path));
      if (state.score >= 0) scored.emplace_back(-state.score, path);
    }
    std::sort(scored.begin(), scored.end());
    found.clear();
    for (const auto& [score, path] : scored) found.push_back(path);
  }
  const auto wanted = static_cast<size_t>(std::max(arguments.last, arguments.best));
  if (wanted == 0 && found.size() >= 2) return found;
  if (found.size() < std::max<size_t>(2, wanted)) {
    return DataError(fmt::format(
        "{}: has {} checkpoints to average, expected at least {}; training.keep_last and "
        "training.keep_best say how many a run keeps",
        run.checkpoints().string(), found.size(), std::max<size_t>(2, wanted)));
  }
  found.resize(wanted);
  return found;
}

absl::Status Average(const AverageArguments& arguments) {
  if (arguments.last > 0 && arguments.best > 0)
    return UsageError("--last and --best exclude each other");
  if (arguments.threads > 0) at::set_num_threads(static_cast<int>(arguments.threads));
  NMT_ASSIGN_OR_RETURN(TrainedModel trained,
                       LoadTrainedModel(arguments.run, "last", torch::Device(torch::kCPU)));
  const RunDirectory run(arguments.run);
  NMT_ASSIGN_OR_RETURN(const auto checkpoints, Choose(run, arguments));
  NMT_ASSIGN_OR_RETURN(const ParallelCorpus valid,
                       ReadParallelCorpus(trained.options.data.valid, "data.valid"));
  NMT_RETURN_IF_ERROR(AverageCheckpoints(checkpoints, trained));
  Workers alone;
  NMT_ASSIGN_OR_RETURN(const ValidationResult result,
                       Validate(trained, valid, trained.options.training.batch_tokens, alone));
  TrainingState state = trained.state;
  // The best may be a mean already, which the last checkpoint does not know.
  if (const auto best = run.Resolve("best"); best.ok()) {
    NMT_ASSIGN_OR_RETURN(const TrainingState best_state, LoadTrainingState(*best));
    state.best_score = std::max(state.best_score, best_state.best_score);
  }
  for (const std::filesystem::path& path : checkpoints)
    fmt::print("checkpoint:   {}\n", path.filename().string());
  fmt::print("mean of {}:    loss {:.4f}, BLEU {:.2f} on validation; the best so far has {:.2f}\n",
             checkpoints.size(), result.loss, result.bleu, state.best_score);
  const bool better = result.bleu >= state.best_score;
  if (!better && !arguments.make_best) {
    fmt::print("not better: nothing was changed (--make-best takes it all the same)\n");
    return absl::OkStatus();
  }
  state.score = state.best_score = result.bleu;
  const std::string name = RunDirectory::AverageName(state.update);
  NMT_RETURN_IF_ERROR(
      SaveCheckpoint(run, name, *trained.model, {}, state, trained.tokenizers.checksum));
  NMT_RETURN_IF_ERROR(run.Point("best", name));
  fmt::print("best is now:  {}\n", name);
  return absl::OkStatus();
}

}  // namespace

void AddAverageCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<AverageArguments>();
  CLI::App* command = app.add_subcommand(
      "average", "Average the weights of several checkpoints, and keep the mean if it is better");
  command->add_option("RUN", arguments->run, "Run directory of nmt train")->required();
  command->add_option("--last", arguments->last, "The newest N checkpoints (default: all kept)")
      ->check(CLI::Range(2, 1000));
  command->add_option("--best", arguments->best, "The N of the best validation scores")
      ->check(CLI::Range(2, 1000));
  command->add_flag("--make-best", arguments->make_best,
                    "Take the mean as the run's best weights even if its validation BLEU is lower");
  SetUpThreadsOption(*command, arguments->threads);
  command->footer("Example:\n  nmt average runs/demo/gru --last 2");
  command->callback([arguments, &run] { run = [arguments] { return Average(*arguments); }; });
}

}  // namespace nmt
