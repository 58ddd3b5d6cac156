#include "nmt/base/status.h"

#include <fmt/format.h>

namespace nmt {

absl::Status DataError(std::string_view message) {
  return absl::FailedPreconditionError(std::string(message));
}

absl::Status UsageError(std::string_view message) {
  return absl::InvalidArgumentError(std::string(message));
}

absl::Status DataErrorAt(std::string_view path, int64_t line, std::string_view message) {
  return DataError(fmt::format("{}:{}: {}", path, line, message));
}

int ExitCode(const absl::Status& status) {
  if (status.ok()) return 0;
  return absl::IsInvalidArgument(status) ? 2 : 1;
}

}  // namespace nmt
