// The part of ClauseSampler that draws relative clauses.

#include <vector>

#include "data/grammar/clause_sampler.h"

namespace nmt::grammar {

// A verb of the frame that can have the antecedent as its object, or null.
const Verb* ClauseSampler::DrawRelativeVerb(Frame frame, const NounPhrase& antecedent) {
  std::vector<const Verb*> candidates;
  for (const Verb& verb : Verbs()) {
    if (verb.frame != frame || !verb.subject.Has('P')) continue;
    if (!verb.object.Overlaps(antecedent.noun->features)) continue;
    const Combination combination{CombinationKind::kVerbObject, VerbKey(verb), antecedent.noun->en};
    if (draft_->MayCombine(combination, false)) candidates.push_back(&verb);
  }
  return candidates.empty() ? nullptr : draft_->random().Pick(candidates);
}

void ClauseSampler::AddRelativeClause(NounPhrase* phrase) {
  Random& random = draft_->random();
  const Noun& noun = *phrase->noun;
  NounPhrase gap;
  gap.id = draft_->NewId();
  gap.kind = NounPhraseKind::kRelative;
  gap.noun = &noun;
  gap.plural = phrase->plural;

  ClauseOptions small;
  small.may_negate = random.Chance(30);
  small.time = random.Chance(25);
  small.place = false;
  small.extras = false;
  const bool alive = noun.features.Overlaps("PA");
  Clause clause;
  // The gap is the subject, the accusative, dative or prepositional object, or the place.
  // One adjective is enough.
  const int description = phrase->adjective != nullptr ? 0 : alive ? 15 : 30;
  switch (random.Weighted({alive ? 45 : 0, description, 35, noun.features.Has('P') ? 12 : 0, 10,
                           noun.features.Overlaps("J") ? 60 : 0})) {
    case 0:
      small.may_negate = false;
      clause = DrawClauseAbout(gap, noun.features, small);
      break;
    case 2:
      clause.verb = DrawRelativeVerb(Frame::kAccusative, *phrase);
      clause.accusative = gap;
      clause.front = Front::kAccusative;
      break;
    case 3:
      clause.verb = DrawRelativeVerb(Frame::kDative, *phrase);
      clause.dative = gap;
      clause.front = Front::kDative;
      break;
    case 4:
      clause.verb = DrawRelativeVerb(Frame::kPrepositional, *phrase);
      clause.prepositional = gap;
      clause.front = Front::kPrepositional;
      break;
    case 5:
      clause.verb = &FindVerb("live", "wohnen");
      clause.adjuncts.push_back(
          MakePrepositionalAdjunct(AdjunctKind::kPlace, {"in", "in", Case::kDative}, gap));
      clause.front = Front::kPlace;
      break;
    default:
      clause = DrawPredication(gap, &noun, small);
      break;
  }
  if (clause.verb == nullptr) return;  // nothing suits the noun
  if (clause.id == 0) {
    clause.id = draft_->NewId();
    clause.subject = nouns_.DrawDefinitePerson();
    if (random.Chance(35))
      clause.subject = nouns_.MakePronoun(random.Chance(50) ? Person::kHe : Person::kShe);
    const bool past = !clause.verb->flags.Has('S') && ClauseSampler::PastIsClear(clause);
    clause.tense = past && random.Chance(45) ? Tense::kPast : Tense::kPresent;
  }
  phrase->relative = std::make_shared<Clause>(clause);
}

}  // namespace nmt::grammar
