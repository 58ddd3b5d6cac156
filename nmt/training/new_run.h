// From a config to a run directory with vocabularies and a model that a Trainer can train, and what
// must be true of that directory before.
//
//   NMT_RETURN_IF_ERROR(CheckRunDirectory(run, /*overwrite=*/false));
//   NMT_RETURN_IF_ERROR(MakeTokenizers(options, text, scratch, log));   // all that can fail, elsewhere
//   NMT_RETURN_IF_ERROR(BeginRun(options, run, scratch));
//   NMT_ASSIGN_OR_RETURN(TrainedModel model, NewModel(options, run, device, /*is_new=*/true));
#ifndef NMT_TRAINING_NEW_RUN_H_
#define NMT_TRAINING_NEW_RUN_H_

#include <string>

#include "nmt/base/log.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/corpus/training_text.h"

namespace nmt {

// A new run may begin in run_dir: nothing is there that is not a run's, and no run either unless it
// may be overwritten. Changes nothing.
absl::Status CheckRunDirectory(const RunDirectory& run, bool overwrite);

// `here` may go on with `run`: resuming with other options would be another run; only the limits may
// move.
absl::Status CheckSameRun(const Options& here, const RunDirectory& run);

// Whether anything but what an interrupted first save left lies among the checkpoints.
absl::StatusOr<bool> HoldsCheckpoints(const RunDirectory& run);

// The subword models of `options`, written into `run`: trained on `text`, or those of the run that
// training.warm_start names.
absl::Status MakeTokenizers(const Options& options, const TrainingText& text,
                            const RunDirectory& run, Log& log);
absl::Status CopyTokenizers(const RunDirectory& from, const RunDirectory& to, bool shared);

// Makes run_dir a run without updates, with the subword models of `scratch`. What an older run left
// there is removed.
absl::Status BeginRun(const Options& options, const RunDirectory& run, const RunDirectory& scratch);

// The model of `options` with the subword models of `run`; parameters that training.freeze names are
// not trained. `is_new`: begins with the weights of training.warm_start, if given; else they are
// loaded later.
absl::StatusOr<TrainedModel> NewModel(const Options& options, const RunDirectory& run,
                                      torch::Device device, bool is_new);

// "gru model, 1,234,567 parameters (1,000 of them trained), on cpu with 2 threads"
std::string DescribeModel(const TrainedModel& model);

}  // namespace nmt

#endif  // NMT_TRAINING_NEW_RUN_H_
