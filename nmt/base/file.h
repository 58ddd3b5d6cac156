// Whole files, read and written so that a crash or a full disk never leaves half of one under its
// final name.
#ifndef NMT_BASE_FILE_H_
#define NMT_BASE_FILE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "nmt/base/status.h"

namespace nmt {

// The file's bytes. Errors name the path and the system's reason ("No such file or directory", "Is
// a directory").
absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path);

// Writes to a temporary name in the same folder, flushes it to the disk, then renames: after a
// crash at any moment `path` holds either its old contents or all of the new.
absl::Status WriteFileAtomically(const std::filesystem::path& path, std::string_view contents);

// Creates the folder and its parents; fails at once, naming the path, when it cannot be written to.
absl::Status MakeWritableDirectory(const std::filesystem::path& path);

// Holds a folder against other processes that ask for it in the same way; the system lets go of it when
// the process ends, however it ends.
class FolderLock {
 public:
  // A data error when another process holds the folder, or it cannot be opened.
  static absl::StatusOr<FolderLock> Take(const std::filesystem::path& path);
  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

// Flushes a folder's entries to the disk, so that a rename in it survives a power cut.
absl::Status SyncDirectory(const std::filesystem::path& path);

}  // namespace nmt

#endif  // NMT_BASE_FILE_H_
