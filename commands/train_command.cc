// nmt train: from a config file to a run directory with a trained translator.
#include <fmt/format.h>
#include <torch/torch.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/several_workers.h"
#include "nmt/alignment/selection.h"
#include "nmt/base/file.h"
#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/base/stop_signals.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/config/printer.h"
#include "nmt/config/reader.h"
#include "nmt/text/lines.h"
#include "nmt/training/new_run.h"
#include "nmt/training/together.h"
#include "nmt/training/trainer.h"
#include "nmt/training/verify_resume.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string device;
  bool resume = false;
  bool overwrite = false;
  bool dry_run = false;
  bool verify_resume = false;
  WorkerArguments workers;
};

constexpr char kStopMessage[] = "\nstopping after this update; once more to stop without saving\n";

// Gold links of a corpus, checked against its sentences; none where the config names none.
absl::StatusOr<std::vector<Links>> ReadGold(const ParallelFiles& files,
                                            const ParallelCorpus& corpus) {
  if (files.alignment.empty()) return std::vector<Links>();
  return ReadLinks(files.alignment, LinkBase::kZero, LengthsInWords(corpus.source, corpus.target));
}

// Everything that the config names is read and checked before any work, also what training itself does not use.
absl::StatusOr<TrainingCorpora> ReadData(const DataOptions& options, bool links) {
  NMT_ASSIGN_OR_RETURN(const TrainingText train, TrainingText::Open(options.train, links));
  NMT_ASSIGN_OR_RETURN(const ParallelCorpus valid, ReadParallelCorpus(options.valid, "data.valid"));
  TrainingCorpora corpora{train, valid, {}};
  NMT_ASSIGN_OR_RETURN(corpora.valid_gold, ReadGold(options.valid, valid));
  if (!options.test.source.empty()) {
    NMT_ASSIGN_OR_RETURN(const ParallelCorpus test, ReadParallelCorpus(options.test, "data.test"));
    NMT_RETURN_IF_ERROR(ReadGold(options.test, test).status());
  }
  return corpora;
}

