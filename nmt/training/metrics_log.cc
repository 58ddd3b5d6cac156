#include "nmt/training/metrics_log.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/base/shallow_json.h"
#include "nmt/text/lines.h"

namespace nmt {

using nlohmann::json;

absl::StatusOr<MetricsLog> MetricsLog::Open(const RunDirectory& run, bool tensorboard,
                                            int64_t update) {
  std::string kept;
  std::vector<std::string> lines;
  if (std::filesystem::exists(run.metrics())) {
    NMT_ASSIGN_OR_RETURN(lines, ReadLines(run.metrics()));
  }
  for (const std::string& line : lines) {
    const json record = ParseShallowJson(line);
    const bool is_whole = record.is_object() && record.contains("update");
    if (!is_whole || record["update"] > update) break;
    kept += line + "\n";
  }
  NMT_RETURN_IF_ERROR(WriteFileAtomically(run.metrics(), kept));
  if (!tensorboard) return MetricsLog(run.metrics(), std::nullopt);
  NMT_ASSIGN_OR_RETURN(EventFile events, EventFile::Create(run.tensorboard(), update + 1));
  return MetricsLog(run.metrics(), std::move(events));
}

absl::StatusOr<bool> MetricsLog::Holds(int64_t update, const std::string& key) const {
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines(path_));
  for (const std::string& line : lines) {
    const json record = ParseShallowJson(line);
    if (record.is_object() && record.value("update", int64_t{-1}) == update && record.contains(key))
      return true;
  }
  return false;
}

absl::Status MetricsLog::Append(const json& record) {
  std::ofstream out(path_, std::ios::app | std::ios::binary);
  out << record.dump() << '\n' << std::flush;
  if (!out) return DataError(fmt::format("{}: cannot write", path_.string()));
  if (!events_) return absl::OkStatus();
  Scalars scalars;
  // The mean of checkpoints has the update of the last one, whose validation it must not replace.
  const bool is_mean = record.contains("averaged_checkpoints");
  for (const auto& [name, value] : record.items()) {
    if (value.is_number() && name != "update") scalars.emplace_back("training/" + name, value);
    if (!value.is_object()) continue;
    for (const auto& [inner, number] : value.items()) {
      if (number.is_number())
        scalars.emplace_back(fmt::format("{}/{}", is_mean ? "mean" : name, inner), number);
    }
  }
  return events_->Add(record["update"], scalars);
}

}  // namespace nmt
