#include "nmt/checkpoint/run_directory.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/base/fnv1a.h"
#include "nmt/base/shallow_json.h"
#include "nmt/config/reader.h"
#include "nmt/models/multiply_adds.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kCheckpointPrefix = "update-";
constexpr std::string_view kAveragePrefix = "average-";

// What is not there, or goes while it is looked at, is fine: a training may be at work.
absl::Status CheckPlainBelow(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found || type == fs::file_type::regular) return absl::OkStatus();
  const auto failed = [&] {
    return DataError(fmt::format("{}: {}", path.string(), error.message()));
  };
  if (type == fs::file_type::none) return failed();
  if (type != fs::file_type::directory) {
    return DataError(
        fmt::format("{}: is a link, a pipe or a device; a run holds plain files and folders only",
                    path.string()));
  }
  fs::directory_iterator entry(path, error);
  while (!error && entry != fs::directory_iterator()) {
    NMT_RETURN_IF_ERROR(CheckPlainBelow(entry->path()));
    entry.increment(error);
  }
  return error && error != std::errc::no_such_file_or_directory ? failed() : absl::OkStatus();
}

}  // namespace

fs::path RunDirectory::tokenizer(bool shared, bool source) const {
  return root_ / (shared ? "shared.spm" : source ? "source.spm" : "target.spm");
}

std::vector<fs::path> RunDirectory::OwnPaths() const {
  return {config(),
          root_ / "shared.spm",
          root_ / "source.spm",
          root_ / "target.spm",
          checkpoints(),
          metrics(),
          tensorboard(),
          log(),
          translations(),
          alignment(),
          finish()};
}

absl::Status RunDirectory::CheckPlain() const {
  for (const fs::path& path : OwnPaths()) NMT_RETURN_IF_ERROR(CheckPlainBelow(path));
  return absl::OkStatus();
}

