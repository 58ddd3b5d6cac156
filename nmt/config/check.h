// What no single key can tell: required keys, and values that do not go together.
//
//   NMT_RETURN_IF_ERROR(CheckOptions(options));
//   // model.heads: found 3, expected a divisor of model.hidden_size, which is 256
//
// ReadOptions() and ParseOptions() have made these checks already.
#ifndef NMT_CONFIG_CHECK_H_
#define NMT_CONFIG_CHECK_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/config/options.h"

namespace nmt {

// One fault; `keys` take part in it, the one to change first.
struct OptionProblem {
  std::vector<std::string> keys;
  std::string message;  // begins with keys[0]
};

std::vector<OptionProblem> FindProblems(const Options& options);

// UsageError with one line a problem, each naming the keys and their values.
absl::Status CheckOptions(const Options& options);

// The keys without a usable default.
inline constexpr std::array<std::string_view, 5> kRequiredKeys = {
    "run_dir", "data.train.source", "data.train.target", "data.valid.source", "data.valid.target"};

// "auto", "cpu", "cuda" or "cuda:N".
bool IsDeviceName(std::string_view device);

}  // namespace nmt

#endif  // NMT_CONFIG_CHECK_H_
