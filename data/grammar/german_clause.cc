#include "data/grammar/german.h"
#include "data/grammar/german_verb.h"
#include "data/grammar/phrase_words.h"

namespace nmt::grammar {
namespace {

// A constituent of the middle field.  Its relative clause is kept apart, because at the end of
// the field it moves behind the right bracket: "hat das Buch gelesen, das neu ist".
struct Piece {
  Words words;
  Words relative;
};

Piece NounPiece(const NounPhrase& phrase, Case grammatical_case) {
  return {GermanNounPhrase(phrase, grammatical_case), GermanRelativeClause(phrase)};
}

// Only the dative contracts here: "träumt vom Garten", but "denkt an das Kind".
Piece ObjectPiece(const Clause& clause) {
  const Verb& verb = *clause.verb;
  return {GermanPrepositionalPhrase(verb.de_preposition, Tag(clause.id, Part::kPreposition),
                                    *clause.prepositional, verb.preposition_case,
                                    verb.preposition_case == Case::kDative),
          GermanRelativeClause(*clause.prepositional)};
}

Piece AdjunctPiece(const Adjunct& adjunct) {
  if (adjunct.phrase != nullptr) {
    return {PhraseWords(*adjunct.phrase, adjunct.id, Side::kGerman, adjunct.number), {}};
  }
  return {
      GermanPrepositionalPhrase(adjunct.preposition.de, Tag(adjunct.id, Part::kPreposition),
                                adjunct.noun_phrase, adjunct.preposition.grammatical_case, true),
      GermanRelativeClause(adjunct.noun_phrase)};
}

bool IsPronoun(const NounPhrase& phrase) { return phrase.kind == NounPhraseKind::kPronoun; }

// Definite noun phrases come before the time, indefinite ones behind it: "liest das Buch heute",
// "liest heute ein Buch".
bool IsDefinite(const NounPhrase& phrase) {
  if (phrase.kind != NounPhraseKind::kNoun) return true;
  switch (phrase.determiner) {
    case Determiner::kBare:
    case Determiner::kA:
    case Determiner::kNo:
    case Determiner::kMany:
    case Determiner::kNumber:
    case Determiner::kHowMany:
      return false;
    default:
      return true;
  }
}

// "not ... a" and "not" with a bare noun are one word in German: "kein".
bool FusesWithNot(const NounPhrase& phrase) {
  return phrase.kind == NounPhraseKind::kNoun &&
         (phrase.determiner == Determiner::kA || phrase.determiner == Determiner::kBare);
}

Piece Negated(NounPhrase phrase, Case grammatical_case, int negation) {
  phrase.determiner = Determiner::kNo;
  Piece piece = NounPiece(phrase, grammatical_case);
  piece.words[0].sure.push_back(negation);
  return piece;
}

Piece PredicatePiece(const Clause& clause) {
  const Predicate& predicate = clause.predicate;
  const std::vector<int> tag = {Tag(clause.id, Part::kAdjective)};
  switch (predicate.kind) {
    case PredicateKind::kNone:
      return {};
    case PredicateKind::kAdjective:
      return {{Word{predicate.adjective->de, tag, {}}}, {}};
    case PredicateKind::kComparative: {
      Words words = {Word{predicate.adjective->de_comparative, tag, {}},
                     Word{"als", {Tag(clause.id, Part::kThan)}, {}}};
      Append(&words, GermanNounPhrase(predicate.noun_phrase, Case::kNominative));
      return {words, {}};
    }
    case PredicateKind::kProfession: {
      NounPhrase phrase = predicate.noun_phrase;
      if (clause.negated) {
        return Negated(phrase, Case::kNominative, Tag(clause.id, Part::kNegation));
      }
      // Professions have no article ("ist Arzt"), unless they have an adjective.
      if (phrase.adjective == nullptr) phrase.determiner = Determiner::kBare;
      Piece piece = NounPiece(phrase, Case::kNominative);
      if (phrase.adjective == nullptr) {
        piece.words[0].possible.push_back(Tag(phrase.id, Part::kDeterminer));
      }
      return piece;
    }
    case PredicateKind::kAge:
      return {{Word{predicate.number.de, {Tag(clause.id, Part::kNumber)}, {}},
               Word{"Jahre", {Tag(clause.id, Part::kPhrase)}, {}}, Word{"alt", tag, {}}},
              {}};
  }
  return {};
}

// The constituent at the front of the clause, with its relative clause.
Words FrontWords(const Clause& clause) {
  Piece piece;
  switch (clause.front) {
    case Front::kNothing:
      break;
    case Front::kSubject:
      piece = NounPiece(clause.subject, Case::kNominative);
      break;
    case Front::kAccusative:
      piece = NounPiece(*clause.accusative, Case::kAccusative);
      break;
    case Front::kDative:
      piece = NounPiece(*clause.dative, Case::kDative);
      break;
    case Front::kPrepositional:
      piece = ObjectPiece(clause);
      break;
    case Front::kTime:
      piece = AdjunctPiece(*FindAdjunct(clause, AdjunctKind::kTime));
      break;
    case Front::kPlace:
      piece = AdjunctPiece(*FindAdjunct(clause, AdjunctKind::kPlace));
      break;
  }
  Append(&piece.words, piece.relative);
  return piece.words;
}

// Collects the middle field in its order.
class MiddleField {
 public:
  MiddleField(const Clause& clause, bool with_subject) : clause_(clause) {
    // An indefinite subject lets the pronouns pass: "heute trifft ihn ein Mann".
    const bool late = with_subject && !IsDefinite(clause.subject);
    if (with_subject && !late) AddSubject();
    AddPronouns();
    if (late) AddSubject();
    AddObjects();
    const bool fused = clause.negated &&
                       (AccusativeFuses() || clause.predicate.kind == PredicateKind::kProfession);
    // "nicht" stands behind the objects and before everything that belongs to the verb.
    if (clause.negated && !fused) {
      Add({{Word{"nicht", {Tag(clause.id, Part::kNegation)}, {}}}, {}});
    }
    AddAdjunct(AdjunctKind::kManner);
    AddAdjunct(AdjunctKind::kCompany);
    if (clause.prepositional.has_value() && clause.front != Front::kPrepositional) {
      Add(ObjectPiece(clause));
    }
    if (clause.front != Front::kPlace) AddAdjunct(AdjunctKind::kPlace);
    AddAdjunct(AdjunctKind::kGoal);
    Add(PredicatePiece(clause));
  }

