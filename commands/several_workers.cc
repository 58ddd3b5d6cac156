#include "commands/several_workers.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>

#include "nmt/checkpoint/run_directory.h"
#include "nmt/distributed/launch.h"
#include "nmt/distributed/local_workers.h"

namespace nmt {
namespace {

absl::Status StartWorkers(int64_t count) {
  NMT_ASSIGN_OR_RETURN(const auto arguments, ArgumentsWithout("--workers"));
  NMT_ASSIGN_OR_RETURN(const int exit_status, RunLocalWorkers(count, arguments));
  if (exit_status == 0) return absl::OkStatus();
  const std::string line = fmt::format("the {} workers have ended", count);
  return exit_status == 2 ? UsageError(line) : DataError(line);
}

void ShareThreads(int64_t threads, const WorkerPlace& place) {
  const auto share = [&](int64_t all) {
    at::set_num_threads(static_cast<int>(std::max<int64_t>(1, all / place.local_size)));
  };
  if (threads > 0) {
    share(threads);
  } else if (place.local_size > 1 && std::getenv("OMP_NUM_THREADS") == nullptr) {
    share(at::get_num_threads());
  }
}

// A worker's own GPU, where the name leaves the choice.
std::string DeviceName(const std::string& device, const WorkerPlace& place) {
  const bool gpu = device == "cuda" || (device == "auto" && torch::cuda::is_available());
  return place.size > 1 && gpu ? fmt::format("cuda:{}", place.local_rank) : device;
}

}  // namespace

void AddWorkerOptions(CLI::App& command, const std::string& meaning, WorkerArguments& arguments) {
  const char* group = "Several processes";
  command.add_option("--workers", arguments.workers, meaning)
      ->check(CLI::Range(1, 4096))
      ->group(group);
  command
      .add_option("--worker-timeout", arguments.timeout,
                  "Seconds until a worker that does not come, gives no sign or does not go on ends "
                  "the others")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str()
      ->group(group);
}

absl::Status RunAsWorker(const WorkerArguments& arguments, int64_t threads,
                         const std::string& device, const WorkerCommand& command) {
  NMT_ASSIGN_OR_RETURN(const WorkerPlace place,
                       ReadWorkerPlace([](const char* name) { return std::getenv(name); }));
  if (arguments.workers > 1 && place.size > 1) {
    return UsageError(fmt::format("--workers {}: but a launcher has started {} workers",
                                  arguments.workers, place.size));
  }
  if (arguments.workers > 1) return StartWorkers(arguments.workers);
  ShareThreads(threads, place);
  NMT_ASSIGN_OR_RETURN(const torch::Device own, ChooseDevice(DeviceName(device, place)));
  if (place.size == 1) {
    Workers alone;
    return command(alone, place, own);
  }
  NMT_ASSIGN_OR_RETURN(const auto workers, JoinGroup(place, {.timeout = arguments.timeout}));
  try {
    workers->Connect(own);
    return workers->Leave(command(*workers, place, own));
  } catch (const c10::Error& error) {
    return workers->Explain(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return workers->Explain(error.what());
  }
}

}  // namespace nmt
