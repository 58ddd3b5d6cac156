// nmt train: from a config file to a run directory with a trained translator.
#include <fmt/format.h>
#include <torch/torch.h>

#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include "commands/command.h"
#include "nmt/alignment/selection.h"
#include "nmt/base/file.h"
#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/config/printer.h"
#include "nmt/config/reader.h"
#include "nmt/text/lines.h"
#include "nmt/training/trainer.h"

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
};

std::atomic<bool> stop_requested = false;
void RequestStop(int /*signal*/) { stop_requested = true; }

absl::StatusOr<TrainingCorpora> ReadCorpora(const DataOptions& data) {
  TrainingCorpora corpora;
  NMT_ASSIGN_OR_RETURN(corpora.train, ReadParallelCorpus(data.train, "data.train"));
  NMT_ASSIGN_OR_RETURN(corpora.valid, ReadParallelCorpus(data.valid, "data.valid"));
  return corpora;
}

// The number of words on each side, for checking gold links.
std::vector<LinkLengths> WordCounts(const ParallelCorpus& corpus) {
  std::vector<LinkLengths> lengths;
  for (size_t i = 0; i < corpus.source.size(); ++i) {
    lengths.push_back({static_cast<int64_t>(WordSpans(corpus.source[i]).size()),
                       static_cast<int64_t>(WordSpans(corpus.target[i]).size())});
  }
  return lengths;
}

absl::Status TrainTokenizers(const Options& options, const ParallelCorpus& train,
                             const RunDirectory& run, Log& log) {
  const auto one = [&](const std::string& name,
                       const std::vector<const std::vector<std::string>*>& texts,
                       const fs::path& path) -> absl::Status {
    NMT_ASSIGN_OR_RETURN(const TrainedTokenizer size,
                         TrainTokenizer(options.tokenizer, texts, path));
    log.Line(fmt::format("{} vocabulary: {} {} pieces{}", name, WithThousands(size.got),
                         EnumName(options.tokenizer.type),
                         size.got < size.asked
                             ? fmt::format(" (asked for {}, the text has no more)", size.asked)
                             : ""));
    return absl::OkStatus();
  };
  if (options.tokenizer.shared)
    return one("shared", {&train.source, &train.target}, run.tokenizer(true, true));
  NMT_RETURN_IF_ERROR(one("source", {&train.source}, run.tokenizer(false, true)));
  return one("target", {&train.target}, run.tokenizer(false, false));
}

// Refuses to touch what is there unless told; nothing is changed by a refusal.
absl::Status PrepareRunDirectory(const RunDirectory& run, const TrainArguments& arguments) {
  if (run.Exists() && !arguments.overwrite) {
    return UsageError(
        fmt::format("{}: holds a run already; --resume goes on with it, --overwrite begins anew",
                    run.root().string()));
  }
  if (fs::exists(run.root()) && !fs::is_directory(run.root())) {
    return UsageError(fmt::format("run_dir: {} is a file, expected a folder", run.root().string()));
  }
  if (!run.Exists() && fs::is_directory(run.root()) && !fs::is_empty(run.root()) &&
      !arguments.overwrite) {
    return UsageError(fmt::format(
        "{}: is not empty and holds no run; --overwrite writes a run beside what is there",
        run.root().string()));
  }
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(run.root()));
  return run.RemoveOwnFiles();
}

absl::StatusOr<TrainedModel> NewModel(const Options& options, const RunDirectory& run,
                                      torch::Device device) {
  NMT_ASSIGN_OR_RETURN(Tokenizers tokenizers, LoadTokenizers(run, options.tokenizer));
  auto model =
      MakeModel(options.model, {tokenizers.source.vocab_size(), tokenizers.target.vocab_size()},
                static_cast<uint64_t>(options.seed));
  model->to(device);
  return TrainedModel{run.root(), options, std::move(tokenizers), std::move(model), {}, {}};
}

std::string Describe(const TrainedModel& model) {
  const ModelOptions& options = model.options.model;
  return fmt::format("{} model, {} parameters, on {} with {} threads", EnumName(options.type),
                     WithThousands(model.model->ParameterCount()), model.model->device().str(),
                     at::get_num_threads());
}

// Resuming with other options would be another run; only the limits may move.
absl::Status CheckSameRun(const Options& here, const RunDirectory& run) {
  NMT_ASSIGN_OR_RETURN(Options saved, ReadOptions(run.config(), {}));
  saved.run_dir = here.run_dir;
  saved.device = here.device;
  saved.training.max_updates = here.training.max_updates;
  saved.training.max_epochs = here.training.max_epochs;
  saved.training.max_minutes = here.training.max_minutes;
  saved.training.patience = here.training.patience;
  const std::vector<std::string> differing = DifferingKeys(here, saved);
  if (differing.empty()) return absl::OkStatus();
  std::string all;
  for (const std::string& key : differing) all += (all.empty() ? "" : "; ") + key;
  return UsageError(
      fmt::format("{}: --resume needs the options of the run: {}", run.root().string(), all));
}

