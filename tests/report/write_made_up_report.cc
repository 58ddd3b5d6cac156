// Writes report.json and index.html of a made-up report, for the tests of the page:
//   write_made_up_report FOLDER [models=2] [sentences=60] [gold=1] [references=1] [attention=1] [empty=0]
//                        [long=0] [hostile=0] [budget=BYTES]
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>

#include "nmt/base/file.h"
#include "nmt/report/report_page.h"
#include "tests/report/made_up_report.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "write_made_up_report: no folder; expected FOLDER [key=value]...\n");
    return 2;
  }
  std::map<std::string, int64_t> values = {
      {"models", 2}, {"sentences", 60}, {"gold", 1}, {"references", 1},     {"attention", 1},
      {"empty", 0},  {"hostile", 0},    {"long", 0}, {"budget", 32'000'000}};
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == std::string::npos || !values.contains(argument.substr(0, equals))) {
      fmt::print(stderr, "write_made_up_report: \"{}\": expected key=value\n", argument);
      return 2;
    }
    values[argument.substr(0, equals)] = std::atoll(argument.c_str() + equals + 1);
  }
  nmt::Comparison report = nmt::MadeUpReport({.models = values["models"],
                                              .sentences = values["sentences"],
                                              .gold = values["gold"] != 0,
                                              .references = values["references"] != 0,
                                              .attention = values["attention"] != 0,
                                              .empty_translation = values["empty"] != 0,
                                              .long_sentence = values["long"] != 0,
                                              .hostile = values["hostile"] != 0});
  const std::filesystem::path folder(argv[1]);
  report.attention_left_out = nmt::LimitAttention(report.sentences, values["budget"]);
  const absl::StatusOr<int64_t> bytes = nmt::WriteReportPage(report, folder / "index.html");
  absl::Status status = bytes.status();
  if (status.ok()) {
    status = nmt::WriteFileAtomically(folder / "report.json", nmt::ComparisonJson(report));
  }
  if (!status.ok()) {
    fmt::print(stderr, "{}\n", std::string(status.message()));
    return 1;
  }
  fmt::print("{:.1f} MB, {} matrices left out\n", static_cast<double>(*bytes) / 1e6,
             report.attention_left_out);
  return 0;
}
