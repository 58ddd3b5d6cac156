#ifndef NMT_DATA_GRAMMAR_GERMAN_MORPHOLOGY_H_
#define NMT_DATA_GRAMMAR_GERMAN_MORPHOLOGY_H_

#include <string>

#include "data/grammar/lexicon.h"

namespace nmt::grammar {

// What German articles, adjectives and relative pronouns agree in.
struct Inflection {
  Case grammatical_case;
  Gender gender;  // without a meaning in the plural
  bool plural;
};

// "der", "die", "das", "den", "dem": the definite article.
std::string DefiniteArticle(const Inflection& inflection);

// The relative pronoun: the article except for the dative plural "denen".
std::string RelativePronoun(const Inflection& inflection);

// The endings of "dieser": -er, -e, -es, -en, -em.
std::string StrongEnding(const Inflection& inflection);

// The endings of "ein", "kein" and the possessives: as above, but none in the masculine and
// neuter nominative and in the neuter accusative.
std::string EinEnding(const Inflection& inflection);

// The adjective ending after a determiner that carries an ending of its own.
std::string WeakEnding(const Inflection& inflection);

std::string NounForm(const Noun& noun, const Inflection& inflection);

// "in" and "dem" make "im"; empty where the two stay apart.
std::string Contraction(const std::string& preposition, const std::string& article);

// Regular verb forms from the infinitive.
std::string RegularThird(const std::string& infinitive);
std::string RegularParticiple(const std::string& infinitive);
std::string FirstPerson(const std::string& infinitive, const std::string& third);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_GERMAN_MORPHOLOGY_H_
