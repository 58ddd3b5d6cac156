#include "nmt/lab/lab_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/testing.h"

namespace nmt {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LabReport, PassesWithinTheToleranceAndFailsBeyondIt) {
  LabReport report("name", "title");
  report.Expect("inside", 1, 1.0004, 5e-4);
  EXPECT_EQ(report.failures(), 0);
  report.Expect("outside", 1, 1.0006, 5e-4);
  EXPECT_EQ(report.failures(), 1);
  report.ExpectCount("equal", 3, 3);
  report.ExpectCount("not equal", 3, 4);
  report.ExpectAtMost("at most", 2, 2);
  report.ExpectAtMost("too much", 2, 2.1);
  report.ExpectAtLeast("at least", 2, 2);
  report.ExpectAtLeast("too little", 2, 1.9);
  EXPECT_EQ(report.failures(), 4);
  EXPECT_EQ(report.checks(), 8);
}

TEST(LabReport, FailsOnNan) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  LabReport report("name", "title");
  report.Expect("a", 0, kNan, 1);
  report.ExpectAtMost("b", 0, kNan);
  report.ExpectAtLeast("c", 0, kNan);
  EXPECT_EQ(report.failures(), 3);
}

TEST(LabReport, ToleranceZeroMeansExactly) {
  LabReport report("name", "title");
  report.Expect("zero", 0, 0, 0);
  report.Expect("nearly", 0, 1e-300, 0);
  EXPECT_EQ(report.failures(), 1);
  EXPECT_THAT(ReportForTerminal(report, LabDetail::kChecks, 100), HasSubstr("exactly"));
}

TEST(LabReport, AMeasuredValueIsNoCheck) {
  LabReport report("name", "title");
  report.Measured("loss", "1.5");
  EXPECT_EQ(report.checks(), 0);
  EXPECT_THAT(ReportForTerminal(report, LabDetail::kChecks, 100), Not(HasSubstr("pass")));
}

TEST(ReportForTerminal, ShowsProseOnlyWhenAskedAndWrapsIt) {
  LabReport report("name", "title");
  report.Say("one two three four five six");
  report.Say("    a formula that is longer than the line");
  report.ExpectCount("checks", 1, 1);
  const std::string all = ReportForTerminal(report, LabDetail::kAll, 15);
  EXPECT_THAT(all, HasSubstr("one two three\nfour five six\n"));
  EXPECT_THAT(all, HasSubstr("    a formula that is longer than the line\n"));
  const std::string checks = ReportForTerminal(report, LabDetail::kChecks, 15);
  EXPECT_THAT(checks, Not(HasSubstr("one two")));
  EXPECT_THAT(checks, HasSubstr("checks           1         1      equal    pass\n"));
}

TEST(ReportAsMarkdown, HoldsTablesAndPlots) {
  LabReport report("name", "A title");
  report.Show({.columns = {"a", "b"}, .rows = {{"1", "2"}}});
  report.Expect("half", .5, .5, .05);
  report.Draw({.name = "plot", .caption = "What it shows."});
  EXPECT_EQ(ReportAsMarkdown(report),
            "## A title\n\n`nmt lab name`\n\n"
            "| a | b |\n| --- | --: |\n| 1 | 2 |\n\n"
            "| quantity | expected | measured | tolerance | result |\n"
            "| --- | --: | --: | --: | --: |\n"
            "| half | 0.5 | 0.5 | ± 0.05 | pass |\n\n"
            "![What it shows.](images/lab-plot.svg)\n\n*What it shows.*\n\n");
}

TEST(ReportAsMarkdown, KeepsABarInsideItsCell) {
  LabReport report("name", "title");
  report.Measured("|x|", "1");
  EXPECT_THAT(ReportAsMarkdown(report), HasSubstr("| \\|x\\| |  | 1 |  |  |\n"));
}

TEST(LabReport, PrintsTheDigitsThatTheToleranceLeaves) {
  LabReport report("name", "title");
  report.Expect("a", 1, 1.00004, 5e-4);
  report.Expect("b", 1, 1.004, .12);
  const std::string text = ReportForTerminal(report, LabDetail::kChecks, 100);
  EXPECT_THAT(text, HasSubstr("1.000     1.000   ± 0.0005"));
  EXPECT_THAT(text, HasSubstr("1.0       1.0     ± 0.12"));
}

TEST(WriteLabPlots, WritesEachPlotTwice) {
  const ScratchFolder folder;
  LabReport report("name", "title");
  report.Draw({.name = "curve",
               .charts = {{.x = {.label = "x"},
                           .y = {.label = "y"},
                           .series = {{.name = "s", .x = {1, 2}, .y = {1, 2}}}}}});
  report.Draw({.name = "map",
               .heatmaps = {{.source_labels = {"a"}, .target_labels = {"b"}, .weights_TS = {1}}}});
  const absl::Status status = WriteLabPlots(report, folder.path() / "new");
  ASSERT_TRUE(status.ok()) << status;
  for (const char* name : {"lab-curve.svg", "lab-curve.png", "lab-map.svg", "lab-map.png"}) {
    EXPECT_GT(std::filesystem::file_size(folder.path() / "new" / name), 500U) << name;
  }
}

TEST(LabNumber, KeepsFourDigits) {
  EXPECT_EQ(LabNumber(.644257), "0.6443");
  EXPECT_EQ(LabNumber(1024), "1,024");
  EXPECT_EQ(LabNumber(0), "0");
  EXPECT_EQ(LabNumber(1.11e-16), "1.11e-16");
}

TEST(LabFixed, PutsAMinusBeforeNegativeNumbersOnly) {
  EXPECT_EQ(LabFixed(-1.25, 1), "−1.2");
  EXPECT_EQ(LabFixed(-.0001, 2), "0.00");
  EXPECT_EQ(LabFixed(2, 0), "2");
}

}  // namespace
}  // namespace nmt
