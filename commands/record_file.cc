#include "commands/record_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "nmt/alignment/attention_json.h"

namespace nmt {

absl::StatusOr<RecordFile> RecordFile::Open(const std::string& path) {
  RecordFile file(path);
  if (path.empty()) return file;
  file.stream_.open(file.temporary_, std::ios::trunc);
  if (!file.stream_) return DataError(fmt::format("{}: cannot be written", path));
  return file;
}

RecordFile::~RecordFile() {
  std::error_code ignored;
  if (stream_.is_open()) std::filesystem::remove(temporary_, ignored);
}

void RecordFile::Write(const TrainedModel& trained, const AlignedPair& pair, size_t line) {
  if (path_.empty() || pair.source.ids.empty()) return;
  nlohmann::ordered_json object = {{"line", line}};
  ForEachForced(
      *trained.model, {pair.source.ids}, {pair.target.ids},
      {.attention = true, .value_norms = true, .self_attention = true}, {},
      [&](size_t, const ForcedPair& forced) {
        object.update(AttentionJson(trained.tokenizers, pair.source.ids, pair.target.ids, forced));
      });
  stream_ << object.dump() << "\n";
}

absl::Status RecordFile::Conclude() {
  if (path_.empty()) return absl::OkStatus();
  stream_.close();
  std::error_code error;
  if (!stream_.fail()) std::filesystem::rename(temporary_, path_, error);
  if (stream_.fail() || error) return DataError(fmt::format("{}: cannot be written", path_));
  return absl::OkStatus();
}

}  // namespace nmt
