#include "nmt/training/verify_resume.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/base/shallow_json.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kValidationPairs = 16;
constexpr int64_t kProbeUpdates = 4;
constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();
constexpr double kRunsInAll = 3.5;  // of `updates` each, validations left out

// metrics.jsonl without what a clock measured.
absl::StatusOr<std::vector<std::string>> Records(const RunDirectory& run) {
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines(run.metrics()));
  std::vector<std::string> records;
  for (const std::string& line : lines) {
    json record = ParseShallowJson(line);
    if (!record.is_object())
      return DataError(fmt::format("{}: no JSON: {}", run.metrics().string(), line));
    for (const char* key : {"seconds", "tokens_per_second", "peak_memory"}) record.erase(key);
    if (record.contains("validation")) record["validation"].erase("seconds");
    records.push_back(record.dump());
  }
  return records;
}

// The number of tensors of two files that are the same byte for byte.
absl::StatusOr<int64_t> CompareTensors(const fs::path& whole, const fs::path& other) {
  NMT_ASSIGN_OR_RETURN(const std::string expected_bytes, ReadFile(whole));
  NMT_ASSIGN_OR_RETURN(const std::string found_bytes, ReadFile(other));
  NMT_ASSIGN_OR_RETURN(const TensorFile expected, ReadSafetensors(whole));
  NMT_ASSIGN_OR_RETURN(const TensorFile found, ReadSafetensors(other));
  for (const auto& [name, tensor] : expected.tensors) {
    const auto same = found.tensors.find(name);
    if (same != found.tensors.end() && same->second.equal(tensor)) continue;
    return DataError(fmt::format("{}: tensor \"{}\" differs from that of the unbroken run",
                                 other.string(), name));
  }
  if (expected_bytes != found_bytes) {
    return DataError(fmt::format("{}: differs from that of the unbroken run", other.string()));
  }
  return static_cast<int64_t>(expected.tensors.size());
}

absl::Status CompareRuns(const RunDirectory& whole, const RunDirectory& other, ResumeProof* proof) {
  proof->tensors = 0;
  for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
    NMT_ASSIGN_OR_RETURN(const fs::path expected, whole.Resolve("last"));
    NMT_ASSIGN_OR_RETURN(const fs::path found, other.Resolve("last"));
    NMT_ASSIGN_OR_RETURN(const int64_t tensors, CompareTensors(expected / name, found / name));
    proof->tensors += tensors;
  }
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> expected, Records(whole));
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> found, Records(other));
  const auto [one, two] =
      std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
  if (one != expected.end() || two != found.end()) {
    return DataError(fmt::format("{}: record {} is {}, that of the unbroken run {}",
                                 other.metrics().string(), two - found.begin() + 1,
                                 two == found.end() ? "missing" : *two,
                                 one == expected.end() ? "missing" : *one));
  }
  proof->records = static_cast<int64_t>(expected.size());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResumeProof> VerifyResume(
    const Options& given, const TrainingCorpora& given_corpora, double seconds,
    const fs::path& scratch,
    const std::function<absl::StatusOr<TrainedModel>(const Options&, const RunDirectory&)>&
        make_model,
    Log& log, const std::atomic<bool>& stop) {
  TrainingCorpora corpora = given_corpora;
  for (std::vector<std::string>* side : {&corpora.valid.source, &corpora.valid.target})
    side->resize(std::min(side->size(), kValidationPairs));
  Options options = given;
  options.training.max_minutes = options.training.max_epochs = 0;
  options.training.log_every = 3;  // so that a break falls between two records, too
  options.training.tensorboard = false;
  Log quiet = Log::Silent();
  // Trains until `pause_after` in the folder `name`; from its last checkpoint on if it has one.
  const auto train = [&](const std::string& name, int64_t pause_after) -> absl::Status {
    const RunDirectory run(scratch / name);
    NMT_RETURN_IF_ERROR(MakeWritableDirectory(run.checkpoints()));
    NMT_RETURN_IF_ERROR(MakeWritableDirectory(run.translations()));
    NMT_ASSIGN_OR_RETURN(TrainedModel model, make_model(options, run));
    Trainer trainer(std::move(model), corpora, quiet, stop);
    if (!ListCheckpoints(run).empty()) NMT_RETURN_IF_ERROR(trainer.Resume());
    NMT_RETURN_IF_ERROR(trainer.Run(pause_after).status());
    return stop ? DataError("interrupted: nothing was verified") : absl::OkStatus();
  };

  options.training.max_updates = options.training.validate_every = kProbeUpdates;
  const auto begin = std::chrono::steady_clock::now();
  NMT_RETURN_IF_ERROR(train("probe", kToTheEnd));
  const double taken =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double affordable = seconds / kRunsInAll / (taken / static_cast<double>(kProbeUpdates));

  ResumeProof proof;
  proof.updates = std::clamp<int64_t>(static_cast<int64_t>(affordable), 9, 400);
  proof.paused_at = proof.updates / 2;
  proof.killed_at = proof.updates / 3;  // a validation; paused_at is between two of them
  options.training.max_updates = proof.updates;
  options.training.validate_every = proof.killed_at;
  if (options.training.schedule != Schedule::kPlateau && options.training.patience > 0) {
    // Or the run would end early.
    options.training.patience = std::max<int64_t>(options.training.patience, proof.updates);
  }
  log.Line(fmt::format("{} updates without a break", proof.updates));
  NMT_RETURN_IF_ERROR(train("whole", kToTheEnd));

  log.Line(fmt::format("stopped and saved after update {}, then resumed", proof.paused_at));
  NMT_RETURN_IF_ERROR(train("paused", proof.paused_at));
  NMT_RETURN_IF_ERROR(train("paused", kToTheEnd));
  NMT_RETURN_IF_ERROR(
      CompareRuns(RunDirectory(scratch / "whole"), RunDirectory(scratch / "paused"), &proof));

  // A kill leaves the checkpoint of the last validation, and records of the updates after it.
  log.Line(fmt::format("killed after update {}, then resumed from the checkpoint of update {}",
                       proof.paused_at, proof.killed_at));
  NMT_RETURN_IF_ERROR(train("killed", proof.paused_at));
  const RunDirectory killed(scratch / "killed");
  std::error_code error;
  fs::remove_all(killed.checkpoints() / RunDirectory::CheckpointName(proof.paused_at), error);
  NMT_RETURN_IF_ERROR(killed.Point("last", RunDirectory::CheckpointName(proof.killed_at)));
  NMT_RETURN_IF_ERROR(train("killed", kToTheEnd));
  NMT_RETURN_IF_ERROR(CompareRuns(RunDirectory(scratch / "whole"), killed, &proof));
  return proof;
}

}  // namespace nmt
