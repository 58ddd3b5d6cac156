#ifndef NMT_DATA_GRAMMAR_GERMAN_VERB_H_
#define NMT_DATA_GRAMMAR_GERMAN_VERB_H_

#include "data/grammar/german.h"

namespace nmt::grammar {

// The two brackets that enclose the middle of a German clause.  In main clauses the finite verb is
// the left one and all other verb forms and the separable prefix are the right one: "hat ...
// gelesen", "macht ... auf".  In verb-final clauses everything is on the right.
struct VerbBrackets {
  Words left, right;
};

VerbBrackets GermanVerb(const Clause& clause, GermanOrder order);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_GERMAN_VERB_H_
