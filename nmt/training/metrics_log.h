// The records of a run: metrics.jsonl, one JSON object a line, and the same numbers for TensorBoard.
//
//   NMT_ASSIGN_OR_RETURN(MetricsLog metrics, MetricsLog::Open(run, /*tensorboard=*/true, /*update=*/0));
//   NMT_RETURN_IF_ERROR(metrics.Append({{"update", 50}, {"loss", 4.2}}));
#ifndef NMT_TRAINING_METRICS_LOG_H_
#define NMT_TRAINING_METRICS_LOG_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "nmt/checkpoint/run_directory.h"
#include "nmt/training/event_file.h"

namespace nmt {

class MetricsLog {
 public:
  // For a run that stands at `update`: records of later updates, which will be made again, are
  // removed, and a line that a kill cut.
  static absl::StatusOr<MetricsLog> Open(const RunDirectory& run, bool tensorboard, int64_t update);

  // `record` holds "update" and numbers; those of a nested object ("validation") are named after it.
  absl::Status Append(const nlohmann::json& record);

  // Whether there is a record of `update` with `key`.
  absl::StatusOr<bool> Holds(int64_t update, const std::string& key) const;

 private:
  MetricsLog(std::filesystem::path path, std::optional<EventFile> events)
      : path_(std::move(path)), events_(std::move(events)) {}

  std::filesystem::path path_;
  std::optional<EventFile> events_;
};

}  // namespace nmt

#endif  // NMT_TRAINING_METRICS_LOG_H_