absl::Status SelectRunAlignment(const RunDirectory& run, torch::Device device,
                                const ParallelCorpus& valid, const std::vector<Links>& gold,
                                Log& log) {
  NMT_ASSIGN_OR_RETURN(const TrainedModel best, LoadTrainedModel(run.root(), "best", device));
  const CorpusAttention attention = AttendCorpus(best, valid.source, valid.target);
  NMT_ASSIGN_OR_RETURN(const SelectedAlignment selected, SelectAlignment(attention, gold));
  log.Line(fmt::format("attention for alignments: {} (validation AER {:.1f} %)",
                       selected.choice.ToString(), 100 * selected.score.aer));
  return SaveAlignmentChoice(run.alignment(), selected);
}

absl::Status DryRun(const Options& options, const TrainingCorpora& corpora, torch::Device device) {
  std::string pattern = (fs::temp_directory_path() / "nmt-dry-run-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    return DataError(fmt::format("{}: cannot make a temporary folder", pattern));
  const RunDirectory scratch(pattern);
  Log log;
  absl::Status status = TrainTokenizers(options, corpora.train, scratch, log);
  if (status.ok()) {
    auto model = NewModel(options, scratch, device);
    status = model.status();
    if (model.ok()) log.Line(Describe(*model));
  }
  fs::remove_all(pattern);
  NMT_RETURN_IF_ERROR(status);
  fmt::print("{}", PrintOptions(options));
  log.Line("dry run: the config and the data are fine; nothing was written");
  return absl::OkStatus();
}

absl::Status Train(const TrainArguments& arguments) {
  if (arguments.resume && arguments.overwrite)
    return UsageError("--resume and --overwrite exclude each other");
  NMT_ASSIGN_OR_RETURN(Options options, ReadOptions(arguments.config, arguments.overrides));
  if (!arguments.device.empty()) options.device = arguments.device;
  NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(options.device));
  if (options.threads > 0) at::set_num_threads(static_cast<int>(options.threads));
  NMT_ASSIGN_OR_RETURN(const TrainingCorpora corpora, ReadCorpora(options.data));
  std::vector<Links> gold;
  if (!options.data.valid.alignment.empty()) {
    NMT_ASSIGN_OR_RETURN(
        gold, ReadLinks(options.data.valid.alignment, LinkBase::kZero, WordCounts(corpora.valid)));
  }
  if (arguments.dry_run) return DryRun(options, corpora, device);

  const RunDirectory run(options.run_dir);
  // A run that was killed before its first checkpoint has nothing to go on from: it begins anew.
  const bool resume = arguments.resume && run.Exists() && run.Resolve("last").ok();
  if (arguments.resume && !run.Exists()) {
    return UsageError(fmt::format("{}: has no run to resume", run.root().string()));
  }
  if (arguments.resume) NMT_RETURN_IF_ERROR(CheckSameRun(options, run));
  if (!resume) {
    TrainArguments anew = arguments;
    anew.overwrite |= arguments.resume;
    NMT_RETURN_IF_ERROR(PrepareRunDirectory(run, anew));
  }
  NMT_ASSIGN_OR_RETURN(Log log, Log::Open(run.log()));
  if (!resume) {
    NMT_RETURN_IF_ERROR(TrainTokenizers(options, corpora.train, run, log));
    NMT_RETURN_IF_ERROR(MakeWritableDirectory(run.checkpoints()));
    NMT_RETURN_IF_ERROR(MakeWritableDirectory(run.translations()));
    NMT_RETURN_IF_ERROR(WriteFileAtomically(run.config(), PrintOptions(options)));
  }
  NMT_ASSIGN_OR_RETURN(TrainedModel model, NewModel(options, run, device));
  log.Line(Describe(model));
  std::signal(SIGINT, RequestStop);
  std::signal(SIGTERM, RequestStop);
  Trainer trainer(std::move(model), corpora, log, stop_requested);
  if (resume) NMT_RETURN_IF_ERROR(trainer.Resume());
  NMT_ASSIGN_OR_RETURN(const TrainingSummary summary, trainer.Run());
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (summary.interrupted) {
    return DataError(fmt::format("interrupted after update {}; `nmt train {} --resume` goes on",
                                 summary.state.update, arguments.config));
  }
  log.Line(fmt::format("training ended after {} updates and {}: {}",
                       WithThousands(summary.state.update), FormatDuration(summary.state.seconds),
                       summary.reason));
  if (!gold.empty()) NMT_RETURN_IF_ERROR(SelectRunAlignment(run, device, corpora.valid, gold, log));
  log.Line(fmt::format("best validation BLEU {:.2f}; the run is in {}", summary.state.best_score,
                       run.root().string()));
  return absl::OkStatus();
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
  command->add_flag("--resume", arguments->resume, "Go on with the run in run_dir");
  command->add_flag("--overwrite", arguments->overwrite,
                    "Remove the run in run_dir and begin anew");
  command->add_flag(
      "--dry-run", arguments->dry_run,
      "Check config and data, print the resolved config and the model's size, write nothing");
  command->footer(
      "Example:\n  nmt train configs/demo-gru.yaml\n"
      "  nmt train configs/demo-gru.yaml --resume --set training.max_updates=4000");
  command->callback([arguments, &run] { run = [arguments] { return Train(*arguments); }; });
}

}  // namespace nmt
