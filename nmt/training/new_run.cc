#include "nmt/training/new_run.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <torch/torch.h>
#include <unistd.h>

#include <vector>

#include "nmt/base/file.h"
#include "nmt/base/progress.h"
#include "nmt/config/printer.h"
#include "nmt/config/reader.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

// Text enough to train a tokenizer from; of a larger corpus, that many pairs are drawn.
constexpr int64_t kTokenizerPairs = 1000000;

absl::Status TakeTokenizers(const Options& options, const RunDirectory& run, Log& log) {
  const RunDirectory old(options.training.warm_start);
  NMT_RETURN_IF_ERROR(old.CheckPlain());
  NMT_ASSIGN_OR_RETURN(const Options old_options, ReadOptions(old.config(), {}));
  const TokenizerOptions &here = options.tokenizer, &there = old_options.tokenizer;
  if (here.type != there.type || here.vocab_size != there.vocab_size ||
      here.shared != there.shared || here.lowercase != there.lowercase ||
      here.byte_fallback != there.byte_fallback) {
    return UsageError(fmt::format(
        "training.warm_start: {} has tokenizer.type {}, vocab_size {}, shared {}, lowercase {} and "
        "byte_fallback {}; this config must have the same, as it takes that run's vocabularies",
        old.root().string(), EnumName(there.type), there.vocab_size, there.shared, there.lowercase,
        there.byte_fallback));
  }
  NMT_RETURN_IF_ERROR(CopyTokenizers(old, run, here.shared));
  log.Line(fmt::format("weights and vocabularies of {} to start from", old.root().string()));
  return absl::OkStatus();
}

