#ifndef NMT_DATA_GRAMMAR_PHRASE_WORDS_H_
#define NMT_DATA_GRAMMAR_PHRASE_WORDS_H_

#include <string>
#include <vector>

#include "data/grammar/lexicon.h"
#include "data/grammar/words.h"

namespace nmt::grammar {

enum class Side { kEnglish, kGerman };

// The words of a fixed phrase, tagged as the links of its entry say; '#' becomes `number`.
Words PhraseWords(const Phrase& phrase, int id, Side side, const Phrase& number);

// "train station" as two words with the same tags.
Words TaggedWords(const std::string& text, const std::vector<int>& sure,
                  const std::vector<int>& possible);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_PHRASE_WORDS_H_
