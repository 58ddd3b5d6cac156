// Word links in the Pharaoh format, and lists of known links.
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
        for (const nmt::Link& link : links)
          nmt::Promise(link.source >= 0 && link.target >= 0, "indices count from 0");
        const auto again = nmt::ParseLinks(nmt::FormatLinks(links), nmt::LinkBase::kZero, {"", 1});
        nmt::Promise(again.ok() && *again == links, "what is printed is read back");
        (void)nmt::CoverageOf(links, 8);
      }
    }
  }
  (void)nmt::ParseLinks(input, nmt::LinkBase::kZero, {"", 1}, nmt::LinkLengths{4, 4});
  (void)nmt::ReadKnownLinks(file.path());
  return 0;
}
