// What a run's own records say of its training.
//
//   ModelCost cost = ReadTrainingCost(run.metrics());
#ifndef NMT_REPORT_TRAINING_COST_H_
#define NMT_REPORT_TRAINING_COST_H_

#include <filesystem>

#include "nmt/report/report_cost.h"

namespace nmt {

// The curves (training loss, validation BLEU and perplexity, alignment error rate in percent), tokens/s
// and peak memory of a metrics.jsonl. Lines that are damaged are left out; without the file all is absent.
ModelCost ReadTrainingCost(const std::filesystem::path& metrics);

}  // namespace nmt

#endif  // NMT_REPORT_TRAINING_COST_H_
