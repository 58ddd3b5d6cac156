#include "nmt/alignment/aer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Links Parse(std::string_view line, LinkBase base = LinkBase::kZero) {
  auto links = ParseLinks(line, base, {"test.align", 1});
  EXPECT_TRUE(links.ok()) << links.status();
  return links.ok() ? *links : Links{};
}

TEST(Aer, CountsAreThoseOfTheDefinition) {
  //                               sure hit, possible hit, sure missed, wrong
  const AerCounts counts = CountAer(Parse("0-0 1-1 3-4"), Parse("0-0 1p1 2-2 5p5"));
  EXPECT_EQ(
      counts,
      (AerCounts{
          .hypothesis = 3, .sure = 2, .possible = 4, .matched_sure = 1, .matched_possible = 2}));
  const AerScore score = ComputeAer(counts);
  EXPECT_DOUBLE_EQ(score.precision, 2. / 3);
  EXPECT_DOUBLE_EQ(score.recall, 1. / 2);
  EXPECT_DOUBLE_EQ(score.aer, 1 - 3. / 5);
  EXPECT_DOUBLE_EQ(score.f_measure, 4. / 7);  // 2 (2/3) (1/2) / (2/3 + 1/2)
}

TEST(Aer, IsOneMinusTheFMeasureWhereEveryGoldLinkIsSure) {
  const AerScore score = ComputeAer(CountAer(Parse("0-0 1-1 3-4"), Parse("0-0 1-1 2-2 5-5")));
  EXPECT_DOUBLE_EQ(score.aer, 1 - score.f_measure);
}

TEST(Aer, SidesAreSetsWhateverTheirOrderAndMarks) {
  const Links gold{{2, 2}, {0, 0}, {0, 0, true}};
  const Links hypothesis{{0, 0, true}, {2, 2}, {0, 0}, {2, 2}};
  EXPECT_EQ(CountAer(hypothesis, gold), CountAer({{0, 0}, {2, 2}}, {{0, 0}, {2, 2}}));
}

TEST(Aer, ACorpusIsScoredByItsSums) {
  const auto score = CorpusAer({Parse("0-0"), Parse("0-0 1-1 2-2")}, {Parse("0-0"), Parse("0-1")});
  ASSERT_TRUE(score.ok());
  EXPECT_DOUBLE_EQ(score->precision, 1. / 4);
  EXPECT_DOUBLE_EQ(score->recall, 1. / 2);
  EXPECT_DOUBLE_EQ(score->aer, 1 - 2. / 6);
}

TEST(Aer, NothingToGetWrongIsPerfect) {
  const AerScore nothing = *CorpusAer({{}}, {{}});
  EXPECT_EQ(nothing.aer, 0);
  EXPECT_EQ(nothing.precision, 1);
  EXPECT_EQ(nothing.recall, 1);
  const AerScore silent = ComputeAer(CountAer({}, Parse("0-0")));
  EXPECT_EQ(silent.aer, 1);
  EXPECT_EQ(silent.precision, 1);
  EXPECT_EQ(silent.recall, 0);
  EXPECT_EQ(silent.f_measure, 0);
  EXPECT_EQ(ComputeAer(CountAer(Parse("1-1"), Parse("0-0"))).f_measure, 0);
}

TEST(Aer, UnequalNumbersOfSentencesAreRefusedWithBothCounts) {  // C10
  const auto score = CorpusAer({{}, {}}, {{}});
  EXPECT_EQ(ExitCode(score.status()), 1);
  EXPECT_THAT(std::string(score.status().message()), AllOf(HasSubstr("2 "), HasSubstr("1")));
}

TEST(Aer, TheBaseOfTheGoldFileDecides) {  // C35
  const Links hypothesis = Parse("0-0 1-1");
  const std::string gold_from_one = "1-1 2-2 3p3";
  EXPECT_EQ(ComputeAer(CountAer(hypothesis, Parse("0-0 1-1 2p2"))).aer, 0);
  EXPECT_EQ(ComputeAer(CountAer(hypothesis, Parse(gold_from_one, LinkBase::kOne))).aer, 0);
  EXPECT_EQ(ComputeAer(CountAer(hypothesis, Parse(gold_from_one, LinkBase::kZero))).aer, 0.5);
}

}  // namespace
}  // namespace nmt
