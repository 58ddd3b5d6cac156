// SaveCheckpoint, VerifyCheckpoint, LoadWeights and LoadTrainingState of run_directory.h: the contents of one
// checkpoint folder.
#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/base/fnv1a.h"
#include "nmt/base/shallow_json.h"
#include "nmt/checkpoint/run_directory.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFormat = "nmt-2";
constexpr const char* kManifest = "manifest.json";
constexpr const char* kFiles[] = {"model.safetensors", "optimizer.safetensors", "state.json"};

// One list of fields for writing and reading.
template <typename State, typename Visitor>
void VisitState(State& state, Visitor&& visit) {
  visit("update", state.update);
  visit("epoch", state.epoch);
  visit("block", state.block);
  visit("batch", state.batch);
  visit("score", state.score);
  visit("best_score", state.best_score);
  visit("best_loss", state.best_loss);
  visit("best_update", state.best_update);
  visit("bad_validations", state.bad_validations);
  visit("learning_rate_scale", state.learning_rate_scale);
  visit("seconds", state.seconds);
  visit("training_text", state.training_text);
  visit("skipped_in_a_row", state.skipped_in_a_row);
  visit("window_loss", state.window_loss);
  visit("window_tokens", state.window_tokens);
  visit("window_guided_loss", state.window_guided_loss);
  visit("window_guided_pieces", state.window_guided_pieces);
  visit("workers", state.workers);
  visit("accumulate", state.accumulate);
}

}  // namespace

absl::Status SaveCheckpoint(const RunDirectory& run, const std::string& name, const Seq2Seq& model,
                            const TensorFile& optimizer, const TrainingState& state,
                            const std::string& vocabulary_checksum) {
  const fs::path final_path = run.checkpoints() / name;
  for (const auto& parameter : model.named_parameters()) {
    if (!parameter.value().isfinite().all().item<bool>()) {
      return DataError(fmt::format(
          "update {}: weight \"{}\" became NaN or infinite, nothing was saved; try a lower "
          "training.learning_rate or training.clip_norm",
          state.update, parameter.key()));
    }
  }
  const fs::path temporary = run.checkpoints() / (name + ".tmp");
  std::error_code error;
  fs::remove_all(temporary, error);
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(temporary));

  TensorFile weights;
  for (const auto& parameter : model.named_parameters())
    weights.tensors[parameter.key()] = parameter.value();
  weights.metadata = {{"format", kFormat},
                      {"vocabulary", vocabulary_checksum},
                      {"update", std::to_string(state.update)}};
  NMT_RETURN_IF_ERROR(WriteSafetensors(temporary / "model.safetensors", weights));
  NMT_RETURN_IF_ERROR(WriteSafetensors(temporary / "optimizer.safetensors", optimizer));
  NMT_RETURN_IF_ERROR(WriteFileAtomically(temporary / "state.json", PrintTrainingState(state)));
  json manifest{{"format", kFormat}, {"files", json::object()}};
  for (const char* name : kFiles) {
    NMT_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(temporary / name));
    Fnv1a hash;
    hash.Add(bytes);
    manifest["files"][name] = {{"bytes", bytes.size()}, {"fnv1a", hash.ToString()}};
  }
  NMT_RETURN_IF_ERROR(WriteFileAtomically(temporary / kManifest, manifest.dump(2) + "\n"));
  NMT_RETURN_IF_ERROR(SyncDirectory(temporary));

  fs::remove_all(final_path, error);  // a checkpoint of the same update, from before a resume
  fs::rename(temporary, final_path, error);
  if (error)
    return DataError(
        fmt::format("{}: cannot rename the checkpoint: {}", final_path.string(), error.message()));
  return SyncDirectory(run.checkpoints());
}

namespace {

absl::Status Damage(const fs::path& file, const std::string& what) {
  return absl::DataLossError(fmt::format("{}: {}", file.string(), what));
}

// As ReadFile; a file that is not there is damage of its checkpoint.
absl::StatusOr<std::string> ReadPart(const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error) || error) return ReadFile(file);
  return Damage(file, "is missing");
}

absl::StatusOr<json> ReadManifest(const fs::path& checkpoint) {
  const fs::path path = checkpoint / kManifest;
  NMT_ASSIGN_OR_RETURN(const std::string text, ReadPart(path));
  const json manifest = ParseShallowJson(text);
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_object())
    return Damage(path, "is damaged: no list of files");
  return manifest["files"];
}

