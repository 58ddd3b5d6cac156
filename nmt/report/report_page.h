// The comparison as one page: a self-contained index.html that opens from disk, without a network.
//
//   comparison.attention_left_out = LimitAttention(comparison.sentences);
//   NMT_ASSIGN_OR_RETURN(const int64_t bytes, WriteReportPage(comparison, dir / "index.html"));
//   fmt::print(stderr, "page: {:.1f} MB\n", bytes / 1e6);
//
// The data stand in <script type="application/json"> blocks, which a browser reads over and the page
// parses when they are needed:
//
//   summary      all of report.json but the sentences; the colours; how the blocks are cut
//   index        a list a measure, an entry a sentence: what the list of sentences is sorted by
//   texts-N      the sentences from N * 250 on, as in report.json without `attention`
//   weights-N    their attention, a list a sentence, from N * 100 on
//
// Weights are bytes, b for b / 255, in base64: 1.33 characters each. The characters that could end a
// script block, and line separators, are written as \u escapes.
#ifndef NMT_REPORT_REPORT_PAGE_H_
#define NMT_REPORT_REPORT_PAGE_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "nmt/base/status.h"
#include "nmt/report/comparison.h"

namespace nmt {

// The page as text.
std::string ReportPage(const Comparison& comparison);

// Gives the bytes that were written. The file is complete or absent.
absl::StatusOr<int64_t> WriteReportPage(const Comparison& comparison,
                                        const std::filesystem::path& path);

// JSON that can stand in a script block of HTML and means the same: <, >, & and the line separators
// are \u escapes. They stand in strings only, where JSON allows it.
std::string EscapeForScript(std::string_view json);

}  // namespace nmt

#endif  // NMT_REPORT_REPORT_PAGE_H_
