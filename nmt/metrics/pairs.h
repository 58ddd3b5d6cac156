// Hypotheses and references are joined by line number.
//
//   NMT_RETURN_IF_ERROR(CheckEqualLineCounts(hypotheses, references));
#ifndef NMT_METRICS_PAIRS_H_
#define NMT_METRICS_PAIRS_H_

#include <string>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

// A data error with both counts when they differ: a lost line would pair all later ones wrongly.
absl::Status CheckEqualLineCounts(const std::vector<std::string>& hypotheses,
                                  const std::vector<std::string>& references);

}  // namespace nmt

#endif  // NMT_METRICS_PAIRS_H_
