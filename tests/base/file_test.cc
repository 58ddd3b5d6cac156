#include "nmt/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/testing.h"

namespace nmt {
namespace {

using testing::HasSubstr;

TEST(WriteFileAtomically, ReplacesTheWholeFileAndLeavesNothingBeside) {
  const ScratchFolder folder;
  ASSERT_TRUE(WriteFileAtomically(folder / "f", "first").ok());
  ASSERT_TRUE(WriteFileAtomically(folder / "f", std::string("a\0b", 3)).ok());
  EXPECT_EQ(*ReadFile(folder / "f"), std::string("a\0b", 3));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFileAtomically, DoesNotFollowALinkThatLiesInItsWay) {
  const ScratchFolder folder;
  folder.Write("elsewhere", "precious");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "file.tmp");
  ASSERT_TRUE(WriteFileAtomically(folder / "file", "new").ok());
  EXPECT_EQ(*ReadFile(folder / "file"), "new");
  EXPECT_EQ(*ReadFile(folder / "elsewhere"), "precious");
}

TEST(WriteFileAtomically, NamesThePathWhenItCannotWrite) {
  const ScratchFolder folder;
  const absl::Status status = WriteFileAtomically(folder / "none/f", "x");
  EXPECT_EQ(ExitCode(status), 1);
  EXPECT_THAT(std::string(status.message()), HasSubstr("none/f: cannot write: No such file"));
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenTheDiskIsFull) {
  const ScratchFolder folder;
  folder.Write("f", "old");
  // Files may hold two bytes: to the writer that is a full disk.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit two_bytes{.rlim_cur = 2, .rlim_max = limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &two_bytes);
  const absl::Status status = WriteFileAtomically(folder / "f", "new");
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  EXPECT_THAT(std::string(status.message()), HasSubstr("f: cannot write"));
  EXPECT_EQ(Contents(folder / "f"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "f.tmp"));
}

TEST(ReadFile, NamesThePathAndTheReason) {
  EXPECT_THAT(std::string(ReadFile("/none/at/all").status().message()),
              HasSubstr("/none/at/all: cannot read"));
  EXPECT_THAT(std::string(ReadFile("/").status().message()), HasSubstr("directory"));
}

TEST(MakeWritableDirectory, RefusesAFile) {
  const ScratchFolder folder;
  folder.Write("f", "x");
  EXPECT_FALSE(MakeWritableDirectory(folder / "f").ok());
  EXPECT_TRUE(MakeWritableDirectory(folder / "a/b").ok());
}

TEST(ExitCode, TellsUsageFromData) {
  EXPECT_EQ(ExitCode(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCode(DataError("x")), 1);
  EXPECT_EQ(ExitCode(UsageError("x")), 2);
  EXPECT_EQ(std::string(DataErrorAt("f", 3, "bad").message()), "f:3: bad");
}

TEST(FolderLock, IsHeldByOneAndLetGo) {
  const ScratchFolder folder;
  {
    const auto first = FolderLock::Take(folder.path());
    ASSERT_TRUE(first.ok()) << first.status();
    const auto second = FolderLock::Take(folder.path());
    EXPECT_EQ(ExitCode(second.status()), 1);
    EXPECT_THAT(std::string(second.status().message()), testing::HasSubstr("another process"));
  }
  EXPECT_TRUE(FolderLock::Take(folder.path()).ok());
  EXPECT_FALSE(FolderLock::Take(folder / "not there").ok());
}

}  // namespace
}  // namespace nmt