// A folder under the system's for temporary files, removed at the end.
class TemporaryFolder {
 public:
  static absl::StatusOr<std::unique_ptr<TemporaryFolder>> Make() {
    std::string pattern = (fs::temp_directory_path() / "nmt-train-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return DataError(fmt::format("{}: cannot make a temporary folder", pattern));
    }
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(pattern));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// The part of a new run that can fail for its data, in a folder of its own: an older run in run_dir
// is still whole. Gives the model's description.
absl::StatusOr<std::string> Rehearse(const Options& options, const TrainingCorpora& corpora,
                                     const RunDirectory& scratch, torch::Device device, Log& log) {
  NMT_RETURN_IF_ERROR(MakeTokenizers(options, corpora.train, scratch, log));
  NMT_ASSIGN_OR_RETURN(const TrainedModel model,
                       NewModel(options, scratch, device, /*is_new=*/true));
  NMT_RETURN_IF_ERROR(BatchStream::Open(corpora.train, model.tokenizers.source,
                                        model.tokenizers.target,
                                        {.batch_tokens = options.training.batch_tokens,
                                         .max_length = options.data.max_length,
                                         .shuffle_buffer = options.data.shuffle_buffer},
                                        /*start=*/{})
                          .status());
  return DescribeModel(model);
}

// Where links are read from later: by gold links, or what training guided, or a guess.
absl::Status SelectRunAlignment(const RunDirectory& run, torch::Device device,
                                const TrainingCorpora& corpora, Log& log) {
  NMT_ASSIGN_OR_RETURN(const TrainedModel best, LoadTrainedModel(run.root(), "best", device));
  const auto pairs = EncodePairs(best, corpora.valid.source, corpora.valid.target);
  SelectedAlignment selected;
  if (!corpora.valid_gold.empty()) {
    NMT_ASSIGN_OR_RETURN(selected, SelectByGold(best, pairs, corpora.valid_gold));
  } else if (best.options.training.alignment.weight > 0) {
    const GuidedAttention guide = Guide(best.options);
    selected.choice.attention = {.layer = guide.layer, .head = guide.head};
    selected.criterion = SelectionCriterion::kGuided;
  } else {
    selected = SelectByCertainty(best, pairs);
  }
  log.Line(fmt::format("attention for alignments: {}", selected.ToString()));
  return SaveAlignmentChoice(run.alignment(), selected);
}

absl::StatusOr<TrainingSummary> RunTraining(const Options& options, const RunDirectory& run,
                                            const TrainingCorpora& corpora, bool resume,
                                            torch::Device device, Workers& workers, Log& log) {
  if (workers.is_first()) NMT_RETURN_IF_ERROR(RemoveFinish(run));
  const bool is_new = workers.is_first() && !resume;  // the others get worker 0's weights
  NMT_ASSIGN_OR_RETURN(TrainedModel model, NewModel(options, run, device, is_new));
  log.Line(DescribeModel(model) +
           (workers.size() > 1 ? fmt::format(" in each of {} workers", workers.size()) : ""));
  const StopSignals signals(workers.is_first() ? kStopMessage : "");
  Trainer trainer(std::move(model), corpora, log, StopRequested(), &workers);
  if (resume) NMT_RETURN_IF_ERROR(trainer.Resume());
  return trainer.Run();
}

// What worker 0 does when training is over.
absl::Status Conclude(const TrainingSummary& summary, const RunDirectory& run,
                      const TrainingCorpora& corpora, torch::Device device, Log& log) {
  if (summary.interrupted) {
    return DataError(
        fmt::format("interrupted after update {}; the same command with --resume goes on",
                    summary.state.update));
  }
  log.Line(fmt::format("training ended after {} updates and {}: {}",
                       WithThousands(summary.state.update), FormatDuration(summary.state.seconds),
                       summary.reason));
  NMT_RETURN_IF_ERROR(SelectRunAlignment(run, device, corpora, log));
  NMT_RETURN_IF_ERROR(SaveFinish(run, {.update = summary.state.update,
                                       .seconds = summary.state.seconds,
                                       .reason = summary.reason}));
  log.Line(fmt::format("best validation BLEU {:.2f}; the run is in {}", summary.state.best_score,
                       run.root().string()));
  return absl::OkStatus();
}

absl::Status Verify(const Options& options, const TrainingCorpora& corpora,
                    const RunDirectory& scratch, torch::Device device, Log& log) {
  constexpr double kSeconds = 45;
  const StopSignals signals(kStopMessage);
  const auto make_model = [&](const Options& changed,
                              const RunDirectory& run) -> absl::StatusOr<TrainedModel> {
    NMT_RETURN_IF_ERROR(CopyTokenizers(scratch, run, options.tokenizer.shared));
    return NewModel(changed, run, device, /*is_new=*/true);
  };
  NMT_ASSIGN_OR_RETURN(const ResumeProof proof,
                       VerifyResume(options, corpora, kSeconds, scratch.root() / "verify",
                                    make_model, log, StopRequested()));
  log.Line(fmt::format(
      "verified: all three runs of {} updates agree bit for bit in {} tensors of weights and "
      "optimiser and {} records of metrics.jsonl; nothing was written",
      proof.updates, proof.tensors, proof.records));
  return absl::OkStatus();
}

// A run that is ready to be trained, and held against other processes.
struct ReadyRun {
  bool resume = false;
  FolderLock lock;
};

// Worker 0: makes the run, or finds what is there to go on with. Nothing that is there is lost before all
// that can fail for the data has been done.
absl::StatusOr<ReadyRun> PrepareRun(const Options& options, const RunDirectory& run,
                                    const TrainingCorpora& corpora, bool resume,
                                    std::optional<FolderLock> lock, torch::Device device) {
  if (resume) {
    NMT_ASSIGN_OR_RETURN(const bool has_checkpoints, HoldsCheckpoints(run));
    if (!has_checkpoints) {
      Log().Line("the run was stopped before its first checkpoint: it begins anew");
      resume = false;
    }
  }
  if (resume) {
    NMT_RETURN_IF_ERROR(
        WriteFileAtomically(run.config(), PrintOptions(options)));  // limits may have moved
    return ReadyRun{true, *std::move(lock)};
  }
  NMT_ASSIGN_OR_RETURN(const auto folder, TemporaryFolder::Make());
  const RunDirectory scratch(folder->path());
  Log log;
  NMT_RETURN_IF_ERROR(Rehearse(options, corpora, scratch, device, log).status());
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(run.root()));
  if (!lock) {
    NMT_ASSIGN_OR_RETURN(lock, FolderLock::Take(run.root()));
  }
  NMT_RETURN_IF_ERROR(BeginRun(options, run, scratch));
  return ReadyRun{false, *std::move(lock)};
}

// Before anything of a run that is there is read or removed: it is the one that is meant, and no other
// process has it.
absl::StatusOr<std::optional<FolderLock>> TakeRun(const Options& options, const RunDirectory& run,
                                                  bool resume, bool overwrite) {
  if (resume && !run.Exists())
    return UsageError(fmt::format("{}: has no run to resume", run.root().string()));
  if (resume) {
    NMT_RETURN_IF_ERROR(CheckSameRun(options, run));
  } else {
    NMT_RETURN_IF_ERROR(CheckRunDirectory(run, overwrite));
  }
  if (!fs::exists(run.root())) return std::nullopt;
  return FolderLock::Take(run.root());
}