absl::Status RunDirectory::RemoveOwnFiles() const {
  for (const fs::path& path : OwnPaths()) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) {
      return DataError(fmt::format("{}: cannot remove: {}", path.string(), error.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status SaveFinish(const RunDirectory& run, const TrainingFinish& finish) {
  const nlohmann::ordered_json json = {
      {"update", finish.update}, {"seconds", finish.seconds}, {"reason", finish.reason}};
  return WriteFileAtomically(run.finish(), json.dump(2) + "\n");
}

absl::Status RemoveFinish(const RunDirectory& run) {
  std::error_code error;
  fs::remove(run.finish(), error);
  if (!error) return absl::OkStatus();
  return DataError(fmt::format("{}: cannot remove: {}", run.finish().string(), error.message()));
}

std::optional<TrainingFinish> LoadFinish(const RunDirectory& run) {
  const absl::StatusOr<std::string> text = ReadFile(run.finish());
  if (!text.ok()) return std::nullopt;
  const auto json = ParseShallowJson(*text);
  const auto holds = [&json](const char* key, bool (nlohmann::json::*is)() const noexcept) {
    return json.contains(key) && (json[key].*is)();
  };
  using Json = nlohmann::json;
  if (!json.is_object() || !holds("update", &Json::is_number_integer) ||
      !holds("seconds", &Json::is_number) || !holds("reason", &Json::is_string)) {
    return std::nullopt;
  }
  return TrainingFinish{json["update"], json["seconds"], json["reason"]};
}

std::string RunDirectory::CheckpointName(int64_t update) {
  return fmt::format("{}{:08d}", kCheckpointPrefix, update);
}

std::string RunDirectory::AverageName(int64_t update) {
  return fmt::format("{}{:08d}", kAveragePrefix, update);
}

absl::StatusOr<fs::path> RunDirectory::Resolve(std::string_view pointer) const {
  const fs::path file = checkpoints() / pointer;
  NMT_ASSIGN_OR_RETURN(std::string name, ReadFile(file));
  while (!name.empty() && name.back() == '\n') name.pop_back();
  // The name comes from a file that a stranger may have written: it must stay in its folder.
  const bool known = name.starts_with(kCheckpointPrefix) || name.starts_with(kAveragePrefix);
  const bool plain = known && name.find('/') == std::string::npos;
  if (!plain || !fs::is_directory(checkpoints() / name)) {
    return DataError(fmt::format("{}: names \"{}\", which is no checkpoint in {}", file.string(),
                                 name, checkpoints().string()));
  }
  return checkpoints() / name;
}

absl::StatusOr<fs::path> RunDirectory::ResolveWeights(std::string_view pointer) const {
  auto checkpoint = Resolve(pointer);
  if (!checkpoint.ok() && pointer == "best") return Resolve("last");
  return checkpoint;
}

absl::Status RunDirectory::Point(std::string_view pointer, const std::string& checkpoint) const {
  return WriteFileAtomically(checkpoints() / pointer, checkpoint + "\n");
}

namespace {

// The folders "<prefix>NNNNNNNN", newest first.
std::vector<std::pair<int64_t, fs::path>> ListFolders(const RunDirectory& run,
                                                      std::string_view prefix) {
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run.checkpoints(), error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || !name.starts_with(prefix)) continue;
    const std::string digits = name.substr(prefix.size());
    int64_t update = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), update);
    const bool complete = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
    if (complete) found.emplace_back(update, entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

// Renamed first: a kill in the middle leaves no half of one under its name.
absl::Status RemoveCheckpoint(const fs::path& path) {
  std::error_code error;
  fs::path doomed = path;
  if (path.extension() != ".tmp") {
    doomed += ".tmp";
    fs::remove_all(doomed, error);
    fs::rename(path, doomed, error);
  }
  if (!error) fs::remove_all(doomed, error);
  if (!error) return absl::OkStatus();
  return DataError(fmt::format("{}: cannot remove: {}", path.string(), error.message()));
}

}  // namespace

std::vector<fs::path> ListCheckpoints(const RunDirectory& run, int64_t every) {
  std::vector<fs::path> found;
  for (const auto& [update, path] : ListFolders(run, kCheckpointPrefix)) {
    if (update % every == 0) found.push_back(path);
  }
  return found;
}

absl::Status RemoveCheckpointsAfter(const RunDirectory& run, int64_t update) {
  for (const std::string_view prefix : {kCheckpointPrefix, kAveragePrefix}) {
    for (const auto& [other, path] : ListFolders(run, prefix)) {
      if (other > update) NMT_RETURN_IF_ERROR(RemoveCheckpoint(path));
    }
  }
  return absl::OkStatus();
}

absl::Status RemoveOldCheckpoints(const RunDirectory& run, const KeepOptions& keep) {
  std::vector<fs::path> kept = ListCheckpoints(run, keep.every);
  std::vector<std::pair<double, fs::path>> scored;  // best first, the older of two equals
  for (const fs::path& path : kept) {
    if (const auto state = LoadTrainingState(path); state.ok() && state->score >= 0)
      scored.emplace_back(-state->score, path);
  }
  std::sort(scored.begin(), scored.end());
  kept.resize(std::min(kept.size(), static_cast<size_t>(keep.last)));
  scored.resize(std::min(scored.size(), static_cast<size_t>(keep.best)));
  for (const auto& [score, path] : scored) kept.push_back(path);
  for (std::string_view pointer : {"last", "best"}) {
    if (auto checkpoint = run.Resolve(pointer); checkpoint.ok()) kept.push_back(*checkpoint);
  }
  std::vector<fs::path> old = ListCheckpoints(run);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run.checkpoints(), error)) {
    if (entry.is_directory() && entry.path().extension() == ".tmp") old.push_back(entry.path());
  }
  for (const auto& [update, path] : ListFolders(run, kAveragePrefix)) old.push_back(path);
  for (const fs::path& path : old) {
    if (std::find(kept.begin(), kept.end(), path) != kept.end()) continue;
    NMT_RETURN_IF_ERROR(RemoveCheckpoint(path));
  }
  return absl::OkStatus();
}

