#include "data/grammar/clause_sampler.h"

#include <vector>

namespace nmt::grammar {
namespace {

const Preposition kWith = {"with", "mit", Case::kDative};
const Preposition kWithout = {"without", "ohne", Case::kAccusative};
const Preposition kFor = {"for", "für", Case::kAccusative};

bool IsState(const Verb& verb) { return verb.flags.Has('S'); }

bool IsPerson(const NounPhrase& phrase) {
  if (phrase.kind == NounPhraseKind::kName || phrase.kind == NounPhraseKind::kPronoun ||
      phrase.kind == NounPhraseKind::kWho) {
    return true;
  }
  return phrase.noun != nullptr && phrase.noun->features.Has('P');
}

bool IsAlive(const NounPhrase& phrase) {
  return IsPerson(phrase) || (phrase.noun != nullptr && phrase.noun->features.Has('A'));
}

bool IsDefinite(const NounPhrase& phrase) {
  return phrase.kind != NounPhraseKind::kNoun || TakesNot(phrase);
}

// A frequency of use for each frame.
int FrameWeight(Frame frame) {
  switch (frame) {
    case Frame::kNone:
      return 17;
    case Frame::kAccusative:
      return 45;
    case Frame::kDative:
      return 7;
    case Frame::kDitransitive:
      return 10;
    case Frame::kPrepositional:
      return 9;
    case Frame::kPlace:
      return 9;
    case Frame::kGoal:
      return 8;
    case Frame::kPut:
      return 3;
    case Frame::kPredicate:
      return 0;
  }
  return 0;
}

}  // namespace

const Verb& ClauseSampler::DrawVerb(const Features& subject_features,
                                    const std::function<bool(const Verb&)>& allowed) {
  Random& random = draft_->random();
  std::vector<int> weights;
  for (int frame = 0; frame <= static_cast<int>(Frame::kPredicate); ++frame) {
    weights.push_back(FrameWeight(static_cast<Frame>(frame)));
  }
  while (true) {
    const Frame frame = static_cast<Frame>(random.Weighted(weights));
    std::vector<const Verb*> candidates;
    for (const Verb& verb : Verbs()) {
      if (verb.frame == frame && verb.subject.Overlaps(subject_features) &&
          (allowed == nullptr || allowed(verb))) {
        candidates.push_back(&verb);
      }
    }
    if (!candidates.empty()) return *random.Pick(candidates);
  }
}

bool ClauseSampler::PastIsClear(const Clause& clause) {
  return clause.negated || clause.verb->en != clause.verb->en_past ||
         SubjectAgreement(clause) == Agreement::kThird;
}

void ClauseSampler::DrawTense(const ClauseOptions& options, Clause* clause) {
  Random& random = draft_->random();
  const Verb& verb = *clause->verb;
  const bool past_only = options.tense == TenseChoice::kPast;
  const bool any = options.tense == TenseChoice::kAny;
  const bool simple = options.tense == TenseChoice::kSimplePresent;
  const int state = IsState(verb) ? 0 : 1;
  const int progressive = IsState(verb) || verb.flags.Has('N') || !options.progressive ? 0 : 14;
  // Simple present, progressive, simple past, present perfect, modal.
  const int modal = options.may_have_modal && !IsState(verb) && IsAlive(clause->subject) ? 1 : 0;
  const bool clear = PastIsClear(*clause);
  // Where the simple past is not clear the perfect has to do.
  const std::vector<int> weights = {past_only ? 0 : 38, past_only || simple ? 0 : progressive,
                                    clear && (past_only || any) ? 26 : 0,
                                    any || (past_only && !clear) ? 9 * state : 0,
                                    simple ? 0 : 17 * modal};
  switch (random.Weighted(weights)) {
    case 0:
      clause->tense = Tense::kPresent;
      return;
    case 1:
      clause->tense = Tense::kProgressive;
      return;
    case 2:
      clause->tense = Tense::kPast;
      return;
    case 3:
      clause->tense = Tense::kPerfect;
      return;
    default:
      break;
  }
  // Only some verbs go with wishes and duties; the future fits all.
  const bool person = IsPerson(clause->subject);
  std::vector<const Modal*> candidates;
  for (const Modal& candidate : Modals()) {
    if (candidate.is_past != past_only && !any) continue;
    if (candidate.is_future && past_only) continue;
    if (!candidate.is_future && !(verb.flags.Has('T') && person)) continue;
    if (clause->negated && candidate.en_negated.empty() && candidate.en_base.empty()) continue;
    candidates.push_back(&candidate);
  }
  if (candidates.empty()) {
    clause->tense = past_only ? Tense::kPast : Tense::kPresent;
    return;
  }
  clause->modal = random.Pick(candidates);
  if (clause->modal->is_past) clause->tense = Tense::kPast;
}

void ClauseSampler::DrawTime(Clause* clause) {
  Random& random = draft_->random();
  std::vector<const Phrase*> candidates;
  for (const Phrase& phrase : TimePhrases()) {
    const Features& flags = phrase.flags;
    if (clause->negated && flags.Has('n')) continue;
    bool fits = false;
    if (clause->modal != nullptr) {
      fits = clause->modal->is_past ? flags.Has('a') && !flags.Has('M')
                                    : flags.Has('f') && !flags.Has('M');
    } else if (clause->tense == Tense::kPresent) {
      // "He sleeps now" is not English.
      fits = flags.Has('p') && phrase.en != "now";
    } else if (clause->tense == Tense::kProgressive) {
      fits = phrase.en == "now" || phrase.en == "today";
    } else {
      fits = flags.Has(clause->tense == Tense::kPast ? 'a' : 'e');
    }
    if (fits) candidates.push_back(&phrase);
  }
  if (candidates.empty()) return;
  clause->adjuncts.push_back(MakePhraseAdjunct(AdjunctKind::kTime, *random.Pick(candidates)));
}

NounPhrase ClauseSampler::DrawPersonObject(const NounPhrase& subject, NounUse use,
                                           const Noun& noun) {
  Random& random = draft_->random();
  if (random.Chance(25)) return nouns_.DrawPersonName();
  if (random.Chance(33)) {
    const std::vector<Person> persons = {Person::kI,  Person::kHe,   Person::kShe,
                                         Person::kWe, Person::kThey, Person::kYou};
    const Person person = persons[random.Weighted({24, 22, 22, 12, 12, 8})];
    // Nobody sees himself: that would take a reflexive pronoun.
    const bool reflexive = subject.kind == NounPhraseKind::kPronoun &&
                           GetPronoun(subject.person).agreement == GetPronoun(person).agreement;
    const bool first_persons = subject.kind == NounPhraseKind::kPronoun &&
                               (subject.person == Person::kI || subject.person == Person::kWe) &&
                               (person == Person::kI || person == Person::kWe);
    const bool plural_subject = subject.conjunct != nullptr || subject.plural;
    const bool third_plural = plural_subject && person == Person::kThey;
    if (!reflexive && !first_persons && !third_plural) return nouns_.MakePronoun(person);
  }
  return nouns_.MakeNounPhrase(noun, use);
}

void ClauseSampler::DrawObjects(Clause* clause) {
  Random& random = draft_->random();
  const Verb& verb = *clause->verb;
  const auto draw = [&](NounUse use) {
    const Noun* noun = nouns_.DrawObjectNoun(verb);
    return noun->features.Has('P') ? DrawPersonObject(clause->subject, use, *noun)
                                   : nouns_.MakeNounPhrase(*noun, use);
  };
  const bool negated = clause->negated;
  const NounUse open = clause->likes_to ? NounUse::kGeneric
                       : negated        ? NounUse::kUnderNot
                                        : NounUse::kObject;
  const NounUse definite = negated ? NounUse::kDefinite : NounUse::kObject;
  switch (verb.frame) {
    case Frame::kAccusative: {
      const bool generic_fits = verb.object.Overlaps("FDTVAWLRX");
      clause->accusative = draw(
          clause->likes_to && (!generic_fits || verb.object.Has('P')) ? NounUse::kDefinite : open);
      break;
    }
    case Frame::kDative:
      clause->dative = draw(definite);
      break;
    case Frame::kPrepositional:
      clause->prepositional = draw(definite);
      break;
    case Frame::kPut:
      clause->accusative = draw(open);
      break;
    case Frame::kDitransitive: {
      const Noun* noun = nouns_.DrawObjectNoun(verb);
      clause->accusative = nouns_.MakeNounPhrase(*noun, open);
      const Noun* person = nouns_.DrawNoun("P");
      clause->dative = DrawPersonObject(clause->subject, NounUse::kDefinite, *person);
      const bool to_only = verb.en == "explain" || verb.en == "return" || verb.en == "read";
      clause->dative_last = to_only || random.Chance(40);
      break;
    }
    default:
      break;
  }
}

void ClauseSampler::DrawExtras(const ClauseOptions& options, Clause* clause) {
  Random& random = draft_->random();
  const Verb& verb = *clause->verb;
  if (verb.frame == Frame::kPlace) clause->adjuncts.push_back(DrawPlaceFor(*clause));
  if (verb.frame == Frame::kGoal) clause->adjuncts.push_back(DrawGoal(verb));
  if (verb.frame == Frame::kPut) clause->adjuncts.push_back(DrawPut(*clause->accusative));
  const bool definite = !clause->accusative.has_value() || IsDefinite(*clause->accusative);
  bool extra = false;
  if (options.extras && verb.flags.Has('m') && definite && random.Chance(14)) {
    const Phrase& manner = random.Pick(MannerPhrases());
    if (manner.en != "alone" || (IsPerson(clause->subject) && verb.frame == Frame::kNone)) {
      clause->adjuncts.push_back(MakePhraseAdjunct(AdjunctKind::kManner, manner));
      extra = true;
    }
  }
  if (options.extras && !extra && verb.flags.Has('c') && random.Chance(20)) {
    const bool with = clause->negated || random.Chance(75);
    clause->adjuncts.push_back(MakePrepositionalAdjunct(
        AdjunctKind::kCompany, with ? kWith : kWithout, nouns_.DrawDefinitePerson()));
    extra = true;
  } else if (options.extras && !extra && verb.flags.Has('f') && random.Chance(20)) {
    clause->adjuncts.push_back(
        MakePrepositionalAdjunct(AdjunctKind::kCompany, kFor, nouns_.DrawDefinitePerson()));
    extra = true;
  }
  if (options.place && !extra && verb.flags.Has('l') && random.Chance(24)) {
    clause->adjuncts.push_back(IsPerson(clause->subject) ? DrawPlace() : DrawAnimalPlace());
  }
  if (options.time && !clause->likes_to && !IsState(verb) && random.Chance(32)) DrawTime(clause);
}

void ClauseSampler::Fill(const ClauseOptions& options, Clause* clause) {
  Random& random = draft_->random();
  const Verb& verb = *clause->verb;
  clause->negated =
      clause->negated || (options.may_negate && TakesNot(clause->subject) && random.Chance(17));
  DrawTense(options, clause);
  clause->likes_to = options.extras && options.tense != TenseChoice::kPast && !clause->negated &&
                     clause->tense == Tense::kPresent && clause->modal == nullptr &&
                     verb.flags.Has('g') && IsAlive(clause->subject) && random.Chance(40);
  DrawObjects(clause);
  DrawExtras(options, clause);
  if (options.relative && random.Chance(50)) {
    // At most one relative clause, on the subject or on an object, and on nothing that is "a" or
    // "no" by the grace of "not".
    NounPhrase* phrase = &clause->subject;
    // Whatever follows the object would seem to belong to its relative clause.
    bool object_is_last = clause->accusative.has_value() && !clause->dative_last;
    for (const Adjunct& adjunct : clause->adjuncts) {
      object_is_last =
          object_is_last && adjunct.phrase != nullptr && adjunct.phrase->flags.Has('M');
    }
    if (object_is_last && random.Chance(60)) phrase = &*clause->accusative;
    const bool simple = phrase->kind == NounPhraseKind::kNoun && phrase->conjunct == nullptr &&
                        !phrase->noun->features.Has('1') && !phrase->noun->features.Has('m') &&
                        (phrase->determiner == Determiner::kThe ||
                         (phrase->determiner == Determiner::kA && !clause->negated));
    if (simple) AddRelativeClause(phrase);
  }
}

Clause ClauseSampler::DrawClause(const ClauseOptions& options) {
  Clause clause;
  clause.id = draft_->NewId();
  clause.verb = &DrawVerb("PAVHEBCTNIQMK6");
  // Things act less often than people: another draw for most of them.
  if (!clause.verb->subject.Overlaps("PA") && draft_->random().Chance(50)) {
    clause.verb = &DrawVerb("PA");
  }
  const bool negated = options.may_negate && draft_->random().Chance(15);
  clause.subject = nouns_.DrawSubject(clause.verb->subject, negated);
  clause.negated = negated && TakesNot(clause.subject);
  ClauseOptions rest = options;
  rest.may_negate = false;
  Fill(rest, &clause);
  return clause;
}

Clause ClauseSampler::DrawClauseAbout(const NounPhrase& subject, const Features& subject_features,
                                      const ClauseOptions& options) {
  Clause clause;
  clause.id = draft_->NewId();
  clause.subject = subject;
  clause.verb = &DrawVerb(subject_features);
  Fill(options, &clause);
  return clause;
}

}  // namespace nmt::grammar
