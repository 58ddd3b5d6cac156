// Lines for the person at the terminal: to stderr, and to a log file beside a run.
#ifndef NMT_BASE_LOG_H_
#define NMT_BASE_LOG_H_

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "nmt/base/status.h"

namespace nmt {

// Writes "nmt: warning: <message>" to stderr.
void Warn(std::string_view message);

// Says each line on stderr and keeps it in a file, flushed line by line. A value owned by the
// command.
class Log {
 public:
  Log() = default;  // stderr only
  ~Log();
  Log(Log&& other) noexcept;
  Log& operator=(Log&& other) noexcept;

  // Appends to `path`.
  static absl::StatusOr<Log> Open(const std::filesystem::path& path);

  // Says and keeps nothing.
  static Log Silent();

  void Line(std::string_view message);

 private:
  std::FILE* file_ = nullptr;
  bool silent_ = false;
};

}  // namespace nmt

#endif  // NMT_BASE_LOG_H_
