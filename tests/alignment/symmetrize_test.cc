#include "nmt/alignment/symmetrize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Links Parse(std::string_view line) {
  auto links = ParseLinks(line, LinkBase::kZero, {"test.align", 1});
  EXPECT_TRUE(links.ok()) << links.status();
  return links.ok() ? *links : Links{};
}

std::string Merge(std::string_view forward, std::string_view backward, std::string_view method) {
  const auto parsed = ParseSymmetrization(method);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return FormatLinks(Symmetrize(Parse(forward), Parse(backward), *parsed));
}

TEST(Symmetrize, AWordWithASecondLinkTellsLiltFromMoses) {
  EXPECT_EQ(Merge("0-0 0-1", "0-0", "lilt-grow-diag"), "0-0");
  EXPECT_EQ(Merge("0-0 0-1", "0-0", "lilt-grow-diag-final"), "0-0");
  EXPECT_EQ(Merge("0-0 0-1", "0-0", "grow-diag"), "0-0 0-1");
  EXPECT_EQ(Merge("0-0 0-1", "0-0", "grow-diag-final"), "0-0 0-1");
}

TEST(Symmetrize, ALinkFarFromTheOthersIsLeftToFinal) {
  const std::string forward = "0-0 2-3", backward = "0-0 2-1";
  EXPECT_EQ(Merge(forward, backward, "lilt-grow-diag"), "0-0");
  EXPECT_EQ(Merge(forward, backward, "lilt-grow-diag-final"), "0-0 2-3");
  EXPECT_EQ(Merge(forward, backward, "grow-diag"), "0-0");
  EXPECT_EQ(Merge(forward, backward, "grow-diag-final"), "0-0 2-1 2-3");
  EXPECT_EQ(Merge(forward, backward, "grow-diag-final-and"), "0-0 2-3");
}

TEST(Symmetrize, FinalTakesTheForwardLinksFirst) {
  EXPECT_EQ(Merge("2-3", "2-1", "grow-diag-final-and"), "2-3");
  EXPECT_EQ(Merge("2-1", "2-3", "grow-diag-final-and"), "2-1");
  EXPECT_EQ(Merge("2-1", "2-3", "lilt-grow-diag-final"), "2-1");
}

TEST(Symmetrize, ALinkGrowsFromALinkThatGrew) {
  // Step by step down the diagonal from 0-0, and back up it: a pass only looks ahead.
  EXPECT_EQ(Merge("0-0 1-1 2-2 4-4", "0-0", "grow-diag"), "0-0 1-1 2-2");
  EXPECT_EQ(Merge("0-0 1-1 2-2", "2-2", "grow-diag"), "0-0 1-1 2-2");
  EXPECT_EQ(Merge("0-0 1-1 2-2", "2-2", "lilt-grow-diag"), "0-0 1-1 2-2");
}

TEST(Symmetrize, NeighborsAreTriedInTheOrderOfEachProgram) {
  // Around 1-1. lilt: source before, target after wins over source before, target before.
  EXPECT_EQ(Merge("1-1 0-0 0-2", "1-1", "lilt-grow-diag"), "0-2 1-1");
  EXPECT_EQ(Merge("1-1 0-0 2-0", "1-1", "lilt-grow-diag"), "0-0 1-1");
  EXPECT_EQ(Merge("1-1 2-0 2-2", "1-1", "lilt-grow-diag"), "1-1 2-0");
  // Moses: those beside it come before the diagonal ones.
  EXPECT_EQ(Merge("2-1 2-2 3-2", "3-2", "grow-diag"), "2-1 2-2 3-2");
  // Around 2-1, 3-0 and then 1-2 are added, which cover the words of 3-2.
  EXPECT_EQ(Merge("1-2 2-1 3-0 3-2", "2-1", "grow-diag"), "1-2 2-1 3-0");
  // Around 1-1, which grew from 2-2, 0-0 is added and covers the last word of 2-0.
  EXPECT_EQ(Merge("0-0 1-1 2-0 2-2", "2-2", "grow-diag"), "0-0 1-1 2-2");
}

TEST(Symmetrize, TheScanGoesTargetByTargetInMosesAndSourceBySourceInLilt) {
  // Moses comes to 2-1 before 0-3 and grows 2-2, then 1-2; from 0-3 it would have grown 1-2, which
  // covers the last word of 2-2.
  EXPECT_EQ(Merge("0-3 1-2 2-1 2-2", "0-3 2-1", "grow-diag"), "0-3 1-2 2-1 2-2");
  // lilt comes to 1-3 before 3-1 and grows 0-2; from 3-1 it would have grown 2-2.
  EXPECT_EQ(Merge("0-2 1-3 2-2 3-1", "1-3 3-1", "lilt-grow-diag"), "0-2 1-3 3-1");
}