absl::StatusOr<Tokenizers> LoadTokenizers(const RunDirectory& run,
                                          const TokenizerOptions& options) {
  Fnv1a hash, target_hash;
  std::vector<Tokenizer> loaded;
  for (const bool source : {true, false}) {
    const fs::path path = run.tokenizer(options.shared, source);
    NMT_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
    hash.Add(bytes);
    if (!source) target_hash.Add(bytes);
    NMT_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::Load(path, options.lowercase));
    loaded.push_back(std::move(tokenizer));
  }
  return Tokenizers{std::move(loaded[0]), std::move(loaded[1]), hash.ToString(),
                    target_hash.ToString()};
}

absl::StatusOr<torch::Device> ChooseDevice(const std::string& name) {
  const int64_t gpus =
      torch::cuda::is_available() ? static_cast<int64_t>(torch::cuda::device_count()) : 0;
  if (name == "cpu" || (name == "auto" && gpus == 0)) return torch::Device(torch::kCPU);
  if (name == "auto") return torch::Device(torch::kCUDA, 0);
  int64_t index = 0;
  if (name.starts_with("cuda:")) {
    const std::string digits = name.substr(5);
    if (digits.empty() || digits.size() > 3 ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
      return UsageError(fmt::format("device: \"{}\", expected auto, cpu, cuda or cuda:N", name));
    }
    index = std::stoll(digits);
  } else if (name != "cuda") {
    return UsageError(fmt::format("device: \"{}\", expected auto, cpu, cuda or cuda:N", name));
  }
  if (index >= gpus) {
    return UsageError(fmt::format(
        "device: \"{}\", but this program sees {} CUDA devices here; use cpu or auto", name, gpus));
  }
  return torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(index));
}

// For a source and a target of one piece, multiply-adds count each matrix once.
absl::Status CheckModelFits(const ModelOptions& options, const VocabularySizes& sizes,
                            const fs::path& weights) {
  const auto numbers = static_cast<double>(MultiplyAdds(options, sizes, 1, 1));
  const bool has_table =
      options.type == ModelType::kTransformer && options.positions == Positions::kLearned;
  const double table = has_table ? static_cast<double>(options.max_positions) *
                                       static_cast<double>(options.hidden_size)
                                 : 0;
  std::error_code error;
  const auto bytes = static_cast<double>(fs::file_size(weights, error));
  if (error) return DataError(fmt::format("{}: {}", weights.string(), error.message()));
  constexpr double kBytesANumber = 4, kSlack = 2;
  if ((numbers + table) * kBytesANumber <= kSlack * bytes) return absl::OkStatus();
  NMT_RETURN_IF_ERROR(
      ReadSafetensors(weights).status());  // cut short, rather than of another model
  return DataError(
      fmt::format("{}: holds {:.0f} bytes, but the model of config.yaml has about {:.3g} weights",
                  weights.string(), bytes, numbers + table));
}

absl::StatusOr<TrainedModel> LoadTrainedModel(const fs::path& path, std::string_view pointer,
                                              torch::Device device) {
  const RunDirectory run(path);
  if (!run.Exists()) {
    return DataError(
        fmt::format("{}: is no run directory of nmt train (it has no config.yaml)", path.string()));
  }
  NMT_RETURN_IF_ERROR(run.CheckPlain());
  NMT_ASSIGN_OR_RETURN(const Options options, ReadOptions(run.config(), {}));
  const auto checkpoint = run.ResolveWeights(pointer);
  if (!checkpoint.ok()) {
    return DataError(fmt::format("{}: has no finished checkpoint yet ({})", path.string(),
                                 std::string(checkpoint.status().message())));
  }
  NMT_ASSIGN_OR_RETURN(Tokenizers tokenizers, LoadTokenizers(run, options.tokenizer));
  const VocabularySizes sizes{tokenizers.source.vocab_size(), tokenizers.target.vocab_size()};
  NMT_RETURN_IF_ERROR(CheckModelFits(options.model, sizes, *checkpoint / "model.safetensors"));
  auto model = MakeModel(options.model, sizes, /*seed=*/1);
  NMT_RETURN_IF_ERROR(LoadWeights(*checkpoint, *model, tokenizers.checksum));
  NMT_ASSIGN_OR_RETURN(const TrainingState state, LoadTrainingState(*checkpoint));
  model->to(device);
  model->eval();
  return TrainedModel{path, options, std::move(tokenizers), std::move(model), *checkpoint, state};
}

}  // namespace nmt
