#include "nmt/alignment/known_links.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/file.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kFile =
    "#line0\tsrc_idx0\ttgt_idx0\tsrc\ttgt\n"
    "0\t1\t1\tcat\tkater\n"
    "\n"
    "0\t0\t0\tman\tmann\n"
    "2 0 1 tree baum\n";

const std::vector<SentenceWords> kTexts = {
    {{"man", "cat"}, {"mann", "kater"}}, {{}, {}}, {{"tree"}, {"das", "baum"}}};

// A file that lasts as long as its test.
class KnownLinksFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  absl::StatusOr<KnownLinks> Read(std::string_view contents) {
    EXPECT_TRUE(WriteFileAtomically(path_, contents).ok());
    return ReadKnownLinks(path_);
  }
  std::string ErrorOf(const absl::Status& status) {
    EXPECT_EQ(ExitCode(status), 1);
    return std::string(status.message());
  }
  std::string Place(int64_t line) const { return fmt::format("{}:{}: ", path_.string(), line); }

  const std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) /
                                      fmt::format("nmt_known_links_test_{}.tsv", getpid());
};

TEST_F(KnownLinksFile, EveryLineIsALinkButForBlankOnesAndComments) {
  const auto known = Read(kFile);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_THAT(known->links, ElementsAre(KnownLink{0, 1, 1, "cat", "kater", 2},
                                        KnownLink{0, 0, 0, "man", "mann", 4},
                                        KnownLink{2, 0, 1, "tree", "baum", 5}));
}

TEST_F(KnownLinksFile, ALineThatIsNoLinkIsNamedWithWhatWasExpected) {
  for (const std::string line :
       {"0 1 1 cat", "0 1 1 a cat kater", "0 -1 1 cat kater", "x 1 1 cat kater",
        "0 1 1.5 cat kater", "0 1 99999999999999999999 cat kater"}) {
    EXPECT_THAT(ErrorOf(Read("0 0 0 a b\n" + line + "\n").status()),
                AllOf(HasSubstr(Place(2) + "\"" + line + "\""), HasSubstr("expected number of")));
  }
  EXPECT_THAT(ErrorOf(ReadKnownLinks("/no/such/file").status()), HasSubstr("/no/such/file"));
}

TEST_F(KnownLinksFile, AccuracyIsTheShareOfKnownLinksThatTheHypothesisContains) {
  const auto known = Read(kFile);
  ASSERT_TRUE(known.ok());
  // The first sentence has one of two, and a link that is not known; the third has its one.
  const auto accuracy =
      ComputeLinkAccuracy({{{1, 1}, {0, 1}}, {}, {{0, 1, /*possible=*/true}}, {{3, 3}}}, *known);
  ASSERT_TRUE(accuracy.ok()) << accuracy.status();
  EXPECT_EQ(*accuracy, (LinkAccuracy{.known = 3, .found = 2, .links = 4, .sentences = 4}));
  EXPECT_DOUBLE_EQ(accuracy->Share(), 2. / 3);
  EXPECT_EQ(accuracy->LinksPerSentence(), 1);
}

TEST_F(KnownLinksFile, NothingToFindIsPerfect) {
  const auto accuracy = ComputeLinkAccuracy({}, *Read("# none\n"));
  ASSERT_TRUE(accuracy.ok());
  EXPECT_EQ(accuracy->Share(), 1);
  EXPECT_EQ(accuracy->LinksPerSentence(), 0);
}

TEST_F(KnownLinksFile, ASentenceBeyondTheHypothesesIsRefusedWithItsPlace) {
  const auto known = Read(kFile);
  EXPECT_THAT(ErrorOf(ComputeLinkAccuracy({{}, {}}, *known).status()),
              HasSubstr(Place(5) + "a link of sentence 2, but there are 2"));
}

TEST_F(KnownLinksFile, WordsMustStandWhereTheLinksSay) {
  EXPECT_TRUE(CheckKnownLinks(*Read(kFile), kTexts).ok());
  const auto error = [&](const std::string& line) {
    return ErrorOf(CheckKnownLinks(*Read("0 0 0 man mann\n" + line + "\n"), kTexts));
  };
  EXPECT_THAT(error("0 0 1 cat kater"),
              AllOf(HasSubstr(Place(2)), HasSubstr("source word 0 \"cat\""),
                    HasSubstr("has \"man\" there")));
  EXPECT_THAT(error("0 1 0 cat kater"), HasSubstr("target word 0 \"kater\""));
  EXPECT_THAT(error("2 1 1 tree baum"), HasSubstr("source index 1, but the sentence has 1 words"));
  EXPECT_THAT(error("2 0 2 tree baum"), HasSubstr("target index 2"));
  EXPECT_THAT(error("3 0 0 a b"), HasSubstr(Place(2) + "a link of sentence 3, but there are 3"));
}

}  // namespace
}  // namespace nmt
