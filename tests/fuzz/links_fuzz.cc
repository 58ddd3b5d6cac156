// Word links in the Pharaoh format, and lists of known links.
#include <algorithm>

#include "nmt/alignment/known_links.h"
#include "nmt/corpus/links.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = nmt::TextOf(data, size);
  const nmt::InputFile file(input);
  for (const nmt::LinkBase base : {nmt::LinkBase::kZero, nmt::LinkBase::kOne}) {
    for (const nmt::LinkOrder order :
         {nmt::LinkOrder::kSourceFirst, nmt::LinkOrder::kTargetFirst}) {
      const auto lines = nmt::ReadLinks(file.path(), {base, order});
      if (!lines.ok()) continue;
      for (const nmt::Links& links : *lines) {
        int64_t words = 0;
        for (const nmt::Link& link : links) {
          nmt::Promise(link.source >= 0 && link.target >= 0, "indices count from 0");
          words = std::max(words, link.source + 1);
        }
        const auto again = nmt::ParseLinks(nmt::FormatLinks(links), nmt::LinkBase::kZero, {"", 1});
        nmt::Promise(again.ok() && *again == links, "what is printed is read back");
        if (words < 1000) (void)nmt::CoverageOf(links, words);
      }
    }
  }
  (void)nmt::ParseLinks(input, nmt::LinkBase::kZero, {"", 1}, nmt::LinkLengths{4, 4});
  (void)nmt::ReadKnownLinks(file.path());
  return 0;
}
