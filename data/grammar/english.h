#ifndef NMT_DATA_GRAMMAR_ENGLISH_H_
#define NMT_DATA_GRAMMAR_ENGLISH_H_

#include "data/grammar/tree.h"
#include "data/grammar/words.h"

namespace nmt::grammar {

Words EnglishNounPhrase(const NounPhrase& phrase, Case grammatical_case);

enum class EnglishOrder {
  kMain,         // subject first, or an auxiliary first in questions
  kSubordinate,  // subject first even after a question word
  kInfinitive,   // "to" and the bare verb
};

// A clause with everything that hangs on it.
Words EnglishClause(const Clause& clause, EnglishOrder order);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_ENGLISH_H_
