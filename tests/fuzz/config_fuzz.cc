// A config, and after the first NUL the overrides of --set, a line each.
#include <string>
#include <vector>

#include "nmt/config/plan.h"
#include "nmt/config/printer.h"
#include "nmt/config/reader.h"
#include "nmt/text/lines.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = nmt::TextOf(data, size);
  const size_t nul = input.find('\0');
  const std::string_view yaml = input.substr(0, nul);
  std::vector<std::string> overrides;
  if (nul != std::string_view::npos) overrides = nmt::SplitLines(input.substr(nul + 1));

  const auto options = nmt::ParseOptions(yaml, "input", overrides);
  if (options.ok()) {
    const auto again = nmt::ParseOptions(nmt::PrintOptions(*options), "printed", {});
    nmt::Promise(again.ok(), "what is printed can be read");
    nmt::Promise(nmt::DifferingKeys(*options, *again).empty(), "and is the same");
  } else {
    nmt::Promise(!options.status().message().empty(), "an error says something");
  }
  const nmt::InputFile file(yaml);
  (void)nmt::ReadPlan(file.path());
  return 0;
}
