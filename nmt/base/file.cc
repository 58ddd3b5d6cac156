#include "nmt/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace nmt {
namespace {

absl::Status SystemError(const std::filesystem::path& path, std::string_view doing, int error) {
  return DataError(fmt::format("{}: cannot {}: {}", path.string(), doing, std::strerror(error)));
}

// Owns a file descriptor; Close() reports what a destructor could not.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool WriteAll(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return SystemError(path, "read", errno);
  std::string contents;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "read", errno);
    if (count == 0) return contents;
    contents.append(buffer, static_cast<size_t>(count));
  }
}

absl::Status WriteFileAtomically(const std::filesystem::path& path, std::string_view contents) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  // A file of its own, whatever an interrupted write left there: not a link that leads elsewhere.
  ::unlink(temporary.c_str());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) return SystemError(path, "write", errno);
  if (!WriteAll(file.get(), contents) || ::fsync(file.get()) != 0 || !file.Close()) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return SystemError(path, "write", error);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return SystemError(path, "write", error);
  }
  const std::filesystem::path folder = path.parent_path();
  return SyncDirectory(folder.empty() ? "." : folder);
}

absl::Status MakeWritableDirectory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    return DataError(
        fmt::format("{}: cannot make this folder: {}", path.string(), error.message()));
  if (!std::filesystem::is_directory(path)) {
    return DataError(fmt::format("{}: is a file, expected a folder", path.string()));
  }
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    return SystemError(path, "write into this folder", errno);
  return absl::OkStatus();
}

absl::StatusOr<FolderLock> FolderLock::Take(const std::filesystem::path& path) {
  FolderLock lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.fd_ < 0) return SystemError(path, "open", errno);
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK)
    return DataError(fmt::format("{}: another process is at work in it", path.string()));
  return SystemError(path, "lock", errno);
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

absl::Status SyncDirectory(const std::filesystem::path& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) return SystemError(path, "flush", errno);
  return absl::OkStatus();
}

}  // namespace nmt
