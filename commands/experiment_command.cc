// nmt experiment: trains the runs that a plan lists, several at a time, and compares them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "commands/command.h"
#include "commands/compare_runs.h"
#include "nmt/base/child_process.h"
#include "nmt/base/file.h"
#include "nmt/base/progress.h"
#include "nmt/base/stop_signals.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/config/plan.h"
#include "nmt/config/printer.h"
#include "nmt/config/reader.h"
#include "nmt/report/training_cost.h"
#include "nmt/training/new_run.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

struct ExperimentArguments {
  std::string plan;
  int64_t jobs = 0;
  bool overwrite = false, dry_run = false;
};

RunDirectory DirectoryOf(const PlannedRun& run) { return RunDirectory(run.options.run_dir); }

// Whether the run ended with just the options of the plan.
bool IsDone(const PlannedRun& run) {
  const RunDirectory directory = DirectoryOf(run);
  if (!directory.Exists() || !LoadFinish(directory)) return false;
  absl::StatusOr<Options> saved = ReadOptions(directory.config(), {});
  if (!saved.ok()) return false;
  saved->run_dir = run.options.run_dir;  // it may have been moved
  return DifferingKeys(run.options, *saved).empty();
}

// Runs that exist must be able to go on as the plan says, before the first one takes its hours.
absl::Status CheckRuns(const Plan& plan) {
  for (const PlannedRun& run : plan.runs) {
    const RunDirectory directory = DirectoryOf(run);
    if (directory.Exists()) {
      if (const absl::Status same = CheckSameRun(run.options, directory); !same.ok()) {
        return UsageError(fmt::format(
            "{}; --overwrite trains all runs of the plan anew, another `out` keeps these",
            std::string(same.message())));
      }
    } else {
      NMT_RETURN_IF_ERROR(CheckRunDirectory(directory, /*overwrite=*/false));
    }
  }
  return absl::OkStatus();
}

// So many that their threads fill the cores; one, where a run takes all of them.
absl::StatusOr<size_t> ChooseJobs(const ExperimentArguments& arguments, const Plan& plan) {
  if (arguments.jobs > 0) return static_cast<size_t>(arguments.jobs);
  int64_t threads = 1;
  for (const PlannedRun& run : plan.runs) {
    NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(run.options.device));
    if (run.options.threads == 0 || !device.is_cpu()) return size_t{1};
    threads = std::max(threads, run.options.threads);
  }
  const auto cores = static_cast<int64_t>(std::thread::hardware_concurrency());
  return static_cast<size_t>(std::max<int64_t>(1, cores / threads));
}

// The last update that the run has recorded.
int64_t UpdateOf(const PlannedRun& run) {
  int64_t update = 0;
  for (const Curve& curve : ReadTrainingCost(DirectoryOf(run).metrics()).curves)
    update = std::max(update, curve.points.back().update);
  return update;
}

// "best validation BLEU 34.20"
std::string ResultOf(const PlannedRun& run) {
  const auto last = DirectoryOf(run).Resolve("last");
  if (!last.ok()) return "no checkpoint";
  const auto state = LoadTrainingState(*last);
  return state.ok() ? fmt::format("best validation BLEU {:.2f}", state->best_score)
                    : std::string(state.status().message());
}

// Trains the runs of a plan, some at a time. A run that fails does not stop the others; a wish to end does.
class Trainings {
 public:
  Trainings(const Plan& plan, size_t jobs, bool overwrite)
      : plan_(plan), jobs_(jobs), overwrite_(overwrite), bar_("experiment", AllUpdates(plan)) {}
  ~Trainings() {
    for (const auto& [id, child] : children_) child.process.Stop();
  }

