#include "nmt/base/log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace nmt {

void Warn(std::string_view message) {
  std::fprintf(stderr, "nmt: warning: %.*s\n", static_cast<int>(message.size()), message.data());
}

Log::~Log() {
  if (file_ != nullptr) std::fclose(file_);
}

Log::Log(Log&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), silent_(other.silent_) {}

Log& Log::operator=(Log&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(silent_, other.silent_);
  return *this;
}

absl::StatusOr<Log> Log::Open(const std::filesystem::path& path) {
  Log log;
  log.file_ = std::fopen(path.c_str(), "ae");
  if (log.file_ == nullptr) {
    return DataError(fmt::format("{}: cannot write: {}", path.string(), std::strerror(errno)));
  }
  return log;
}

Log Log::Silent() {
  Log log;
  log.silent_ = true;
  return log;
}

void Log::Line(std::string_view message) {
  if (silent_) return;
  const int size = static_cast<int>(message.size());
  std::fprintf(stderr, "%.*s\n", size, message.data());
  if (file_ == nullptr) return;
  std::fprintf(file_, "%.*s\n", size, message.data());
  std::fflush(file_);
}

}  // namespace nmt
