// sacreBLEU's tokenisers: they cut a plain line into the words whose n-grams BLEU counts. The same
// text scores 5 BLEU apart under two of them, so the name stands in the signature.
//
//   UnitSequence words = Tokenize("It costs 1,000.5 euros.", BleuTokenizer::k13a);
//   words.text();   // "It costs 1,000.5 euros ."
#ifndef NMT_METRICS_TOKENIZE_H_
#define NMT_METRICS_TOKENIZE_H_

#include <string_view>

#include "nmt/base/status.h"
#include "nmt/metrics/ngrams.h"

namespace nmt {

enum class BleuTokenizer {
  k13a,   // mteval-v13a's, the default: cuts off ASCII punctuation, keeps numbers whole
  kNone,  // at white space only: for text that is already tokenised
  kIntl,  // mteval-v14's: cuts off every punctuation mark and symbol that Unicode knows
  kChar,  // every character a word
  kZh,    // every Chinese character a word, the rest as 13a
};

// "13a", "none", "intl", "char", "zh": as sacreBLEU and --tokenize spell them.
std::string_view TokenizerName(BleuTokenizer tokenizer);

// A usage error lists the names that are known.
absl::StatusOr<BleuTokenizer> ParseTokenizer(std::string_view name);

UnitSequence Tokenize(std::string_view line, BleuTokenizer tokenizer);

}  // namespace nmt

#endif  // NMT_METRICS_TOKENIZE_H_
