#ifndef NMT_DATA_GRAMMAR_NOUN_SAMPLER_H_
#define NMT_DATA_GRAMMAR_NOUN_SAMPLER_H_

#include <functional>

#include "data/grammar/draft.h"

namespace nmt::grammar {

// What a noun phrase is for, which limits its determiners.
enum class NounUse {
  kSubject,     // anything
  kObject,      // no "every", no "all"
  kDefinite,    // the, this, my, Anna's: where an indefinite one would be odd
  kUnderNot,    // a definite one, or one that makes "kein" with the negation
  kIndefinite,  // a, three, many, no: after "there is"
  kGeneric,     // bare plural or mass: "likes to read books"
};

// Draws noun phrases whose words go together.
class NounSampler {
 public:
  explicit NounSampler(Draft* draft) : draft_(draft) {}

  // A noun with one of the features, or null if `allowed` leaves none.
  const Noun* DrawNoun(const Features& features,
                       const std::function<bool(const Noun&)>& allowed = nullptr);

  // A noun the verb can have as its object.
  const Noun* DrawObjectNoun(const Verb& verb);

  NounPhrase MakeNounPhrase(const Noun& noun, NounUse use, bool with_adjective = true);

  // A name, a pronoun or a noun phrase of these kinds.
  NounPhrase DrawSubject(const Features& kinds, bool negated);

  NounPhrase MakeName(const Name& name);
  NounPhrase MakePronoun(Person person);
  NounPhrase DrawPersonName() { return MakeName(draft_->DrawPersonName(true)); }

  // Somebody definite: a name or "my friend".
  NounPhrase DrawDefinitePerson();

  // "three" or, less often, "25".
  Phrase DrawNumber();

  // An adjective that fits the noun, or null.
  enum class AdjectiveUse { kAny, kComparative, kState };
  const Adjective* DrawAdjective(const Noun& noun, AdjectiveUse use = AdjectiveUse::kAny);

 private:
  void DrawDeterminer(const Noun& noun, NounUse use, NounPhrase* phrase);
  Determiner DrawSingular(const Noun& noun, NounUse use);
  Determiner DrawPlural(const Noun& noun, NounUse use);

  Draft* draft_;
};

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_NOUN_SAMPLER_H_
