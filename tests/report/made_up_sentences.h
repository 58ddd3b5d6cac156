// Sentence pairs with links, for made-up reports.
#ifndef NMT_TESTS_REPORT_MADE_UP_SENTENCES_H_
#define NMT_TESTS_REPORT_MADE_UP_SENTENCES_H_

#include <string>
#include <vector>

#include "nmt/corpus/links.h"
#include "nmt/text/splitmix64.h"

namespace nmt {

struct MadeUpPair {
  std::string source, reference;
  Links gold;
};

// In several scripts and directions, written by hand.
const std::vector<MadeUpPair>& HandWrittenPairs();

// English to German, 4 to 30 words.
MadeUpPair GeneratedPair(SplitMix64& random);

// As GeneratedPair, some hundred words.
MadeUpPair LongPair(SplitMix64& random);

}  // namespace nmt

#endif  // NMT_TESTS_REPORT_MADE_UP_SENTENCES_H_
