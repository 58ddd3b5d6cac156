// The part of ClauseSampler that draws clauses without an action: what somebody is, and the
// weather.

#include <vector>

#include "data/grammar/clause_sampler.h"

namespace nmt::grammar {

Clause ClauseSampler::DrawPredication(const NounPhrase& subject, const Noun* noun,
                                      const ClauseOptions& options) {
  Random& random = draft_->random();
  // Names and pronouns are described by what fits any man.
  const Noun& described = noun != nullptr ? *noun : FindNoun("man");
  const bool person = described.features.Has('P');
  Clause clause;
  clause.id = draft_->NewId();
  clause.subject = subject;
  clause.verb = &FindVerb("be", "sein");
  const bool past = options.tense == TenseChoice::kPast ||
                    (options.tense == TenseChoice::kAny && random.Chance(30));
  clause.tense = past ? Tense::kPast : Tense::kPresent;
  clause.negated = options.may_negate && TakesNot(subject) && random.Chance(20);
  // Feminine professions would take another German word, so only men get one.
  const bool male =
      subject.conjunct == nullptr &&
      ((subject.kind == NounPhraseKind::kName && subject.name->gender == Gender::kMasculine) ||
       (subject.kind == NounPhraseKind::kPronoun && subject.person == Person::kHe));
  const bool single = subject.conjunct == nullptr && !subject.plural;
  const int comparative = options.extras && !clause.negated ? 20 : 0;
  const int profession = male && options.extras ? 30 : 0;
  const int age = options.extras && single && person && !clause.negated && !past ? 8 : 0;
  Predicate& predicate = clause.predicate;
  switch (random.Weighted({60, comparative, profession, age})) {
    case 0: {
      // Small clauses give a reason or an occasion, for which a state makes more sense.
      const bool state = person && !options.extras;
      predicate.adjective = nouns_.DrawAdjective(
          described, state ? NounSampler::AdjectiveUse::kState : NounSampler::AdjectiveUse::kAny);
      predicate.kind = PredicateKind::kAdjective;
      break;
    }
    case 1: {
      predicate.kind = PredicateKind::kComparative;
      predicate.adjective =
          nouns_.DrawAdjective(described, NounSampler::AdjectiveUse::kComparative);
      const Features same = person ? Features("P") : predicate.adjective->features;
      const Noun* other = nouns_.DrawNoun(same, [&](const Noun& candidate) {
        return (person || candidate.features.Overlaps(described.features)) &&
               !candidate.features.Has('P') == !person && &candidate != noun &&
               !candidate.features.Has('m') && !candidate.features.Has('1');
      });
      // Nothing compares with milk but other mass nouns, which would need no article.
      if (other == nullptr) {
        predicate.kind = PredicateKind::kAdjective;
        break;
      }
      predicate.noun_phrase = nouns_.MakeNounPhrase(*other, NounUse::kDefinite, false);
      break;
    }
    case 2: {
      predicate.kind = PredicateKind::kProfession;
      predicate.noun_phrase = nouns_.MakeNounPhrase(*nouns_.DrawNoun("Y"), NounUse::kDefinite);
      predicate.noun_phrase.determiner = Determiner::kA;
      predicate.noun_phrase.plural = false;
      break;
    }
    default:
      predicate.kind = PredicateKind::kAge;
      do {
        predicate.number = nouns_.DrawNumber();
      } while (predicate.number.en != predicate.number.de);  // digits
      predicate.adjective = &FindAdjective("old");
      break;
  }
  return clause;
}

Clause ClauseSampler::DrawWeather(TenseChoice tense) {
  Random& random = draft_->random();
  Clause clause;
  clause.id = draft_->NewId();
  clause.subject = nouns_.MakePronoun(Person::kItIt);
  const bool past =
      tense == TenseChoice::kPast || (tense == TenseChoice::kAny && random.Chance(35));
  if (random.Chance(50)) {
    clause.verb = random.Chance(60) ? &FindVerb("rain", "regnen") : &FindVerb("snow", "schneien");
    clause.tense = past ? Tense::kPast : random.Chance(60) ? Tense::kProgressive : Tense::kPresent;
  } else {
    clause.verb = &FindVerb("be", "sein");
    clause.tense = past ? Tense::kPast : Tense::kPresent;
    clause.predicate.kind = PredicateKind::kAdjective;
    const std::vector<const char*> kinds = {"cold", "warm", "dark"};
    clause.predicate.adjective = &FindAdjective(random.Pick(kinds));
  }
  clause.negated = random.Chance(15);
  return clause;
}

}  // namespace nmt::grammar