  // The field as words; `behind` takes a relative clause that leaves its end.
  Words Finish(Words* behind) const {
    Words words;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      Append(&words, pieces_[i].words);
      // A final "nicht" does not keep the relative clause in the field either.
      const bool last = i + 1 == pieces_.size();
      const bool before_not = i + 2 == pieces_.size() && pieces_[i + 1].words[0].text == "nicht";
      Append(last || before_not ? behind : &words, pieces_[i].relative);
    }
    return words;
  }

 private:
  void Add(Piece piece) {
    if (!piece.words.empty()) pieces_.push_back(std::move(piece));
  }

  void AddAdjunct(AdjunctKind kind) {
    const Adjunct* adjunct = FindAdjunct(clause_, kind);
    if (adjunct != nullptr) Add(AdjunctPiece(*adjunct));
  }

  void AddSubject() {
    if (clause_.mood == Mood::kImperative) {
      Add({{Word{"Sie", {}, {Tag(clause_.id, Part::kHead)}}}, {}});
    } else {
      Add(NounPiece(clause_.subject, Case::kNominative));
    }
  }

  bool AccusativeFuses() const {
    return clause_.accusative.has_value() && FusesWithNot(*clause_.accusative);
  }

  void AddAccusative() {
    if (clause_.negated && AccusativeFuses()) {
      Add(Negated(*clause_.accusative, Case::kAccusative, Tag(clause_.id, Part::kNegation)));
    } else {
      Add(NounPiece(*clause_.accusative, Case::kAccusative));
    }
  }

  bool AccusativeInField() const {
    return clause_.accusative.has_value() && clause_.front != Front::kAccusative;
  }

  bool DativeInField() const {
    return clause_.dative.has_value() && clause_.front != Front::kDative;
  }

  // Of two pronouns the accusative comes first ("gibt es ihr"), of two noun phrases the dative.
  void AddPronouns() {
    if (AccusativeInField() && IsPronoun(*clause_.accusative)) AddAccusative();
    if (DativeInField() && IsPronoun(*clause_.dative)) {
      Add(NounPiece(*clause_.dative, Case::kDative));
    }
    if (clause_.mood == Mood::kImperative) {
      Add({{Word{"bitte", {Tag(clause_.id, Part::kPlease)}, {}}}, {}});
    }
  }

