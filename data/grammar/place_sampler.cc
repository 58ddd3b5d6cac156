// The part of ClauseSampler that draws places and directions.

#include "data/grammar/clause_sampler.h"

namespace nmt::grammar {
namespace {

constexpr Case kAccusative = Case::kAccusative;
constexpr Case kDative = Case::kDative;

// German tells the place where something is (dative) from the place where it goes (accusative);
// English mostly leaves that to the verb.
const Preposition kIn = {"in", "in", kDative};
const Preposition kAt = {"at", "an", kDative};
const Preposition kAtEvent = {"at", "bei", kDative};
const Preposition kOn = {"on", "auf", kDative};
const Preposition kUnder = {"under", "unter", kDative};
const Preposition kBehind = {"behind", "hinter", kDative};
const Preposition kNextTo = {"next to", "neben", kDative};
const Preposition kInFrontOf = {"in front of", "vor", kDative};
const Preposition kOnto = {"on", "auf", kAccusative};
const Preposition kPutNextTo = {"next to", "neben", kAccusative};
const Preposition kPutUnder = {"under", "unter", kAccusative};
const Preposition kInto = {"into", "in", kAccusative};
const Preposition kThrough = {"through", "durch", kAccusative};
const Preposition kTo = {"to", "zu", kDative};
const Preposition kUpTo = {"to", "an", kAccusative};  // "ans Fenster", "ans Meer"
const Preposition kToCity = {"to", "nach", kDative};
const Preposition kFrom = {"from", "aus", kDative};
const Preposition kOutOf = {"out of", "aus", kDative};

const Phrase& HomePhrase() {
  static const Phrase phrase = {"home", "nach Hause", "0p0 0-1", ""};
  return phrase;
}

}  // namespace

Adjunct ClauseSampler::MakePhraseAdjunct(AdjunctKind kind, const Phrase& phrase) {
  Adjunct adjunct;
  adjunct.id = draft_->NewId();
  adjunct.kind = kind;
  adjunct.phrase = &phrase;
  if (phrase.en.find('#') != std::string::npos) {
    adjunct.number = draft_->random().Pick(NumberWords());
  }
  return adjunct;
}

Adjunct ClauseSampler::MakePrepositionalAdjunct(AdjunctKind kind, const Preposition& preposition,
                                                const NounPhrase& noun_phrase) {
  Adjunct adjunct;
  adjunct.id = draft_->NewId();
  adjunct.kind = kind;
  adjunct.preposition = preposition;
  adjunct.noun_phrase = noun_phrase;
  return adjunct;
}

Adjunct ClauseSampler::At(AdjunctKind kind, const Preposition& preposition,
                          const Features& features) {
  const Noun* noun = nouns_.DrawNoun(features);
  // Places are mostly "the"; an indefinite one now and then keeps "in einem" alive.
  NounPhrase phrase = nouns_.MakeNounPhrase(*noun, NounUse::kDefinite, false);
  const bool own =
      phrase.determiner == Determiner::kPossessive || phrase.determiner == Determiner::kOwner;
  if (phrase.plural || (own && !noun->features.Overlaps("UJ"))) {
    phrase.plural = false;
    phrase.determiner = Determiner::kThe;
  }
  if (!noun->features.Has('1') && phrase.determiner == Determiner::kThe &&
      draft_->random().Chance(15)) {
    phrase.determiner = Determiner::kA;
  }
  if (draft_->random().Chance(18)) phrase.adjective = nouns_.DrawAdjective(*noun);
  return MakePrepositionalAdjunct(kind, preposition, phrase);
}

// A place for what people and animals do.
Adjunct ClauseSampler::DrawPlace() {
  constexpr AdjunctKind kPlace = AdjunctKind::kPlace;
  Random& random = draft_->random();
  switch (random.Weighted({18, 10, 38, 12, 6, 7, 6, 11, 4})) {
    case 0:
      return MakePhraseAdjunct(kPlace, random.Pick(PlacePhrases()));
    case 1:
      return MakePrepositionalAdjunct(kPlace, kIn, nouns_.MakeName(random.Pick(Places())));
    case 2:
      return At(kPlace, kIn, "i");
    case 3:
      return At(kPlace, kAt, "a");
    case 4:
      return At(kPlace, kOn, "o");
    case 5:
      return At(kPlace, kInFrontOf, "R");
    case 6:
      return At(kPlace, kBehind, "J");
    case 7:
      return At(kPlace, kAtEvent, "b");
    default:
      return At(kPlace, kNextTo, "s");
  }
}

// Animals keep out of libraries.
Adjunct ClauseSampler::DrawAnimalPlace() {
  constexpr AdjunctKind kPlace = AdjunctKind::kPlace;
  switch (draft_->random().Weighted({50, 20, 15, 15})) {
    case 0:
      return At(kPlace, kIn, "t");
    case 1:
      return At(kPlace, kUnder, "d");
    case 2:
      return At(kPlace, kBehind, "J");
    default:
      return At(kPlace, kNextTo, "J");
  }
}

Adjunct ClauseSampler::DrawPlaceFor(const Clause& clause) {
  constexpr AdjunctKind kPlace = AdjunctKind::kPlace;
  Random& random = draft_->random();
  const std::string& verb = clause.verb->en;
  if (verb == "live") {
    if (random.Chance(40)) {
      return MakePrepositionalAdjunct(kPlace, kIn, nouns_.MakeName(random.Pick(Places())));
    }
    return At(kPlace, kIn, "J");
  }
  if (verb == "lie") {
    switch (random.Weighted({50, 25, 25})) {
      case 0:
        return At(kPlace, kOn, "p");
      case 1:
        return At(kPlace, kUnder, "p");
      default:
        return At(kPlace, kIn, "c");
    }
  }
  if (verb == "hang") return At(kPlace, kIn, "R");
  const bool animal = clause.subject.noun != nullptr && clause.subject.noun->features.Has('A');
  if (animal) return DrawAnimalPlace();
  if (verb == "sit" && random.Chance(40)) {
    return random.Chance(60) ? At(kPlace, kOn, "p") : At(kPlace, kUnder, "d");
  }
  Adjunct place = DrawPlace();
  // Nobody sits or stands in Spain.
  while (verb != "stay" && place.noun_phrase.kind == NounPhraseKind::kName) place = DrawPlace();
  return place;
}

Adjunct ClauseSampler::DrawGoal(const Verb& verb) {
  constexpr AdjunctKind kGoal = AdjunctKind::kGoal;
  Random& random = draft_->random();
  const auto city = [&](const Preposition& preposition) {
    return MakePrepositionalAdjunct(kGoal, preposition, nouns_.MakeName(random.Pick(Places())));
  };
  if (verb.en == "travel" || verb.en == "fly") return city(kToCity);
  if (verb.en == "drive") {
    if (random.Chance(45)) return city(kToCity);
    switch (random.Weighted({25, 45, 30})) {
      case 0:
        return MakePhraseAdjunct(kGoal, HomePhrase());
      case 1:
        return At(kGoal, kTo, "w");
      default:
        return At(kGoal, kUpTo, "g");
    }
  }
  if (verb.en == "come" && random.Chance(60)) {
    return random.Chance(50) ? city(kFrom) : At(kGoal, kOutOf, "n");
  }
  switch (random.Weighted({30, 22, 15, 18, 15})) {
    case 0:
      return At(kGoal, kTo, "z");
    case 1:
      return At(kGoal, kInto, "n");
    case 2:
      return At(kGoal, kThrough, "t");
    case 3:
      return At(kGoal, kUpTo, "e");
    default:
      return MakePhraseAdjunct(kGoal, HomePhrase());
  }
}

Adjunct ClauseSampler::DrawPut(const NounPhrase& thing) {
  constexpr AdjunctKind kGoal = AdjunctKind::kGoal;
  Random& random = draft_->random();
  if (thing.noun->features.Has('U')) {
    return random.Chance(60) ? At(kGoal, kInto, "R") : At(kGoal, kPutNextTo, "U");
  }
  if (thing.noun->features.Has('K')) {
    return random.Chance(70) ? At(kGoal, kOnto, "p") : At(kGoal, kPutUnder, "p");
  }
  switch (random.Weighted({50, 30, 20})) {
    case 0:
      return At(kGoal, kOnto, "p");
    case 1:
      return At(kGoal, kInto, "c");
    default:
      return At(kGoal, kPutUnder, "p");
  }
}

Clause ClauseSampler::DrawExistential() {
  Random& random = draft_->random();
  Clause clause;
  clause.id = draft_->NewId();
  clause.verb = &FindVerb("be", "geben");
  clause.subject = nouns_.MakePronoun(Person::kThere);
  clause.tense = random.Chance(70) ? Tense::kPresent : Tense::kPast;
  Features things;
  Adjunct place;
  switch (random.Below(3)) {
    case 0:
      things = "s";
      place = random.Chance(50) ? MakePrepositionalAdjunct(AdjunctKind::kPlace, kIn,
                                                           nouns_.MakeName(random.Pick(Places())))
                                : At(AdjunctKind::kPlace, kIn, "t");
      break;
    case 1:
      things = "UM";
      place = At(AdjunctKind::kPlace, kIn, "R");
      break;
    default:
      things = "BA";
      place = At(AdjunctKind::kPlace, kIn, "t");
      break;
  }
  const std::string key = VerbKey(*clause.verb);
  const Noun* place_noun = place.noun_phrase.noun;
  const Noun* noun = nouns_.DrawNoun(things, [&](const Noun& candidate) {
    // In the first case 's' also marks furniture and vehicles, which cities are not said to have.
    const bool fits = !things.Has('s') || candidate.features.Has('R');
    return fits && draft_->MayCombine({CombinationKind::kVerbObject, key, candidate.en}, false) &&
           &candidate != place_noun;
  });
  clause.accusative = nouns_.MakeNounPhrase(*noun, NounUse::kIndefinite);
  clause.adjuncts.push_back(place);
  if (random.Chance(35)) clause.front = Front::kPlace;
  return clause;
}

}  // namespace nmt::grammar
