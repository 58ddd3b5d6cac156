// The part of SentenceSampler that draws questions, requests and fronted constituents.

#include <vector>

#include "data/grammar/sentence_sampler.h"

namespace nmt::grammar {
// Puts a question adverb at the front of the clause; "where" takes the place of the place.
void SentenceSampler::AskWith(QuestionAdverb adverb, Clause* clause) {
  const bool where = adverb == QuestionAdverb::kWhere;
  if (where) clause->adjuncts.clear();
  clause->adjuncts.push_back(clauses_.MakePhraseAdjunct(
      where ? AdjunctKind::kPlace : AdjunctKind::kTime, GetQuestionAdverb(adverb)));
  clause->front = where ? Front::kPlace : Front::kTime;
}

Sentence SentenceSampler::DrawQuestion() {
  Random& random = draft_->random();
  ClauseOptions options;
  options.may_negate = false;
  options.time = options.place = options.extras = false;
  enum Kind { kYesNo, kWho, kWhomOrWhat, kWhereIs, kWhenIs, kWhyIs, kWhich, kHowMany };
  const Kind kind = static_cast<Kind>(random.Weighted({42, 12, 12, 9, 7, 8, 10, 6}));
  if (kind == kYesNo) {
    options.time = options.place = options.extras = true;
    if (random.Chance(20)) {
      Clause clause = DrawCopular(options);
      clause.mood = Mood::kQuestion;
      clause.front = Front::kNothing;
      return {clause, '?'};
    }
  }
  Clause clause;
  while (true) {
    clause = clauses_.DrawClause(options);
    const bool object = clause.accusative.has_value() && !clause.dative.has_value() &&
                        clause.verb->frame == Frame::kAccusative;
    const Frame frame = clause.verb->frame;
    const bool person = clause.verb->subject.Has('P');
    if (!TakesNot(clause.subject) || clause.likes_to || !person) continue;
    if (kind == kWhich && !object) continue;
    if (kind == kWhomOrWhat && !object && frame != Frame::kPrepositional &&
        frame != Frame::kDative) {
      continue;
    }
    // "What does he paint?" would have two translations.
    if (kind == kWhomOrWhat && clause.verb->en == "paint") continue;
    if (kind == kHowMany && (!object || clause.accusative->noun == nullptr)) continue;
    if (kind == kWhereIs && frame != Frame::kPlace && !clause.verb->flags.Has('l')) continue;
    if ((kind == kWhenIs || kind == kWhyIs) && frame == Frame::kPlace) continue;
    if (kind == kWhenIs && clause.verb->flags.Has('S')) continue;
    break;
  }
  clause.mood = Mood::kQuestion;
  clause.front = Front::kNothing;
  const auto with_gap = [&](NounPhraseKind gap) {
    NounPhrase phrase;
    phrase.id = draft_->NewId();
    phrase.kind = gap;
    return phrase;
  };
  switch (kind) {
    case kYesNo:
      break;
    case kWho:
      clause.subject = with_gap(NounPhraseKind::kWho);
      clause.front = Front::kSubject;
      break;
    case kWhomOrWhat: {
      if (clause.accusative.has_value()) {
        const bool person = clause.accusative->kind != NounPhraseKind::kNoun ||
                            clause.accusative->noun->features.Has('P');
        clause.accusative = with_gap(person ? NounPhraseKind::kWho : NounPhraseKind::kWhat);
        clause.front = Front::kAccusative;
      } else if (clause.dative.has_value()) {
        clause.dative = with_gap(NounPhraseKind::kWho);
        clause.front = Front::kDative;
      } else {
        clause.prepositional = with_gap(NounPhraseKind::kWho);
        clause.front = Front::kPrepositional;
      }
      break;
    }
    case kWhich:
    case kHowMany: {
      if (clause.accusative->noun == nullptr) break;
      const Features& features = clause.accusative->noun->features;
      NounPhrase& phrase = *clause.accusative;
      if (features.Has('1') || features.Has('2') || features.Has('m')) break;
      phrase.plural = kind == kHowMany;
      phrase.determiner = kind == kHowMany ? Determiner::kHowMany : Determiner::kWhich;
      clause.front = Front::kAccusative;
      break;
    }
    case kWhereIs:
      AskWith(QuestionAdverb::kWhere, &clause);
      break;
    case kWhenIs:
      AskWith(QuestionAdverb::kWhen, &clause);
      break;
    case kWhyIs:
      AskWith(QuestionAdverb::kWhy, &clause);
      break;
  }
  return {clause, '?'};
}

// "Please open the window.": German says "Machen Sie bitte das Fenster auf."
Clause SentenceSampler::DrawRequest() {
  ClauseOptions options;
  options.may_negate = options.may_have_modal = false;
  options.time = options.place = options.extras = false;
  options.tense = TenseChoice::kSimplePresent;
  Clause clause;
  clause.id = draft_->NewId();
  clause.verb = &clauses_.DrawVerb("P", [](const Verb& verb) { return verb.flags.Has('T'); });
  clause.subject = clauses_.nouns().MakePronoun(Person::kYou);
  clauses_.Fill(options, &clause);
  clause.tense = Tense::kPresent;
  clause.mood = Mood::kImperative;
  clause.front = Front::kNothing;
  if (draft_->random().Chance(20)) {
    static const Phrase kToday = {"today", "heute", "0-0", ""};
    clause.adjuncts.push_back(clauses_.MakePhraseAdjunct(AdjunctKind::kTime, kToday));
  }
  return clause;
}

// A time, a place or "this ..." at the front: the German verb stays second.
Clause SentenceSampler::DrawFronted() {
  Random& random = draft_->random();
  ClauseOptions options;
  options.relative = random.Chance(20);
  Clause clause;
  for (int attempt = 0; attempt < 40; ++attempt) {
    clause = clauses_.DrawClause(options);
    if (FindAdjunct(clause, AdjunctKind::kTime) == nullptr && random.Chance(60)) {
      clauses_.DrawTime(&clause);
    }
    const Adjunct* time = FindAdjunct(clause, AdjunctKind::kTime);
    if (time != nullptr && !time->phrase->flags.Has('M') && !clause.likes_to) {
      clause.front = Front::kTime;
      return clause;
    }
    const Adjunct* place = FindAdjunct(clause, AdjunctKind::kPlace);
    if (place != nullptr && !clause.negated && random.Chance(60)) {
      clause.front = Front::kPlace;
      return clause;
    }
    if (clause.accusative.has_value() && !clause.dative.has_value() &&
        clause.accusative->kind == NounPhraseKind::kNoun &&
        clause.accusative->determiner == Determiner::kThis) {
      clause.front = Front::kAccusative;
      return clause;
    }
  }
  return clause;
}

}  // namespace nmt::grammar
