#include "data/grammar/sentence_sampler.h"

#include <optional>
#include <vector>

namespace nmt::grammar {
namespace {

const Phrase kAnd = {"and", "und", "0-0", ""};
const Phrase kBut = {"but", "aber", "0-0", ""};
const Phrase kBecause = {"because", "weil", "0-0", ""};
const Phrase kAlthough = {"although", "obwohl", "0-0", ""};
const Phrase kWhile = {"while", "während", "0-0", ""};
const Phrase kWhenever = {"when", "wenn", "0-0", ""};
const Phrase kIf = {"if", "wenn", "0-0", ""};
const Phrase kWhenOnce = {"when", "als", "0-0", ""};
const Phrase kBefore = {"before", "bevor", "0-0", ""};

bool IsThing(const NounPhrase& phrase) {
  return phrase.kind == NounPhraseKind::kNoun && !phrase.noun->features.Overlaps("PA");
}

// The pronoun for a noun phrase, if English and German agree on it.  Neuter persons and animals
// have none: "the child" may be "he" where "das Kind" is "es".
std::optional<Person> PronounFor(const NounPhrase& phrase) {
  if (phrase.conjunct != nullptr) return Person::kThey;
  if (phrase.kind == NounPhraseKind::kPronoun) return phrase.person;
  if (phrase.kind == NounPhraseKind::kName) {
    return phrase.name->gender == Gender::kFeminine ? Person::kShe : Person::kHe;
  }
  if (phrase.kind != NounPhraseKind::kNoun) return std::nullopt;
  switch (phrase.determiner) {
    case Determiner::kEvery:
    case Determiner::kNo:
    case Determiner::kAll:
    case Determiner::kMany:
      return std::nullopt;
    default:
      break;
  }
  if (phrase.plural) return Person::kThey;
  const Gender gender = phrase.noun->gender;
  if (IsThing(phrase)) {
    // This is where English hides what German must know: the gender of the noun.
    return gender == Gender::kMasculine  ? Person::kItHe
           : gender == Gender::kFeminine ? Person::kItShe
                                         : Person::kItIt;
  }
  if (!phrase.noun->features.Has('P') || gender == Gender::kNeuter || phrase.noun->en == "family") {
    return std::nullopt;
  }
  return gender == Gender::kMasculine ? Person::kHe : Person::kShe;
}

bool IsPast(const Clause& clause) { return clause.tense == Tense::kPast; }

TenseChoice SameTime(const Clause& clause) {
  return IsPast(clause) ? TenseChoice::kPast : TenseChoice::kPresent;
}

}  // namespace

void SentenceSampler::Subordinate(Clause* main, Clause inner, const Phrase& conjunction,
                                  bool first) {
  main->subordinate = std::make_shared<Clause>(std::move(inner));
  main->conjunction = &conjunction;
  main->conjunction_id = draft_->NewId();
  main->attachment = Attachment::kConjunction;
  main->subordinate_first = first;
}

void SentenceSampler::Coordinate(Clause* first, Clause second, bool but) {
  first->coordinate = std::make_shared<Clause>(std::move(second));
  first->coordinator = but ? &kBut : &kAnd;
  first->coordinator_id = draft_->NewId();
}

Clause SentenceSampler::DrawCopular(const ClauseOptions& options) {
  Random& random = draft_->random();
  NounSampler& nouns = clauses_.nouns();
  if (random.Chance(50)) {
    NounPhrase subject = nouns.DrawPersonName();
    if (random.Chance(45)) {
      const std::vector<Person> persons = {Person::kI,  Person::kHe,   Person::kShe,
                                           Person::kWe, Person::kThey, Person::kYou};
      subject = nouns.MakePronoun(random.Pick(persons));
    }
    return clauses_.DrawPredication(subject, nullptr, options);
  }
  const Noun* noun = nouns.DrawNoun("PATFDOUCVGMWQENKBRL", [](const Noun& candidate) {
    return !candidate.features.Has('1') && candidate.en != "street";
  });
  NounPhrase subject = nouns.MakeNounPhrase(*noun, NounUse::kDefinite, false);
  Clause clause = clauses_.DrawPredication(subject, noun, options);
  if (options.relative && random.Chance(45) && subject.determiner == Determiner::kThe &&
      !noun->features.Has('m')) {
    clauses_.AddRelativeClause(&clause.subject);
  }
  return clause;
}

Clause SentenceSampler::DrawPrice() {
  NounSampler& nouns = clauses_.nouns();
  Clause clause;
  clause.id = draft_->NewId();
  clause.verb = &FindVerb("cost", "kosten");
  const Noun* noun = nouns.DrawNoun(clause.verb->subject);
  clause.subject = nouns.MakeNounPhrase(*noun, NounUse::kDefinite);
  if (ClauseSampler::PastIsClear(clause) && draft_->random().Chance(40)) {
    clause.tense = Tense::kPast;
  }
  NounPhrase price;
  price.id = draft_->NewId();
  price.noun = &FindNoun("euro");
  price.plural = true;
  price.determiner = Determiner::kNumber;
  price.number = nouns.DrawNumber();
  clause.accusative = price;
  return clause;
}

Clause SentenceSampler::DrawStatement(const ClauseOptions& options) {
  switch (draft_->random().Weighted({76, 14, 3, 2, 4})) {
    case 0:
      return clauses_.DrawClause(options);
    case 1:
      return DrawCopular(options);
    case 2:
      return clauses_.DrawExistential();
    case 3:
      return clauses_.DrawWeather(options.tense);
    default:
      return DrawPrice();
  }
}

Clause SentenceSampler::DrawFollowUp(const Clause& first, const ClauseOptions& options) {
  Random& random = draft_->random();
  const std::optional<Person> person = PronounFor(first.subject);
  const bool thing = IsThing(first.subject);
  if (!person.has_value() || thing || first.subject.kind == NounPhraseKind::kRelative ||
      random.Chance(45)) {
    const bool action = !options.predications || random.Chance(75);
    return action ? clauses_.DrawClause(options) : DrawCopular(options);
  }
  const NounPhrase pronoun = clauses_.nouns().MakePronoun(*person);
  if (options.predications && random.Chance(25)) {
    return clauses_.DrawPredication(pronoun, nullptr, options);
  }
  return clauses_.DrawClauseAbout(pronoun, "P", options);
}

// "The man buys the table because it is cheap."
Clause SentenceSampler::DrawReason() {
  ClauseOptions bare;
  bare.time = bare.place = bare.extras = false;
  Clause clause;
  for (int attempt = 0;; ++attempt) {
    clause = clauses_.DrawClause(bare);
    const bool fits = clause.accusative.has_value() && !clause.dative.has_value() &&
                      clause.adjuncts.empty() && !clause.negated && IsThing(*clause.accusative) &&
                      clause.accusative->adjective == nullptr &&
                      PronounFor(*clause.accusative).has_value() &&
                      !clause.accusative->noun->features.Has('1') && !IsThing(clause.subject);
    if (fits) break;
    if (attempt == 50) return clause;
  }
  ClauseOptions reason = bare;
  reason.tense = SameTime(clause);
  const NounPhrase it = clauses_.nouns().MakePronoun(*PronounFor(*clause.accusative));
  Clause inner = clauses_.DrawPredication(it, clause.accusative->noun, reason);
  Subordinate(&clause, inner, draft_->random().Chance(75) ? kBecause : kAlthough, false);
  return clause;
}

Clause SentenceSampler::DrawWithAdverbialClause(bool first) {
  Random& random = draft_->random();
  ClauseOptions small;
  small.time = false;
  small.place = random.Chance(30);
  small.extras = random.Chance(30);
  const size_t kind = random.Weighted({30, 14, 14, 16, 12, 8});
  // "While" and "before" go with what somebody does.
  small.predications = small.may_negate = kind != 2;
  // Conditions and repeated events are in the present, single events in the past.
  // English has the simple present after "when" and "if": not "when he will come".
  if (kind == 2 || kind == 3 || kind == 5) {
    small.tense = first ? TenseChoice::kSimplePresent : TenseChoice::kPresent;
  }
  if (kind == 4 || (kind == 2 && random.Chance(40))) small.tense = TenseChoice::kPast;
  small.progressive = kind < 2;
  const bool weather = random.Chance(12);
  if (weather) {
    // Before rain and because of rain.
    Clause main = clauses_.DrawClause(small);
    const TenseChoice tense = SameTime(main);
    Clause inner = clauses_.DrawWeather(tense);
    const Phrase& conjunction = random.Chance(50)             ? kBecause
                                : random.Chance(40)           ? kAlthough
                                : tense == TenseChoice::kPast ? kWhenOnce
                                : random.Chance(50)           ? kIf
                                                              : kWhenever;
    Subordinate(&main, inner, conjunction, first);
    return main;
  }
  // The clause with the noun comes first and the one with the pronoun second, whichever is which.
  Clause leading = clauses_.DrawClause(small);
  ClauseOptions rest = small;
  rest.tense = SameTime(leading);
  if ((kind == 2 || kind == 3 || kind == 5) && rest.tense == TenseChoice::kPresent && !first) {
    rest.tense = TenseChoice::kSimplePresent;
  }
  Clause trailing = DrawFollowUp(leading, rest);
  Clause& main = first ? trailing : leading;
  const Clause& inner = first ? leading : trailing;
  switch (kind) {
    case 0:
      Subordinate(&main, inner, kBecause, first);
      break;
    case 1:
      Subordinate(&main, inner, kAlthough, first);
      break;
    case 2:
      Subordinate(&main, inner, random.Chance(50) ? kWhile : kBefore, first);
      break;
    case 3:
      Subordinate(&main, inner, kWhenever, first);
      break;
    case 4:
      Subordinate(&main, inner, kWhenOnce, first);
      break;
    default:
      Subordinate(&main, inner, kIf, first);
      break;
  }
  return main;
}

// "Anna opens the window and reads the book."
Clause SentenceSampler::DrawSharedSubject() {
  Random& random = draft_->random();
  ClauseOptions small;
  small.time = small.place = small.extras = false;
  small.may_negate = false;
  small.may_have_modal = false;
  Clause first;
  first.id = draft_->NewId();
  first.verb = &clauses_.DrawVerb("P");
  first.subject = clauses_.nouns().DrawSubject("P", true);
  clauses_.Fill(small, &first);
  if (first.tense == Tense::kProgressive) first.tense = Tense::kPresent;
  Clause second;
  second.id = draft_->NewId();
  second.subject = first.subject;
  second.omits_subject = true;
  small.tense = IsPast(first) ? TenseChoice::kPast : TenseChoice::kSimplePresent;
  // The second verb may do something to the thing of the first: "buys the table and paints it".
  const bool anaphor = first.accusative.has_value() && first.adjuncts.empty() &&
                       !first.dative.has_value() && IsThing(*first.accusative) &&
                       !first.accusative->noun->features.Has('1') &&
                       PronounFor(*first.accusative).has_value() && random.Chance(75);
  if (anaphor) {
    const Noun& noun = *first.accusative->noun;
    second.verb = &clauses_.DrawVerb("P", [&](const Verb& verb) {
      return (verb.frame == Frame::kAccusative || verb.frame == Frame::kNone) &&
             &verb != first.verb && verb.flags.Has('T') && verb.en != verb.en_past &&
             (verb.frame == Frame::kNone || verb.object.Overlaps(noun.features)) &&
             (verb.frame == Frame::kNone ||
              draft_->MayCombine({CombinationKind::kVerbObject, VerbKey(verb), noun.en}, false));
    });
    if (second.verb->frame == Frame::kAccusative) {
      second.tense = first.tense;
      second.accusative = clauses_.nouns().MakePronoun(*PronounFor(*first.accusative));
      Coordinate(&first, second, false);
      return first;
    }
  } else {
    second.verb = &clauses_.DrawVerb("P", [&](const Verb& verb) { return &verb != first.verb; });
  }
  clauses_.Fill(small, &second);
  Coordinate(&first, second, false);
  return first;
}

Clause SentenceSampler::DrawTwoClauses() {
  Random& random = draft_->random();
  ClauseOptions small;
  small.time = random.Chance(30);
  small.place = random.Chance(30);
  small.extras = false;
  Clause first = DrawStatement(small);
  const bool but = random.Chance(50);
  Clause second = but ? DrawFollowUp(first, small) : clauses_.DrawClause(small);
  Coordinate(&first, second, but);
  return first;
}

Sentence SentenceSampler::Draw() {
  Random& random = draft_->random();
  ClauseOptions options;
  options.relative = true;
  switch (random.Weighted({33, 12, 11, 3, 10, 8, 5, 7, 5, 6, 6, 6})) {
    case 0:
      return {DrawStatement(options)};
    case 1:
      return {DrawFronted()};
    case 2:
      return DrawQuestion();
    case 3:
      return {DrawRequest()};
    case 4:
      return {DrawWithAdverbialClause(false)};
    case 5:
      return {DrawWithAdverbialClause(true)};
    case 6:
      return {DrawReason()};
    case 7:
      return {DrawWithContentClause()};
    case 8:
      return {DrawWithInfinitive()};
    case 9:
      return {DrawSharedSubject()};
    case 10:
      return {DrawTwoClauses()};
    default:
      return DrawLong();  // training keeps the short ones
  }
}

Sentence SentenceSampler::DrawLong() {
  Random& random = draft_->random();
  Clause first =
      random.Chance(50) ? DrawWithAdverbialClause(random.Chance(50)) : DrawWithContentClause();
  const bool three = random.Chance(50);
  Clause second = three ? DrawTwoClauses() : DrawWithAdverbialClause(random.Chance(50));
  // One "but" is enough.
  Coordinate(&first, second, !three && random.Chance(50));
  return {first};
}

}  // namespace nmt::grammar
