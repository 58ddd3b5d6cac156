// What the tests of the config share.
#ifndef NMT_TESTS_CONFIG_CONFIG_TESTING_H_
#define NMT_TESTS_CONFIG_CONFIG_TESTING_H_

#include <string>
#include <string_view>
#include <vector>

#include "nmt/config/reader.h"

namespace nmt {

// The required keys as --set would give them, before `overrides`: the file is then the test's own
// text alone.
inline std::vector<std::string> WithRequired(const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all = {"run_dir=r", "data.train.source=a", "data.train.target=b",
                                  "data.valid.source=c", "data.valid.target=d"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return all;
}

inline absl::StatusOr<Options> Parse(std::string_view yaml,
                                     const std::vector<std::string>& overrides = {}) {
  return ParseOptions(yaml, "run.yaml", WithRequired(overrides));
}

// The error's text, or "ok".
inline std::string ErrorOf(const absl::StatusOr<Options>& options) {
  return options.ok() ? "ok" : std::string(options.status().message());
}

}  // namespace nmt

#endif  // NMT_TESTS_CONFIG_CONFIG_TESTING_H_