  struct Result {
    std::vector<std::string> failed;  // names
    bool stopped = false;
  };
  absl::StatusOr<Result> Run() {
    const StopSignals signals("\nstopping the runs; once more to leave them without saving\n");
    for (size_t next = 0; next < plan_.runs.size() || !children_.empty();) {
      if (StopRequested() && !result_.stopped) {
        for (const auto& [id, child] : children_) child.process.Stop();
        result_.stopped = true;
      }
      if (result_.stopped && children_.empty()) break;
      if (!result_.stopped && next < plan_.runs.size() && children_.size() < jobs_) {
        const size_t run = next++;
        if (const absl::Status begun = Begin(run); !begun.ok())
          Fail(run, std::string(begun.message()));
        if (!IsAtWork(run)) ended_updates_ += plan_.runs[run].options.training.max_updates;
        continue;
      }
      NMT_ASSIGN_OR_RETURN(const EndedChild ended, WaitForChild());
      if (ended.id != 0) End(ended);
      ShowProgress();
    }
    result_.stopped |= StopRequested();
    return result_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Child {
    ChildProcess process;
    size_t run;
  };

  // One at a time prints here, several each into a file of their own.
  fs::path OutputOf(const PlannedRun& run) const {
    return jobs_ == 1 ? fs::path() : plan_.out / "logs" / (run.name + ".log");
  }
  void Say(size_t run, const std::string& what) {
    bar_.Clear();
    fmt::print(stderr, "[{}/{}] {}: {}\n", run + 1, plan_.runs.size(), plan_.runs[run].name, what);
  }
  bool IsAtWork(size_t run) const {
    return std::any_of(children_.begin(), children_.end(),
                       [run](const auto& child) { return child.second.run == run; });
  }
  static int64_t AllUpdates(const Plan& plan) {
    int64_t updates = 0;
    for (const PlannedRun& run : plan.runs) updates += run.options.training.max_updates;
    return updates;
  }
  // One run at a time shows its own.
  void ShowProgress() {
    if (jobs_ == 1 || !bar_.is_visible() || Clock::now() < next_look_) return;
    next_look_ = Clock::now() + std::chrono::seconds(2);
    int64_t updates = ended_updates_;
    std::vector<std::string> running;
    for (const auto& [id, child] : children_) {
      const PlannedRun& run = plan_.runs[child.run];
      const int64_t update = UpdateOf(run);
      updates += update;
      running.push_back(fmt::format("{} {:.0f}%", run.name,
                                    100.0 * static_cast<double>(update) /
                                        static_cast<double>(run.options.training.max_updates)));
    }
    bar_.Update(updates, fmt::format("{}", fmt::join(running, ", ")));
  }

  void Fail(size_t run, const std::string& why) {
    result_.failed.push_back(plan_.runs[run].name);
    Say(run, "failed, " + why);
  }

  absl::Status Begin(size_t index) {
    const PlannedRun& run = plan_.runs[index];
    if (!overwrite_ && IsDone(run)) {
      Say(index, "done before, " + ResultOf(run));
      return absl::OkStatus();
    }
    // The config as the plan found it, whatever becomes of its file while the runs before train.
    const fs::path config = plan_.out / "configs" / (run.name + ".yaml");
    NMT_RETURN_IF_ERROR(WriteFileAtomically(config, PrintOptions(run.options)));
    const bool exists = DirectoryOf(run).Exists();
    std::vector<std::string> arguments{"train", config.string()};
    if (exists) arguments.push_back(overwrite_ ? "--overwrite" : "--resume");
    NMT_ASSIGN_OR_RETURN(const ChildProcess process,
                         ChildProcess::Start(arguments, {.output = OutputOf(run)}));
    children_.emplace(process.id(), Child{process, index});
    Say(index, exists && !overwrite_ ? "goes on" : "begins");
    return absl::OkStatus();
  }

  void End(const EndedChild& ended) {
    const auto child = children_.find(ended.id);
    if (child == children_.end()) return;
    const size_t index = child->second.run;
    const PlannedRun& run = plan_.runs[index];
    children_.erase(child);
    ended_updates_ += run.options.training.max_updates;
    if (ended.exit_status == 0) {
      const auto finish = LoadFinish(DirectoryOf(run));
      return Say(index, fmt::format("done in {}, {}", FormatDuration(finish ? finish->seconds : 0),
                                    ResultOf(run)));
    }
    if (result_.stopped) return Say(index, "stopped");
    std::string why = ended.exit_status < 0 ? fmt::format("ended by signal {}", -ended.exit_status)
                                            : fmt::format("exit status {}", ended.exit_status);
    if (const fs::path output = OutputOf(run); !output.empty())
      why += fmt::format("; see {}", output.string());
    Fail(index, why);
  }

  const Plan& plan_;
  const size_t jobs_;
  const bool overwrite_;
  std::map<pid_t, Child> children_;
  ProgressBar bar_;  // of the updates of all runs
  int64_t ended_updates_ = 0;
  Clock::time_point next_look_;
  Result result_;
};

TestFiles FilesOf(const PlannedTest& test) {
  return {test.name, test.source, test.reference, test.gold};
}

absl::Status Experiment(const ExperimentArguments& arguments) {
  NMT_ASSIGN_OR_RETURN(const Plan plan, ReadPlan(arguments.plan));
  // What the comparison reads is checked now, not when all runs are trained.
  NMT_RETURN_IF_ERROR(ReadTestSet(FilesOf(plan.test)).status());
  for (const PlannedTest& part : plan.parts)
    NMT_RETURN_IF_ERROR(ReadTestSet(FilesOf(part)).status());
  if (!arguments.overwrite) NMT_RETURN_IF_ERROR(CheckRuns(plan));
  NMT_ASSIGN_OR_RETURN(const size_t jobs, ChooseJobs(arguments, plan));
  if (arguments.dry_run) {
    for (const PlannedRun& run : plan.runs)
      fmt::print("{}{}\n", run.options.run_dir, IsDone(run) ? " (done)" : "");
    fmt::print("{} runs, {} at a time; report in {}; nothing was written\n", plan.runs.size(), jobs,
               (plan.out / "report").string());
    return absl::OkStatus();
  }
  for (const char* folder : {"logs", "configs"})
    NMT_RETURN_IF_ERROR(MakeWritableDirectory(plan.out / folder));
  NMT_ASSIGN_OR_RETURN(const Trainings::Result result,
                       Trainings(plan, jobs, arguments.overwrite).Run());
  const char* again =
      arguments.overwrite ? "the same command without --overwrite" : "the same command";
  if (result.stopped) return DataError(fmt::format("interrupted; {} goes on", again));
  const auto failed = [&](const PlannedRun& run) {
    return std::find(result.failed.begin(), result.failed.end(), run.name) != result.failed.end();
  };
  CompareOptions compare{
      .test = FilesOf(plan.test), .out = (plan.out / "report").string(), .seeds = plan.seeds > 1};
  for (const PlannedTest& part : plan.parts) compare.parts.push_back(FilesOf(part));
  for (const PlannedRun& run : plan.runs)
    if (!failed(run)) compare.runs.push_back(run.options.run_dir);
  if (!compare.runs.empty()) NMT_RETURN_IF_ERROR(CompareRuns(compare));
  if (result.failed.empty()) return absl::OkStatus();
  return DataError(
      fmt::format("{} of {} runs failed and are not in the report: {}; {} tries them again",
                  result.failed.size(), plan.runs.size(), fmt::join(result.failed, ", "), again));
}

}  // namespace

void AddExperimentCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<ExperimentArguments>();
  CLI::App* command = app.add_subcommand(
      "experiment",
      "Train the runs that a plan lists, then compare them; goes on where it stopped");
  command->add_option("PLAN", arguments->plan, "YAML file: configs, variants, seeds, test set")
      ->required();
  command
      ->add_option("--jobs", arguments->jobs,
                   "Runs at a time; 0: as many as fill the cores with the threads of the configs")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_flag("--overwrite", arguments->overwrite, "Train all runs anew, also those done");
  command->add_flag("--dry-run", arguments->dry_run,
                    "Check the plan, list its runs, write nothing");
  command->footer(
      "Example:\n  nmt data generate --out runs/demo/data --seed 1\n  nmt experiment "
      "configs/plans/attention.yaml");
  command->callback([arguments, &run] { run = [arguments] { return Experiment(*arguments); }; });
}

}  // namespace nmt
