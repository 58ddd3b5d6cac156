#include "nmt/distributed/launch.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace nmt {
namespace {

using Environment = std::function<const char*(const char*)>;

struct Variables {
  const char *rank, *size, *local_rank, *local_size;
};
constexpr std::array kLaunchers = {
    Variables{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    // Of a step: within a batch script, but outside of srun, there is one process alone.
    Variables{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "LOCAL_WORLD_SIZE"},
    Variables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
              "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Variables{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}};
constexpr std::string_view kSlurm = "SLURM_PROCID";

absl::StatusOr<int64_t> Number(const Environment& get, const char* name, int64_t low,
                               int64_t high) {
  const char* const text = get(name);
  if (text == nullptr)
    return UsageError(fmt::format("{}: is not set, as other variables of a launcher are", name));
  const std::string_view view(text);
  int64_t value = 0;
  const auto parsed = std::from_chars(view.data(), view.data() + view.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != view.data() + view.size() || value < low ||
      value > high) {
    return UsageError(
        fmt::format("{}: found \"{}\", expected a number from {} to {}", name, view, low, high));
  }
  return value;
}

absl::StatusOr<int64_t> NumberOr(const Environment& get, const char* name, int64_t missing,
                                 int64_t low, int64_t high) {
  if (get(name) == nullptr) return missing;
  return Number(get, name, low, high);
}

// Where worker 0 is, if no variable says it: Slurm's lists of hosts and jobs do.
absl::Status FindAddress(const Environment& get, bool is_slurm, WorkerPlace* place) {
  constexpr int64_t kFirstSlurmPort = 20000, kSlurmPorts = 20000;
  if (const char* const address = get("MASTER_ADDR")) {
    place->address = address;
  } else if (const char* const hosts = is_slurm ? get("SLURM_STEP_NODELIST") : nullptr) {
    place->address = FirstHost(hosts);
  } else {
    return UsageError("MASTER_ADDR: is not set, expected the address of worker 0's machine");
  }
  if (is_slurm && get("MASTER_PORT") == nullptr) {
    NMT_ASSIGN_OR_RETURN(const int64_t job, Number(get, "SLURM_JOB_ID", 0, INT64_MAX));
    place->port = kFirstSlurmPort + job % kSlurmPorts;
    return absl::OkStatus();
  }
  NMT_ASSIGN_OR_RETURN(place->port, Number(get, "MASTER_PORT", 1, 65535));
  return absl::OkStatus();
}

}  // namespace

std::string FirstHost(const std::string& hosts) {
  const size_t end = hosts.find_first_of(",[");
  std::string host = hosts.substr(0, end);
  if (end == std::string::npos || hosts[end] == ',') return host;
  const size_t digits = end + 1;
  return host + hosts.substr(digits, hosts.find_first_of(",-]", digits) - digits);
}

absl::StatusOr<WorkerPlace> ReadWorkerPlace(const Environment& get) {
  constexpr int64_t kMostWorkers = 1 << 20;
  WorkerPlace place;
  for (const Variables& names : kLaunchers) {
    const bool is_slurm = names.rank == kSlurm;
    // Interactive shells of Slurm and of some MPIs have a rank but no size.
    if (get(names.rank) == nullptr || (names.rank != kLaunchers[0].rank && !get(names.size)))
      continue;
    NMT_ASSIGN_OR_RETURN(place.size, Number(get, names.size, 1, kMostWorkers));
    NMT_ASSIGN_OR_RETURN(place.rank, Number(get, names.rank, 0, place.size - 1));
    NMT_ASSIGN_OR_RETURN(place.local_rank, NumberOr(get, names.local_rank, 0, 0, place.size - 1));
    NMT_ASSIGN_OR_RETURN(place.local_size,
                         NumberOr(get, names.local_size, 1, place.local_rank + 1, kMostWorkers));
    if (place.size == 1) return WorkerPlace();
    NMT_RETURN_IF_ERROR(FindAddress(get, is_slurm, &place));
    const char* const agent = get("TORCHELASTIC_USE_AGENT_STORE");
    place.store_is_there = agent != nullptr && std::string_view(agent) == "True";
    NMT_ASSIGN_OR_RETURN(place.restarts,
                         NumberOr(get, "TORCHELASTIC_RESTART_COUNT", 0, 0, INT32_MAX));
    NMT_ASSIGN_OR_RETURN(const int64_t socket, NumberOr(get, kListeningSocket, -1, 0, INT32_MAX));
    place.listening_socket = static_cast<int>(socket);
    return place;
  }
  if (get("WORLD_SIZE") != nullptr) {
    NMT_ASSIGN_OR_RETURN(const int64_t size, Number(get, "WORLD_SIZE", 1, kMostWorkers));
    if (size > 1) return UsageError("RANK: is not set, but WORLD_SIZE is");
  }
  return place;
}

}  // namespace nmt