absl::Status Freeze(const std::vector<std::string>& patterns, Seq2Seq& model) {
  int64_t trained = 0;
  std::vector<int64_t> matched(patterns.size());
  for (const auto& parameter : model.named_parameters()) {
    bool frozen = false;
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (fnmatch(patterns[i].c_str(), parameter.key().c_str(), 0) != 0) continue;
      ++matched[i];
      frozen = true;
    }
    torch::Tensor weight = parameter.value();
    weight.requires_grad_(!frozen);
    trained += frozen ? 0 : 1;
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (matched[i] > 0) continue;
    return UsageError(
        fmt::format("training.freeze: no parameter has a name like \"{}\"; "
                    "`nmt info RUN --parameters` lists those of a run",
                    patterns[i]));
  }
  if (trained == 0) return UsageError("training.freeze: leaves no parameter to train");
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRunDirectory(const RunDirectory& run, bool overwrite) {
  const std::string root = run.root().string();
  if (fs::exists(run.root()) && !fs::is_directory(run.root())) {
    return UsageError(fmt::format("run_dir: {} is a file, expected a folder", root));
  }
  if (run.Exists() && !overwrite) {
    return UsageError(fmt::format(
        "{}: holds a run already; --resume goes on with it, --overwrite begins anew", root));
  }
  // Found now, not when the vocabularies are trained.
  fs::path place = fs::absolute(run.root());
  while (!fs::exists(place) && place != place.parent_path()) place = place.parent_path();
  if (!fs::is_directory(place)) {
    return DataError(fmt::format("run_dir: {} cannot be made: {} is a file", root, place.string()));
  }
  if (access(place.c_str(), W_OK | X_OK) != 0) {
    return DataError(fmt::format("run_dir: {} cannot be made: no permission to write into {}", root,
                                 place.string()));
  }
  if (!run.Exists()) {
    for (const fs::path& path : run.OwnPaths()) {
      if (!fs::exists(path)) continue;
      return UsageError(fmt::format(
          "run_dir: {} holds no run, but {} is in the way; choose another folder or move it", root,
          path.filename().string()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSameRun(const Options& here, const RunDirectory& run) {
  NMT_RETURN_IF_ERROR(run.CheckPlain());
  NMT_ASSIGN_OR_RETURN(Options saved, ReadOptions(run.config(), {}));
  saved.run_dir = here.run_dir;
  saved.device = here.device;
  // The cosine's shape hangs on max_updates: with another one the updates made so far would have been others.
  if (here.training.schedule != Schedule::kCosine)
    saved.training.max_updates = here.training.max_updates;
  saved.training.accumulate = here.training.accumulate;  // Trainer::Resume() looks at it
  saved.training.max_epochs = here.training.max_epochs;
  saved.training.max_minutes = here.training.max_minutes;
  saved.training.patience = here.training.patience;
  saved.training.keep_last = here.training.keep_last;
  saved.training.keep_best = here.training.keep_best;
  saved.training.tensorboard = here.training.tensorboard;
  saved.training.warm_start = here.training.warm_start;  // may be gone
  const std::vector<std::string> differing = DifferingKeys(here, saved);
  if (differing.empty()) return absl::OkStatus();
  std::string all;
  for (const std::string& key : differing) all += (all.empty() ? "" : "; ") + key;
  return UsageError(
      fmt::format("{}: --resume needs the options of the run: {}", run.root().string(), all));
}

absl::StatusOr<bool> HoldsCheckpoints(const RunDirectory& run) {
  if (!fs::exists(run.checkpoints())) return false;
  std::error_code error;
  for (fs::directory_iterator entry(run.checkpoints(), error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && entry->path().extension() != ".tmp") return true;
  }
  if (error) {
    return DataError(
        fmt::format("{}: cannot read: {}", run.checkpoints().string(), error.message()));
  }
  return false;
}

absl::Status MakeTokenizers(const Options& options, const TrainingText& text,
                            const RunDirectory& run, Log& log) {
  if (!options.training.warm_start.empty()) return TakeTokenizers(options, run, log);
  NMT_ASSIGN_OR_RETURN(const ParallelCorpus train, text.Sample(kTokenizerPairs));
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

absl::Status CopyTokenizers(const RunDirectory& from, const RunDirectory& to, bool shared) {
  for (const bool source : {true, false}) {
    NMT_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(from.tokenizer(shared, source)));
    NMT_RETURN_IF_ERROR(WriteFileAtomically(to.tokenizer(shared, source), bytes));
  }
  return absl::OkStatus();
}

absl::Status BeginRun(const Options& options, const RunDirectory& run,
                      const RunDirectory& scratch) {
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(run.root()));
  if (run.Exists()) NMT_RETURN_IF_ERROR(run.RemoveOwnFiles());
  // config.yaml first, so that whatever is there belongs to a run.
  NMT_RETURN_IF_ERROR(WriteFileAtomically(run.config(), PrintOptions(options)));
  NMT_RETURN_IF_ERROR(CopyTokenizers(scratch, run, options.tokenizer.shared));
  NMT_RETURN_IF_ERROR(WriteFileAtomically(run.metrics(), ""));
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(run.translations()));
  return MakeWritableDirectory(run.checkpoints());
}

absl::StatusOr<TrainedModel> NewModel(const Options& options, const RunDirectory& run,
                                      torch::Device device, bool is_new) {
  NMT_ASSIGN_OR_RETURN(Tokenizers tokenizers, LoadTokenizers(run, options.tokenizer));
  auto model =
      MakeModel(options.model, {tokenizers.source.vocab_size(), tokenizers.target.vocab_size()},
                static_cast<uint64_t>(options.seed));
  if (is_new && !options.training.warm_start.empty()) {
    const RunDirectory old(options.training.warm_start);
    NMT_ASSIGN_OR_RETURN(const fs::path checkpoint, old.ResolveWeights("best"));
    NMT_RETURN_IF_ERROR(LoadWeights(checkpoint, *model, tokenizers.checksum));
  }
  NMT_RETURN_IF_ERROR(Freeze(options.training.freeze, *model));
  model->to(device);
  return TrainedModel{run.root(), options, std::move(tokenizers), std::move(model), {}, {}};
}

std::string DescribeModel(const TrainedModel& model) {
  const int64_t all = model.model->ParameterCount();
  int64_t frozen = 0;
  for (const torch::Tensor& parameter : model.model->parameters())
    frozen += parameter.requires_grad() ? 0 : parameter.numel();
  return fmt::format(
      "{} model, {} parameters{}, on {} with {} threads", EnumName(model.options.model.type),
      WithThousands(all),
      frozen > 0 ? fmt::format(" ({} of them trained)", WithThousands(all - frozen)) : "",
      model.model->device().str(), at::get_num_threads());
}

}  // namespace nmt
