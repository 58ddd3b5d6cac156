// What the tests of the report share: sample heatmaps and a check of XML.
#ifndef NMT_TESTS_REPORT_REPORT_TESTING_H_
#define NMT_TESTS_REPORT_REPORT_TESTING_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/report/heatmap.h"

namespace nmt {

// Words split at blanks; row t puts most of its weight on column t (mod S), the rest evenly.
Heatmap HeatmapOf(std::string_view source, std::string_view target);

// `count` words of varied length, with letters that reach high and low.
std::string ManyWords(int count);

// Empty if `text` is one well-formed XML element with escaped text and paired tags; otherwise what
// is wrong. Knows no DTDs, which our files have not.
std::string XmlError(std::string_view text);

// A new empty folder of this test.
std::filesystem::path TestFolder();

size_t CountOf(std::string_view text, std::string_view part);

// The five lines of hostile labels of public bug reports about broken pages, and bytes that are not
// text at all.
std::vector<std::string> HostileLabels();

}  // namespace nmt

#endif  // NMT_TESTS_REPORT_REPORT_TESTING_H_