TEST(Symmetrize, AtoolsScansTheLinksToAddSourceBySource) {
  // 3-1 comes before 3-2, whose words are then covered; Moses goes from 2-2 to 3-2 first.
  EXPECT_EQ(Merge("2-2 3-1 3-2", "2-2", "atools-grow-diag"), "2-2 3-1");
  EXPECT_EQ(Merge("2-2 3-1 3-2", "2-2", "grow-diag"), "2-2 3-1 3-2");
  // 2-0 comes after 1-1 has been merged; 0-0, which would cover target 0, waits for the next pass.
  EXPECT_EQ(Merge("0-0 1-1 2-0 2-2", "2-2", "atools-grow-diag"), "0-0 1-1 2-0 2-2");
  // 1-1 comes too early in the first pass, when 2-2 is not merged yet.
  EXPECT_EQ(Merge("3-3 2-2 1-1", "3-3", "atools-grow-diag"), "1-1 2-2 3-3");
  EXPECT_EQ(Merge("0-0 2-3", "0-0 2-1", "atools-grow-diag-final"), "0-0 2-1 2-3");
  EXPECT_EQ(Merge("0-0 2-3", "0-0 2-1", "atools-grow-diag-final-and"), "0-0 2-3");
  EXPECT_EQ(Merge("0-0 0-1", "0-0", "atools-grow-diag-final-and"), "0-0 0-1");
}

TEST(Symmetrize, EmptySidesAreFine) {
  for (const std::string& name : SymmetrizationNames()) {
    EXPECT_EQ(Merge("", "", name), "") << name;
    const bool keeps_all = name == "union" || name.ends_with("final") || name.ends_with("and");
    EXPECT_EQ(Merge("0-0 3-1", "", name), keeps_all ? "0-0 3-1" : "") << name;
    EXPECT_EQ(Merge("", "0-0 3-1", name), keeps_all ? "0-0 3-1" : "") << name;
  }
}

TEST(Symmetrize, MarksOfPossibleLinksDoNotMatter) {
  EXPECT_EQ(Merge("0p0 2-2", "0-0 2p2", "intersection"), "0-0 2-2");
  EXPECT_EQ(Merge("0p0", "", "union"), "0-0");
}

TEST(Symmetrize, AHugeIndexCostsNoMemory) {
  EXPECT_EQ(Merge("0-0 4000000000000-4000000000000", "0-0", "grow-diag-final"),
            "0-0 4000000000000-4000000000000");
}

bool Includes(const Links& all, const Links& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

TEST(Symmetrize, EachMethodLiesBetweenIntersectionAndUnion) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Links sides[2];
    for (Links& side : sides) {
      const size_t count = random() % 12;
      for (size_t i = 0; i < count; ++i) {
        side.push_back({static_cast<int64_t>(random() % 6), static_cast<int64_t>(random() % 6)});
      }
      side = SortedLinks(std::move(side));
    }
    const auto merged = [&](Symmetrization method) {
      return Symmetrize(sides[0], sides[1], method);
    };
    const Links both = merged(Symmetrization::kIntersection);
    const Links either = merged(Symmetrization::kUnion);
    EXPECT_TRUE(Includes(sides[0], both) && Includes(sides[1], both));
    EXPECT_TRUE(Includes(either, sides[0]) && Includes(either, sides[1]));
    const Links grown = merged(Symmetrization::kGrowDiag);
    const Links grown_lilt = merged(Symmetrization::kLiltGrowDiag);
    const Links last_and = merged(Symmetrization::kGrowDiagFinalAnd);
    const Links last = merged(Symmetrization::kGrowDiagFinal);
    const Links last_lilt = merged(Symmetrization::kLiltGrowDiagFinal);
    const Links grown_atools = merged(Symmetrization::kAtoolsGrowDiag);
    const Links last_atools = merged(Symmetrization::kAtoolsGrowDiagFinal);
    const Links last_and_atools = merged(Symmetrization::kAtoolsGrowDiagFinalAnd);
    EXPECT_TRUE(Includes(grown, both) && Includes(last_and, grown) && Includes(last, grown));
    EXPECT_TRUE(Includes(grown_lilt, both) && Includes(last_lilt, grown_lilt));
    EXPECT_TRUE(Includes(grown_atools, both) && Includes(last_atools, grown_atools) &&
                Includes(last_and_atools, grown_atools));
    EXPECT_TRUE(Includes(either, last_atools) && Includes(either, last_and_atools));
    EXPECT_TRUE(Includes(either, last) && Includes(either, last_and) &&
                Includes(either, last_lilt));
    // Merged once more with itself, a result stays what it is.
    for (const Links& result : {both, either, grown, last_and, last, grown_lilt, last_lilt}) {
      EXPECT_EQ(Symmetrize(result, result, Symmetrization::kGrowDiagFinal), result);
    }
  }
}

TEST(ParseSymmetrization, EveryNameHasItsMethodAndAnUnknownOneIsRefusedWithTheList) {
  for (const std::string& name : SymmetrizationNames()) {
    EXPECT_TRUE(ParseSymmetrization(name).ok()) << name;
  }
  const absl::Status status = ParseSymmetrization("grow").status();
  EXPECT_EQ(ExitCode(status), 2);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("\"grow\""), HasSubstr("intersection, union, grow-diag, "),
                    HasSubstr("lilt-grow-diag-final")));
}

}  // namespace
}  // namespace nmt
