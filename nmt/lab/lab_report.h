// What an experiment of the lab says: prose, tables, expected values beside measured ones, and
// plots, in reading order. Written by the experiment, rendered for the terminal and as Markdown.
//
//   LabReport report("scaling", "Why the scores are divided by sqrt(d)");
//   report.Say("The standard deviation of q·k grows with `sqrt(d)`.");
//   report.Expect("deviation at d = 64", 8.11, measured, /*tolerance=*/0.005);
//   report.Draw({.name = "scaling", .caption = "...", .charts = {chart}});
//   std::fputs(ReportForTerminal(report, LabDetail::kAll, 100).c_str(), stdout);
#ifndef NMT_LAB_LAB_REPORT_H_
#define NMT_LAB_LAB_REPORT_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/report/chart.h"
#include "nmt/report/heatmap.h"

namespace nmt {

// A paragraph of Markdown. A formula or a block of code: lines that begin with four blanks.
struct LabProse {
  std::string markdown;
};

struct LabTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

// A line of the table of results. No tolerance: a value that is reported, with nothing to hold it
// against.
struct LabCheck {
  std::string what;
  std::string expected;
  std::string measured;
  std::string tolerance;
  bool passed = true;
};
using LabChecks = std::vector<LabCheck>;

// Charts, or else heatmaps, side by side.
struct LabPlot {
  std::string name;  // the files: lab-NAME.svg, lab-NAME.png
  std::string caption;
  std::vector<Chart> charts;
  std::vector<Heatmap> heatmaps;
};

using LabBlock = std::variant<LabProse, LabTable, LabChecks, LabPlot>;

class LabReport {
 public:
  LabReport(std::string name, std::string title)
      : name_(std::move(name)), title_(std::move(title)) {}

  void Say(std::string markdown);
  void Show(LabTable table);
  void Draw(LabPlot plot);

  // Passes when |measured - expected| <= tolerance; both are printed with the digits that the
  // tolerance leaves. Lines that follow each other make one table.
  void Expect(std::string what, double expected, double measured, double tolerance);
  // A count: passes when equal.
  void ExpectCount(std::string what, int64_t expected, int64_t measured);
  void ExpectAtMost(std::string what, double bound, double measured);
  void ExpectAtLeast(std::string what, double bound, double measured);
  // Reported only.
  void Measured(std::string what, std::string measured);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::vector<LabBlock>& blocks() const { return blocks_; }
  int64_t checks() const { return checks_; }
  int64_t failures() const { return failures_; }

 private:
  void Add(LabCheck check);

  std::string name_, title_;
  std::vector<LabBlock> blocks_;
  int64_t checks_ = 0, failures_ = 0;
};

// A number for people, to four digits: "0.6443", "1,024", "2.1e-16".
std::string LabNumber(double value);
// With so many digits behind the point: "0.64".
std::string LabFixed(double value, int decimals);

enum class LabDetail {
  kAll,     // prose, tables, results
  kChecks,  // results alone
};

// Plain text; prose is wrapped at `columns`.
std::string ReportForTerminal(const LabReport& report, LabDetail detail, int columns);

// A section of a Markdown file that lies beside the folder `images`.
std::string ReportAsMarkdown(const LabReport& report);

// Draws every plot as lab-NAME.svg and lab-NAME.png into `folder`, which is made if it is missing.
absl::Status WriteLabPlots(const LabReport& report, const std::filesystem::path& folder);

}  // namespace nmt

#endif  // NMT_LAB_LAB_REPORT_H_
