// What the report calls its runs: by what they are, and where that is the same, by what differs in their configs.
//
//   NMT_RETURN_IF_ERROR(NameRuns(options, /*seeds=*/true, comparison.models));
//   // "GRU, additive attention, dropout 0.2, seed 1", of the group "GRU, additive attention, dropout 0.2"
#ifndef NMT_REPORT_RUN_NAMES_H_
#define NMT_REPORT_RUN_NAMES_H_

#include <string>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/config/options.h"
#include "nmt/report/comparison.h"

namespace nmt {

// "GRU, additive attention"
std::string ModelTitle(const ModelOptions& options);

// Gives each model a name of its own, from its config (as many as models) and ModelResult::run. Runs whose configs
// differ in seed, folder, threads and device alone are one system; with `seeds` they get its name as their group.
// UsageError: a run is given twice, or, with `seeds`, two runs of a system have one seed.
absl::Status NameRuns(std::vector<Options> options, bool seeds, std::vector<ModelResult>& models);

}  // namespace nmt

#endif  // NMT_REPORT_RUN_NAMES_H_