// `name` has the size and the checksum that the manifest's list of files says.
absl::Status VerifyFile(const fs::path& checkpoint, const char* name, const json& files) {
  const json entry = files.contains(name) ? files[name] : json();
  if (!entry.is_object() || !entry.contains("bytes") || !entry["bytes"].is_number_unsigned() ||
      !entry.contains("fnv1a") || !entry["fnv1a"].is_string()) {
    return Damage(checkpoint / kManifest,
                  fmt::format("is damaged: no size and checksum of {}", name));
  }
  NMT_ASSIGN_OR_RETURN(const std::string bytes, ReadPart(checkpoint / name));
  const uint64_t expected_bytes = entry["bytes"];
  if (bytes.size() != expected_bytes) {
    return Damage(checkpoint / name,
                  fmt::format("has {} bytes, expected {}", bytes.size(), expected_bytes));
  }
  Fnv1a hash;
  hash.Add(bytes);
  const std::string expected = entry["fnv1a"];
  if (hash.ToString() == expected) return absl::OkStatus();
  return Damage(checkpoint / name,
                fmt::format("has checksum {}, expected {}", hash.ToString(), expected));
}

}  // namespace

absl::Status VerifyCheckpoint(const fs::path& checkpoint) {
  NMT_ASSIGN_OR_RETURN(const json files, ReadManifest(checkpoint));
  for (const char* name : kFiles) NMT_RETURN_IF_ERROR(VerifyFile(checkpoint, name, files));
  return absl::OkStatus();
}

bool IsDamage(const absl::Status& verified) { return absl::IsDataLoss(verified); }

absl::Status LoadWeights(const fs::path& checkpoint, Seq2Seq& model,
                         const std::string& vocabulary_checksum) {
  const fs::path path = checkpoint / "model.safetensors";
  NMT_ASSIGN_OR_RETURN(TensorFile file, ReadSafetensors(path));
  if (file.metadata["format"] != kFormat) {
    return DataError(fmt::format("{}: has format \"{}\", expected \"{}\"", path.string(),
                                 file.metadata["format"], kFormat));
  }
  if (file.metadata["vocabulary"] != vocabulary_checksum) {
    return DataError(
        fmt::format("{}: was trained with another vocabulary (checksum {}) than what {}/*.spm hold "
                    "(checksum {})",
                    path.string(), file.metadata["vocabulary"],
                    checkpoint.parent_path().parent_path().string(), vocabulary_checksum));
  }
  torch::NoGradGuard no_grad;
  for (const auto& parameter : model.named_parameters()) {
    const auto found = file.tensors.find(parameter.key());
    if (found == file.tensors.end()) {
      return DataError(fmt::format("{}: lacks the weight \"{}\" that config.yaml asks for",
                                   path.string(), parameter.key()));
    }
    const torch::Tensor& tensor = found->second;
    if (tensor.sizes() != parameter.value().sizes() || tensor.scalar_type() != torch::kFloat32) {
      return DataError(
          fmt::format("{}: weight \"{}\" has shape {} of {}, but config.yaml and the vocabulary "
                      "ask for {} of Float",
                      path.string(), parameter.key(), c10::str(tensor.sizes()),
                      c10::toString(tensor.scalar_type()), c10::str(parameter.value().sizes())));
    }
    parameter.value().copy_(found->second);
    if (!parameter.value().isfinite().all().item<bool>()) {
      return DataError(
          fmt::format("{}: weight \"{}\" holds NaN or infinity", path.string(), parameter.key()));
    }
    file.tensors.erase(found);
  }
  if (!file.tensors.empty()) {
    return DataError(
        fmt::format("{}: holds the weight \"{}\", which the model of config.yaml does not have",
                    path.string(), file.tensors.begin()->first));
  }
  // Last, as what is said above says more.
  NMT_ASSIGN_OR_RETURN(const json files, ReadManifest(checkpoint));
  return VerifyFile(checkpoint, "model.safetensors", files);
}

absl::StatusOr<TrainingState> LoadTrainingState(const fs::path& checkpoint) {
  const fs::path path = checkpoint / "state.json";
  NMT_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseTrainingState(text, path.string());
}

std::string PrintTrainingState(const TrainingState& state) {
  json text;
  VisitState(state, [&](const char* key, const auto& value) { text[key] = value; });
  text["format"] = kFormat;
  return text.dump(2) + "\n";
}

absl::StatusOr<TrainingState> ParseTrainingState(const std::string& text,
                                                 const std::string& place) {
  const json parsed = ParseShallowJson(text);
  TrainingState state{.accumulate = 0};
  std::string missing;
  VisitState(state, [&](const char* key, auto& value) {
    // Fields that came later than the first version begin as they would have.
    const std::string_view name = key;
    const bool is_later = name == "best_loss" || name.starts_with("window_guided_") ||
                          name == "workers" || name == "accumulate";
    if (!parsed.is_object() || !parsed.contains(key) || !parsed[key].is_number()) {
      if (!is_later) missing = key;
    } else {
      parsed[key].get_to(value);
    }
  });
  if (!missing.empty()) {
    return DataError(fmt::format("{}: is damaged: no number \"{}\"", place, missing));
  }
  return state;
}

}  // namespace nmt
