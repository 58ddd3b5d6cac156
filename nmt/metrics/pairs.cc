#include "nmt/metrics/pairs.h"

#include <fmt/format.h>

namespace nmt {

absl::Status CheckEqualLineCounts(const std::vector<std::string>& hypotheses,
                                  const std::vector<std::string>& references) {
  if (hypotheses.size() == references.size()) return absl::OkStatus();
  return DataError(fmt::format(
      "the hypotheses have {} lines, but the references {}: each hypothesis needs the reference "
      "with its line number",
      hypotheses.size(), references.size()));
}

}  // namespace nmt
