#ifndef NMT_DATA_GRAMMAR_CLAUSE_SAMPLER_H_
#define NMT_DATA_GRAMMAR_CLAUSE_SAMPLER_H_

#include <functional>
#include <string>

#include "data/grammar/noun_sampler.h"

namespace nmt::grammar {

enum class TenseChoice { kAny, kPresent, kSimplePresent, kPast };

// What a clause may contain; small clauses keep long sentences readable.
struct ClauseOptions {
  TenseChoice tense = TenseChoice::kAny;
  bool may_negate = true;
  bool may_have_modal = true;
  bool time = true;
  bool place = true;
  bool extras = true;  // manner, company, "likes to", comparisons, professions
  bool progressive = true;
  bool predications = true;  // "is tired" where any clause fits
  bool relative = false;     // one noun phrase may get a relative clause
};

// Draws single clauses: a verb, then nouns that suit it, then the rest.
class ClauseSampler {
 public:
  explicit ClauseSampler(Draft* draft) : draft_(draft), nouns_(draft) {}

  NounSampler& nouns() { return nouns_; }

  Clause DrawClause(const ClauseOptions& options);

  // A clause about the given subject.
  Clause DrawClauseAbout(const NounPhrase& subject, const Features& subject_features,
                         const ClauseOptions& options);

  // Fills the objects and the rest of a clause whose verb and subject stand.
  void Fill(const ClauseOptions& options, Clause* clause);

  // "is tired", "is older than his brother" and their like.
  Clause DrawPredication(const NounPhrase& subject, const Noun* noun, const ClauseOptions& options);

  Clause DrawExistential();
  Clause DrawWeather(TenseChoice tense);

  // A verb of the frames in common use, with a subject of the features and fit for `allowed`.
  const Verb& DrawVerb(const Features& subject_features,
                       const std::function<bool(const Verb&)>& allowed = nullptr);

  // Hangs a relative clause on a noun phrase.
  void AddRelativeClause(NounPhrase* phrase);

  Adjunct MakePhraseAdjunct(AdjunctKind kind, const Phrase& phrase);
  Adjunct MakePrepositionalAdjunct(AdjunctKind kind, const Preposition& preposition,
                                   const NounPhrase& noun_phrase);
  void DrawTime(Clause* clause);

  // "They read" and "these cost" are present and past at once, so German could not tell which:
  // such verbs leave the past to subjects that show it.
  static bool PastIsClear(const Clause& clause);

 private:
  void DrawTense(const ClauseOptions& options, Clause* clause);
  void DrawObjects(Clause* clause);
  void DrawExtras(const ClauseOptions& options, Clause* clause);
  Adjunct DrawPlace();
  Adjunct DrawAnimalPlace();
  Adjunct DrawPlaceFor(const Clause& clause);
  Adjunct DrawGoal(const Verb& verb);
  Adjunct DrawPut(const NounPhrase& thing);
  Adjunct At(AdjunctKind kind, const Preposition& preposition, const Features& features);
  NounPhrase DrawPersonObject(const NounPhrase& subject, NounUse use, const Noun& noun);
  const Verb* DrawRelativeVerb(Frame frame, const NounPhrase& antecedent);

  Draft* draft_;
  NounSampler nouns_;
};

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_CLAUSE_SAMPLER_H_
