// The mean of the weights of several checkpoints (Vaswani et al. 2017, section 6.1).
#ifndef NMT_TRAINING_AVERAGE_H_
#define NMT_TRAINING_AVERAGE_H_

#include <filesystem>
#include <vector>

#include "nmt/checkpoint/run_directory.h"

namespace nmt {

// Gives `model` the mean, summed in float64. The checkpoints are of the model's run.
absl::Status AverageCheckpoints(const std::vector<std::filesystem::path>& checkpoints,
                                const TrainedModel& model);

}  // namespace nmt

#endif  // NMT_TRAINING_AVERAGE_H_
