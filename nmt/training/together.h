// What workers must have in common before they train together, and what they get from worker 0.
#ifndef NMT_TRAINING_TOGETHER_H_
#define NMT_TRAINING_TOGETHER_H_

#include <string>

#include "nmt/checkpoint/run_directory.h"
#include "nmt/distributed/workers.h"
#include "nmt/training/trainer.h"

namespace nmt {

// Whether this worker would train what worker 0 trains: the same version of the program, the same
// options (but for where files lie, the device and threads) and the same text. A usage error names
// all that differs, with both values, in every worker. Called by all of them.
absl::Status CheckSameTraining(const std::string& version, const Options& options,
                               const TrainingCorpora& corpora, Workers& workers);

// Gives `run` of every worker the subword models that worker 0's has.
absl::Status ShareTokenizers(const RunDirectory& run, bool shared, Workers& workers);

}  // namespace nmt

#endif  // NMT_TRAINING_TOGETHER_H_
