#ifndef NMT_DATA_GRAMMAR_COMBINATIONS_H_
#define NMT_DATA_GRAMMAR_COMBINATIONS_H_

#include <string>
#include <vector>

#include "data/grammar/tree.h"

namespace nmt::grammar {

enum class CombinationKind { kVerbObject, kAdjectiveNoun, kSubjectVerb };

// Two words that a sentence brings together, for example "read" and "book".
struct Combination {
  CombinationKind kind;
  std::string first, second;
};

// A fixed part of the (verb, object) and (adjective, noun) combinations is reserved: training
// never shows them, so that a test can ask for what a model has not seen.  Which ones is decided
// by a hash of the two words, hence by no list and in no order.
bool IsReserved(const Combination& combination);

// A line for the combination, such as "object read/lesen book".
std::string Describe(const Combination& combination);

// The name of a verb in combinations: both languages, because "paint" is two verbs.
std::string VerbKey(const Verb& verb);

// All combinations of a sentence, read off its tree.  A relative pronoun counts as the noun it
// stands for; other pronouns and names make no combination.
std::vector<Combination> CombinationsOf(const Clause& clause);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_COMBINATIONS_H_