// The one path of training, for a process alone and for each of several workers. Worker 0 has the run
// directory; the others have a folder for their copy of the vocabularies.
absl::Status TrainTogether(const Options& options, bool resume, bool overwrite,
                           torch::Device device, Workers& workers) {
  std::optional<FolderLock> lock;
  std::unique_ptr<TemporaryFolder> folder;
  if (workers.is_first()) {
    NMT_ASSIGN_OR_RETURN(lock, TakeRun(options, RunDirectory(options.run_dir), resume, overwrite));
  } else {
    NMT_ASSIGN_OR_RETURN(folder, TemporaryFolder::Make());
  }
  const RunDirectory run(folder ? folder->path() : fs::path(options.run_dir));
  NMT_ASSIGN_OR_RETURN(const TrainingCorpora corpora,
                       ReadData(options.data, options.training.alignment.weight > 0));
  NMT_RETURN_IF_ERROR(CheckSameTraining(Version(), options, corpora, workers));
  std::optional<ReadyRun> ready;
  Log log = Log::Silent();
  if (workers.is_first()) {
    NMT_ASSIGN_OR_RETURN(ready, PrepareRun(options, run, corpora, resume, std::move(lock), device));
    NMT_ASSIGN_OR_RETURN(log, Log::Open(run.log()));
  }
  NMT_RETURN_IF_ERROR(ShareTokenizers(run, options.tokenizer.shared, workers));
  NMT_ASSIGN_OR_RETURN(
      const TrainingSummary summary,
      RunTraining(options, run, corpora, ready && ready->resume, device, workers, log));
  NMT_RETURN_IF_ERROR(workers.Leave(absl::OkStatus()));
  return workers.is_first() ? Conclude(summary, run, corpora, device, log) : absl::OkStatus();
}

// What leaves no run: a look at the config and the data, or the proof of resuming.
absl::Status Try(const TrainArguments& arguments, const Options& options, torch::Device device) {
  const RunDirectory run(options.run_dir);
  if (arguments.resume && !run.Exists())
    return UsageError(fmt::format("{}: has no run to resume", run.root().string()));
  if (arguments.resume) NMT_RETURN_IF_ERROR(CheckSameRun(options, run));
  NMT_ASSIGN_OR_RETURN(const TrainingCorpora corpora,
                       ReadData(options.data, options.training.alignment.weight > 0));
  NMT_ASSIGN_OR_RETURN(const auto folder, TemporaryFolder::Make());
  const RunDirectory scratch(folder->path());
  Log log;
  NMT_ASSIGN_OR_RETURN(const std::string description,
                       Rehearse(options, corpora, scratch, device, log));
  if (arguments.verify_resume) return Verify(options, corpora, scratch, device, log);
  log.Line(description);
  fmt::print("{}", PrintOptions(options));
  log.Line("dry run: the config and the data are fine; nothing was written");
  return absl::OkStatus();
}

absl::Status Train(const TrainArguments& arguments) {
  if (arguments.resume && arguments.overwrite)
    return UsageError("--resume and --overwrite exclude each other");
  if (arguments.resume && arguments.verify_resume)
    return UsageError("--resume and --verify-resume exclude each other");
  NMT_ASSIGN_OR_RETURN(Options options, ReadOptions(arguments.config, arguments.overrides));
  if (!arguments.device.empty()) options.device = arguments.device;
  if (!arguments.resume && options.training.warm_start == options.run_dir) {
    return UsageError(fmt::format("training.warm_start: {} is run_dir itself, expected another run",
                                  options.run_dir));
  }
  if (arguments.dry_run || arguments.verify_resume) {
    if (options.threads > 0) at::set_num_threads(static_cast<int>(options.threads));
    NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(options.device));
    return Try(arguments, options, device);
  }
  return RunAsWorker(
      arguments.workers, options.threads, options.device,
      [&](Workers& workers, const WorkerPlace& place, torch::Device device) {
        // torchrun starts all workers again with the same command: the run that is there goes on.
        const bool again = place.restarts > 0;
        const bool resume = again ? RunDirectory(options.run_dir).Exists() : arguments.resume;
        return TrainTogether(options, resume, arguments.overwrite && !again, device, workers);
      });
}

}  // namespace

void AddTrainCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand("train", "Train a translator from a config file");
  command
      ->add_option("CONFIG", arguments->config,
                   "The run's config (YAML); `nmt config` explains its keys")
      ->required();
  command
      ->add_option("--set", arguments->overrides,
                   "Give a key another value: --set training.learning_rate=1e-3")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command->add_option("--device", arguments->device,
                      "auto, cpu, cuda or cuda:N, in place of the config's");
  AddWorkerOptions(
      *command,
      "Train with this many processes on this machine, which share its cores or have a "
      "GPU each; an update sees the batches of all",
      arguments->workers);
  command->add_flag("--resume", arguments->resume, "Go on with the run in run_dir");
  command->add_flag("--overwrite", arguments->overwrite,
                    "Remove the run in run_dir and begin anew");
  command->add_flag(
      "--dry-run", arguments->dry_run,
      "Check config and data, print the resolved config and the model's size, write nothing");
  command->add_flag("--verify-resume", arguments->verify_resume,
                    "Prove in about a minute that this config, interrupted or killed and resumed, "
                    "gives the same bits; write nothing");
  command->footer(
      "Example:\n  nmt train configs/demo-gru.yaml\n  nmt train configs/demo-gru.yaml --resume\n"
      "  nmt train my.yaml --workers 2\n"
      "  torchrun --no-python --nnodes 2 --nproc-per-node 4 nmt train my.yaml");
  command->callback([arguments, &run] { run = [arguments] { return Train(*arguments); }; });
}

}  // namespace nmt