  void AddObjectsThatAre(bool definite) {
    if (DativeInField() && !IsPronoun(*clause_.dative) && IsDefinite(*clause_.dative) == definite) {
      Add(NounPiece(*clause_.dative, Case::kDative));
    }
    if (AccusativeInField() && !IsPronoun(*clause_.accusative) &&
        IsDefinite(*clause_.accusative) == definite) {
      AddAccusative();
    }
  }

  // Definite objects, the time, "gern", indefinite objects.
  void AddObjects() {
    AddObjectsThatAre(true);
    if (clause_.front != Front::kTime) AddAdjunct(AdjunctKind::kTime);
    if (clause_.likes_to) {
      Add({{Word{"gern", {Tag(clause_.id, Part::kLike)}, {}}}, {}});
    }
    AddObjectsThatAre(false);
  }

  const Clause& clause_;
  std::vector<Piece> pieces_;
};

Words SubordinateWords(const Clause& clause) {
  const Clause& inner = *clause.subordinate;
  Words words;
  switch (clause.attachment) {
    case Attachment::kConjunction:
      words = PhraseWords(*clause.conjunction, clause.conjunction_id, Side::kGerman, {});
      Append(&words, GermanClause(inner, GermanOrder::kVerbFinal));
      break;
    case Attachment::kBare:
      words = GermanClause(inner, GermanOrder::kVerbFinal);
      break;
    case Attachment::kPurpose:
      words = {Word{"um", {Tag(inner.id, Part::kConjunction)}, {}}};
      [[fallthrough]];
    case Attachment::kInfinitive:
      Append(&words, GermanClause(inner, GermanOrder::kInfinitive));
      break;
  }
  return words;
}

// The clause proper, field by field: prefield, left bracket, middle field, right bracket and what
// follows it.  This is all there is to German word order:
//   verb second   | der Mann | macht | die Tür heute nicht | auf    |
//   verb first    |          | macht | der Mann die Tür    | auf    |
//   verb final    | der Mann |       | die Tür             | aufmacht |   (after "weil")
//   infinitive    |          |       | die Tür             | aufzumachen |
Words CoreWords(const Clause& clause, GermanOrder order) {
  const VerbBrackets verb = GermanVerb(clause, order);
  const bool has_prefield = order == GermanOrder::kVerbSecond || order == GermanOrder::kVerbFinal;
  const bool subject_is_in_front = has_prefield && clause.front == Front::kSubject;
  const bool subject_in_middle =
      !subject_is_in_front && !clause.omits_subject && order != GermanOrder::kInfinitive;
  Words behind;
  Words words;
  if (has_prefield) Append(&words, FrontWords(clause));
  Append(&words, verb.left);
  Append(&words, MiddleField(clause, subject_in_middle).Finish(&behind));
  Append(&words, verb.right);
  Append(&words, behind);
  return words;
}

}  // namespace

Words GermanClause(const Clause& clause, GermanOrder order) {
  Words words;
  const bool sub_first = clause.subordinate != nullptr && clause.subordinate_first;
  if (sub_first) {
    // The subordinate clause fills the prefield, so the finite verb follows at once.
    Append(&words, SubordinateWords(clause));
    words.push_back(Comma());
    order = GermanOrder::kVerbFirst;
  } else if (order == GermanOrder::kVerbSecond &&
             (clause.omits_subject || clause.front == Front::kNothing)) {
    order = GermanOrder::kVerbFirst;
  }
  Append(&words, CoreWords(clause, order));
  if (clause.subordinate != nullptr && !sub_first) {
    words.push_back(Comma());
    Append(&words, SubordinateWords(clause));
    words.push_back(Comma());
  }
  if (clause.coordinate != nullptr) {
    if (clause.coordinator->en == "but") words.push_back(Comma());
    Append(&words, PhraseWords(*clause.coordinator, clause.coordinator_id, Side::kGerman, {}));
    Append(&words, GermanClause(*clause.coordinate, GermanOrder::kVerbSecond));
  }
  return words;
}

}  // namespace nmt::grammar
