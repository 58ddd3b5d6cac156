#ifndef NMT_DATA_GRAMMAR_GERMAN_H_
#define NMT_DATA_GRAMMAR_GERMAN_H_

#include <string>

#include "data/grammar/german_morphology.h"
#include "data/grammar/tree.h"
#include "data/grammar/words.h"

namespace nmt::grammar {

// A noun phrase without its relative clause, which may have to stand elsewhere.
Words GermanNounPhrase(const NounPhrase& phrase, Case grammatical_case);

// A preposition with its noun phrase; "in dem" becomes "im" where `contract` allows.
Words GermanPrepositionalPhrase(const std::string& preposition, int preposition_tag,
                                const NounPhrase& phrase, Case grammatical_case, bool contract);

// The relative clause between its commas, or nothing.
Words GermanRelativeClause(const NounPhrase& phrase);

// Where the finite verb stands.
enum class GermanOrder {
  kVerbSecond,  // statements and questions with a question word
  kVerbFirst,   // other questions, requests, and what follows a subordinate clause
  kVerbFinal,   // subordinate clauses
  kInfinitive,  // no finite verb at all: "zu lesen"
};

// A clause with everything that hangs on it.
Words GermanClause(const Clause& clause, GermanOrder order);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_GERMAN_H_
