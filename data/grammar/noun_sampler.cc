#include "data/grammar/noun_sampler.h"

#include <string>
#include <vector>

namespace nmt::grammar {
namespace {

// Nouns that name one thing only: "the sun", "the breakfast".
bool IsUnique(const Noun& noun) { return noun.features.Has('1'); }
bool IsMass(const Noun& noun) { return noun.features.Has('m'); }
bool IsPluralOnly(const Noun& noun) { return noun.features.Has('2'); }

}  // namespace

const Noun* NounSampler::DrawNoun(const Features& features,
                                  const std::function<bool(const Noun&)>& allowed) {
  std::vector<const Noun*> candidates;
  for (const Noun& noun : Nouns()) {
    if (noun.features.Overlaps(features) && (allowed == nullptr || allowed(noun))) {
      candidates.push_back(&noun);
    }
  }
  return candidates.empty() ? nullptr : draft_->random().Pick(candidates);
}

const Noun* NounSampler::DrawObjectNoun(const Verb& verb) {
  const std::string key = VerbKey(verb);
  const bool first_choice = draft_->DrawInsist();
  for (bool insist : {first_choice, false}) {
    const Noun* noun = DrawNoun(verb.object, [&](const Noun& candidate) {
      return draft_->MayCombine({CombinationKind::kVerbObject, key, candidate.en}, insist);
    });
    if (noun != nullptr) return noun;
  }
  return nullptr;
}

const Adjective* NounSampler::DrawAdjective(const Noun& noun, AdjectiveUse use) {
  const bool first_choice = draft_->DrawInsist();
  for (bool insist : {first_choice, false}) {
    std::vector<const Adjective*> candidates;
    for (const Adjective& adjective : Adjectives()) {
      if (!adjective.features.Overlaps(noun.features)) continue;
      if (use == AdjectiveUse::kComparative && adjective.en_comparative.empty()) continue;
      if (use == AdjectiveUse::kState && !adjective.features.Has('0')) continue;
      const Combination combination{CombinationKind::kAdjectiveNoun, adjective.en, noun.en};
      if (draft_->MayCombine(combination, insist)) {
        candidates.push_back(&adjective);
      }
    }
    if (!candidates.empty()) return draft_->random().Pick(candidates);
  }
  return nullptr;
}

Phrase NounSampler::DrawNumber() {
  if (draft_->random().Chance(75)) return draft_->random().Pick(NumberWords());
  const std::string digits = std::to_string(13 + draft_->random().Below(47));
  return {digits, digits, "", ""};
}

Determiner NounSampler::DrawSingular(const Noun& noun, NounUse use) {
  Random& random = draft_->random();
  const std::vector<Determiner> definite = {Determiner::kThe, Determiner::kThis,
                                            Determiner::kPossessive, Determiner::kOwner};
  // Only relatives and friends are somebody's: not "my queen".
  const bool person = noun.features.Has('P');
  const std::vector<int> definite_weights = !person ? std::vector<int>{58, 12, 20, 10}
                                            : noun.features.Has('r')
                                                ? std::vector<int>{24, 6, 52, 18}
                                                : std::vector<int>{84, 16, 0, 0};
  if (use == NounUse::kGeneric && IsMass(noun)) return Determiner::kBare;
  if (IsMass(noun)) {
    const bool bare = use != NounUse::kDefinite && random.Chance(45);
    if (bare) return Determiner::kBare;
    return definite[random.Weighted({70, 15, 15, 0})];
  }
  if (noun.features.Has('H')) return Determiner::kThe;
  if (IsUnique(noun)) return random.Chance(80) ? Determiner::kThe : Determiner::kPossessive;
  switch (use) {
    case NounUse::kIndefinite:
      return random.Chance(90) ? Determiner::kA : Determiner::kNo;
    case NounUse::kUnderNot:
      if (random.Chance(35)) return Determiner::kA;
      break;
    case NounUse::kSubject:
      if (random.Chance(noun.features.Has('r') ? 6 : 20)) return Determiner::kA;
      if (random.Chance(6)) return random.Chance(50) ? Determiner::kEvery : Determiner::kNo;
      break;
    case NounUse::kObject:
      if (random.Chance(noun.features.Has('r') ? 10 : 36)) return Determiner::kA;
      break;
    case NounUse::kDefinite:
    case NounUse::kGeneric:
      break;
  }
  return definite[random.Weighted(definite_weights)];
}

Determiner NounSampler::DrawPlural(const Noun& noun, NounUse use) {
  Random& random = draft_->random();
  const std::vector<Determiner> definite = {Determiner::kThe, Determiner::kThis,
                                            Determiner::kPossessive};
  const bool person = noun.features.Has('P');
  const int own = !person || noun.features.Has('r') ? 26 : 0;
  // People and places rarely come without any determiner.
  const int bare = noun.features.Overlaps("PRL") ? 0 : 35;
  if (noun.en == "parents") return definite[random.Weighted({50, 0, 50})];
  switch (use) {
    case NounUse::kGeneric:
      return Determiner::kBare;
    case NounUse::kIndefinite:
      return random.Chance(65) ? Determiner::kNumber : Determiner::kMany;
    case NounUse::kUnderNot:
      if (random.Chance(40)) return Determiner::kBare;
      break;
    case NounUse::kSubject:
      if (random.Chance(10) && !noun.features.Has('2')) return Determiner::kAll;
      [[fallthrough]];
    case NounUse::kObject:
      if (random.Chance(48)) {
        const std::vector<Determiner> open = {Determiner::kNumber, Determiner::kBare,
                                              Determiner::kMany};
        return open[random.Weighted({45, bare, 20})];
      }
      break;
    case NounUse::kDefinite:
      break;
  }
  return definite[random.Weighted({60, 14, own})];
}

void NounSampler::DrawDeterminer(const Noun& noun, NounUse use, NounPhrase* phrase) {
  Random& random = draft_->random();
  const bool singular_only = IsMass(noun) || IsUnique(noun);
  phrase->plural =
      IsPluralOnly(noun) || (!singular_only && (use == NounUse::kGeneric || random.Chance(24)));
  phrase->determiner = phrase->plural ? DrawPlural(noun, use) : DrawSingular(noun, use);
  if (phrase->determiner == Determiner::kPossessive) {
    const std::vector<Person> owners = {Person::kI,  Person::kHe,   Person::kShe,
                                        Person::kWe, Person::kThey, Person::kYou};
    phrase->person = owners[random.Weighted({25, 20, 20, 15, 12, 8})];
  } else if (phrase->determiner == Determiner::kOwner) {
    phrase->name = &draft_->DrawPersonName(false);
  } else if (phrase->determiner == Determiner::kNumber) {
    // Large numbers are for things: not "26 aunts".
    phrase->number = DrawNumber();
    if (noun.features.Has('P')) phrase->number = random.Pick(NumberWords());
  }
}

NounPhrase NounSampler::MakeNounPhrase(const Noun& noun, NounUse use, bool with_adjective) {
  NounPhrase phrase;
  phrase.id = draft_->NewId();
  phrase.noun = &noun;
  DrawDeterminer(noun, use, &phrase);
  if (with_adjective && draft_->random().Chance(30) && !noun.features.Has('H')) {
    phrase.adjective = DrawAdjective(noun);
  }
  return phrase;
}

NounPhrase NounSampler::MakeName(const Name& name) {
  NounPhrase phrase;
  phrase.id = draft_->NewId();
  phrase.kind = NounPhraseKind::kName;
  phrase.name = &name;
  return phrase;
}

NounPhrase NounSampler::MakePronoun(Person person) {
  NounPhrase phrase;
  phrase.id = draft_->NewId();
  phrase.kind = NounPhraseKind::kPronoun;
  phrase.person = person;
  return phrase;
}

NounPhrase NounSampler::DrawDefinitePerson() {
  if (draft_->random().Chance(40)) return DrawPersonName();
  return MakeNounPhrase(*DrawNoun("P"), NounUse::kDefinite);
}

NounPhrase NounSampler::DrawSubject(const Features& kinds, bool negated) {
  Random& random = draft_->random();
  const bool person = kinds.Has('P');
  if (person && random.Chance(30)) {
    NounPhrase name = DrawPersonName();
    if (random.Chance(12)) {
      name.conjunct = std::make_shared<NounPhrase>(
          random.Chance(50) ? DrawPersonName()
                            : MakeNounPhrase(*DrawNoun("P"), NounUse::kDefinite, false));
    }
    return name;
  }
  if (person && random.Chance(32)) {
    const std::vector<Person> persons = {Person::kI,  Person::kHe,   Person::kShe,
                                         Person::kWe, Person::kThey, Person::kYou};
    return MakePronoun(persons[random.Weighted({32, 20, 20, 14, 10, 8})]);
  }
  const Noun* noun = DrawNoun(kinds);
  return MakeNounPhrase(*noun, negated ? NounUse::kDefinite : NounUse::kSubject);
}

}  // namespace nmt::grammar
