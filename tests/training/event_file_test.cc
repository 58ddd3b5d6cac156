#include "nmt/training/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

// The check value of the CRC catalogue's CRC-32/ISCSI, and RFC 3720, appendix B.4.
TEST(Crc32c, GivesTheKnownAnswers) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

// What TensorBoard's own reader makes of the files: tests/commands/read_run.py.
TEST(EventFile, HoldsRecordsOfKnownLengths) {
  const ScratchFolder folder;
  auto events = EventFile::Create(folder / "tensorboard", /*first_update=*/1);
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_TRUE(events->Add(300, {{"loss", 0.5}, {"validation/bleu", 41}}).ok());
  const auto files = std::filesystem::directory_iterator(folder / "tensorboard");
  const std::string bytes = Contents(files->path());
  EXPECT_THAT(files->path().filename().string(), HasSubstr("tfevents"));
  std::vector<size_t> lengths;
  for (size_t at = 0; at < bytes.size(); at += 16 + lengths.back()) {
    lengths.push_back(static_cast<unsigned char>(bytes[at]));
    ASSERT_LE(at + 16 + lengths.back(), bytes.size());
  }
  // Time: 9 bytes; step: 2, 300 takes 3; version: 2 + 13; start: 2 + 2; each scalar: 2 + 2 + name + 5.
  EXPECT_EQ(lengths, (std::vector<size_t>{9 + 2 + 15, 9 + 2 + 4, 9 + 3 + 2 + (9 + 4) + (9 + 15)}));
}

TEST(EventFile, TwoInOneSecondHaveTwoNames) {
  const ScratchFolder folder;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(EventFile::Create(folder.path(), 1).ok());
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 3);
}

}  // namespace
}  // namespace nmt
