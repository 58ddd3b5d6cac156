#include "nmt/corpus/links.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "nmt/base/file.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Links Parse(std::string_view line, LinkBase base = LinkBase::kZero) {
  auto links = ParseLinks(line, base, {"test.align", 1});
  EXPECT_TRUE(links.ok()) << links.status();
  return links.ok() ? *links : Links{};
}

std::string ErrorOf(std::string_view line, LinkBase base,
                    std::optional<LinkLengths> lengths = std::nullopt) {
  const auto links = ParseLinks(line, base, {"gold.align", 7}, lengths);
  EXPECT_EQ(ExitCode(links.status()), 1) << line;
  return std::string(links.status().message());
}

// A file that lasts as long as its test.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view contents)
      : path_(std::filesystem::path(testing::TempDir()) /
              fmt::format("nmt_links_test_{}.align", getpid())) {
    EXPECT_TRUE(WriteFileAtomically(path_, contents).ok());
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(ParseLinks, ReadsSureAndPossibleLinks) {
  EXPECT_THAT(Parse("0-1 2-3 4p5"),
              ElementsAre(Link{0, 1, false}, Link{2, 3, false}, Link{4, 5, true}));
}

TEST(ParseLinks, SortsBySourceThenTargetAndKeepsEachPairOnce) {
  EXPECT_THAT(Parse("10-0 2-3 2-1 10-0 2-3"), ElementsAre(Link{2, 1}, Link{2, 3}, Link{10, 0}));
}

TEST(ParseLinks, APairThatIsSureAndPossibleIsSure) {
  EXPECT_THAT(Parse("1p1 1-1"), ElementsAre(Link{1, 1, false}));
}

TEST(ParseLinks, AnyBlanksAndAnEmptyLineAreFine) {
  EXPECT_THAT(Parse(" 0-1  2-3\t4-4 \r"), ElementsAre(Link{0, 1}, Link{2, 3}, Link{4, 4}));
  EXPECT_THAT(Parse(""), IsEmpty());
  EXPECT_THAT(Parse("  "), IsEmpty());
}

TEST(ParseLinks, LinksThatCountFromOneAreMovedToZero) {
  EXPECT_THAT(Parse("1-1 2p3", LinkBase::kOne), ElementsAre(Link{0, 0, false}, Link{1, 2, true}));
}

TEST(ParseLinks, AMalformedLinkIsNamedWithItsPlaceAndTheExpectedForm) {
  for (const std::string token : {"1", "1-", "-1", "1--2", "1-2-3", "a-b", "1:2", "1-2p", "1-2x",
                                  "p2", "1 -2", "+1-2", "99999999999999999999-1"}) {
    const std::string error = ErrorOf("0-0 " + token, LinkBase::kZero);
    EXPECT_THAT(error, AllOf(HasSubstr("gold.align:7: "), HasSubstr("expected source-target")))
        << token;
  }
  EXPECT_THAT(ErrorOf("0-0 3=4 1-1", LinkBase::kZero), HasSubstr("\"3=4\""));
}

TEST(ParseLinks, AnIndexZeroIsRefusedWhereCountingStartsAtOne) {  // C35
  EXPECT_THAT(ErrorOf("1-1 0-2", LinkBase::kOne),
              AllOf(HasSubstr("gold.align:7: link \"0-2\""), HasSubstr("source index 0"),
                    HasSubstr("count from 1")));
  EXPECT_THAT(ErrorOf("1-1 2p0", LinkBase::kOne), HasSubstr("target index 0"));
}

TEST(ParseLinks, AnIndexPastTheLastWordIsRefused) {  // C35
  const LinkLengths lengths{.source = 3, .target = 2};
  EXPECT_TRUE(ParseLinks("2-1", LinkBase::kZero, {"gold.align", 7}, lengths).ok());
  EXPECT_TRUE(ParseLinks("3-2", LinkBase::kOne, {"gold.align", 7}, lengths).ok());
  EXPECT_THAT(ErrorOf("3-1", LinkBase::kZero, lengths),
              AllOf(HasSubstr("source index 3"), HasSubstr("3 words, counted from 0")));
  EXPECT_THAT(ErrorOf("2-2", LinkBase::kZero, lengths), HasSubstr("target index 2"));
  EXPECT_THAT(ErrorOf("3-3", LinkBase::kOne, lengths),
              AllOf(HasSubstr("target index 3"), HasSubstr("2 words, counted from 1")));
}

TEST(ParseLinks, TheTargetMayComeFirst) {
  const LinkFormat target_first(LinkBase::kOne, LinkOrder::kTargetFirst);
  const auto links = ParseLinks("3-1 1p2", target_first, {"back.align", 7});
  ASSERT_TRUE(links.ok()) << links.status();
  EXPECT_THAT(*links, ElementsAre(Link{0, 2, false}, Link{1, 0, true}));
  // Lengths and messages are about the sides, not about the order.
  const LinkLengths lengths{.source = 3, .target = 2};
  EXPECT_TRUE(ParseLinks("2-3", target_first, {"back.align", 7}, lengths).ok());
  EXPECT_THAT(
      std::string(ParseLinks("3-2", target_first, {"back.align", 7}, lengths).status().message()),
      HasSubstr("link \"3-2\" has target index 3, but the sentence has 2 words"));
}

TEST(FormatLinks, SortsAndIsReadBackAsWritten) {
  const Links links{{3, 0}, {0, 10, true}, {0, 2}};
  EXPECT_EQ(FormatLinks(links), "0-2 0p10 3-0");
  EXPECT_EQ(FormatLinks(links, LinkBase::kOne), "1-3 1p11 4-1");
  EXPECT_EQ(Parse(FormatLinks(links)), SortedLinks(links));
  EXPECT_EQ(Parse(FormatLinks(links, LinkBase::kOne), LinkBase::kOne), SortedLinks(links));
  EXPECT_EQ(FormatLinks({}), "");
}

TEST(ReadLinks, EveryLineIsASentence) {
  const TemporaryFile file("0-0\r\n\n1-0 1-1");
  const auto links = ReadLinks(file.path(), LinkBase::kZero);
  ASSERT_TRUE(links.ok()) << links.status();
  EXPECT_THAT(*links,
              ElementsAre(ElementsAre(Link{0, 0}), IsEmpty(), ElementsAre(Link{1, 0}, Link{1, 1})));
}

TEST(ReadLinks, ErrorsNameTheFileAndTheLine) {
  const TemporaryFile file("0-0\n\nx\n");
  EXPECT_THAT(std::string(ReadLinks(file.path(), LinkBase::kZero).status().message()),
              HasSubstr(file.path().string() + ":3: \"x\""));
}

TEST(ReadLinks, ChecksEachLineAgainstItsSentencePair) {
  const TemporaryFile file("4-0\n0-4\n");
  const auto error = [&](const std::vector<LinkLengths>& lengths) {
    return std::string(ReadLinks(file.path(), LinkBase::kZero, lengths).status().message());
  };
  EXPECT_EQ(error({{5, 1}, {1, 5}}), "");
  EXPECT_THAT(error({{5, 1}, {1, 4}}), HasSubstr(":2: link \"0-4\""));
  EXPECT_THAT(error({{5, 1}}), AllOf(HasSubstr("2 lines"), HasSubstr("have 1")));
}

TEST(CoverageOf, NamesWordsThatNothingOrTwoPartsAreLinkedTo) {
  // Word 0: two neighbours, one part. 1: two parts. 2: none. 3: one.
  const WordCoverage coverage =
      CoverageOf({{0, 0}, {0, 1}, {1, 5}, {1, 3}, {3, 2}}, /*source_words=*/4);
  EXPECT_EQ(coverage.unattended, (std::vector<int64_t>{2}));
  EXPECT_EQ(coverage.repeated, (std::vector<int64_t>{1}));
  EXPECT_EQ(CoverageOf({}, 2).unattended, (std::vector<int64_t>{0, 1}));
}

}  // namespace
}  // namespace nmt
