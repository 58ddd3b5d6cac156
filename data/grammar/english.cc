#include "data/grammar/english.h"

#include "data/grammar/english_morphology.h"
#include "data/grammar/phrase_words.h"

namespace nmt::grammar {
namespace {

Word Make(const std::string& text, std::vector<int> sure, std::vector<int> possible = {}) {
  return Word{text, std::move(sure), std::move(possible)};
}

// The determiner before `next`, the word that decides between "a" and "an".
Words DeterminerWords(const NounPhrase& phrase, const std::string& next) {
  const std::vector<int> tag = {Tag(phrase.id, Part::kDeterminer)};
  switch (phrase.determiner) {
    case Determiner::kBare:
      return {};
    case Determiner::kThe:
      return {Make("the", tag)};
    case Determiner::kA:
      return {Make(IndefiniteArticle(next), tag)};
    case Determiner::kThis:
      return {Make(phrase.plural ? "these" : "this", tag)};
    case Determiner::kEvery:
      return {Make("every", tag)};
    case Determiner::kNo:
      return {Make("no", tag)};
    case Determiner::kMany:
      return {Make("many", tag)};
    case Determiner::kAll:
      return {Make("all", tag)};
    case Determiner::kPossessive:
      return {Make(GetPronoun(phrase.person).en_possessive, tag)};
    case Determiner::kOwner:
      return {Make(phrase.name->en + "'s", tag)};
    case Determiner::kNumber:
      return {Make(phrase.number.en, tag)};
    case Determiner::kWhich:
      return {Make("which", tag)};
    case Determiner::kHowMany:
      return {Make("how", {Tag(phrase.id, Part::kNumber)}), Make("many", tag)};
  }
  return {};
}

Words NounWords(const NounPhrase& phrase) {
  const std::string& noun = phrase.plural ? phrase.noun->en_plural : phrase.noun->en;
  Words words = TaggedWords(noun, {Tag(phrase.id, Part::kHead)}, {});
  if (phrase.adjective != nullptr) {
    words.insert(words.begin(), Make(phrase.adjective->en, {Tag(phrase.id, Part::kAdjective)}));
  }
  Words all = DeterminerWords(phrase, words[0].text);
  Append(&all, words);
  if (phrase.relative != nullptr) {
    Append(&all, EnglishClause(*phrase.relative, EnglishOrder::kSubordinate));
  }
  return all;
}

std::string RelativeForm(const NounPhrase& phrase, Case grammatical_case, bool after_preposition) {
  const bool person = phrase.noun->features.Has('P');
  if (!person) return after_preposition ? "which" : "that";
  return grammatical_case == Case::kNominative ? "who" : "whom";
}

Words PrepositionalPhrase(const std::string& preposition, int tag, const NounPhrase& phrase) {
  Words words = TaggedWords(preposition, {tag}, {});
  if (phrase.kind == NounPhraseKind::kRelative) {
    words.push_back(Make(RelativeForm(phrase, Case::kDative, true), {Tag(phrase.id, Part::kHead)}));
  } else {
    Append(&words, EnglishNounPhrase(phrase, Case::kAccusative));
  }
  return words;
}

Words AdjunctWords(const Adjunct& adjunct) {
  if (adjunct.phrase != nullptr) {
    return PhraseWords(*adjunct.phrase, adjunct.id, Side::kEnglish, adjunct.number);
  }
  return PrepositionalPhrase(adjunct.preposition.en, Tag(adjunct.id, Part::kPreposition),
                             adjunct.noun_phrase);
}

// The verb in two pieces: what questions move before the subject and "not" follows, and the rest.
struct VerbGroup {
  Words first, rest;
};

std::string FormOf(const std::string& base, const std::string& third, Agreement agreement) {
  return agreement == Agreement::kThird ? third : base;
}

std::string FormOfBe(Agreement agreement, bool past) {
  if (past) return agreement == Agreement::kPlural ? "were" : "was";
  if (agreement == Agreement::kFirst) return "am";
  return agreement == Agreement::kThird ? "is" : "are";
}

// "there are three books": "be" agrees with what follows.
Agreement AgreementOf(const Clause& clause) {
  const bool existential =
      clause.subject.kind == NounPhraseKind::kPronoun && clause.subject.person == Person::kThere;
  if (existential && clause.accusative.has_value() && clause.accusative->plural) {
    return Agreement::kPlural;
  }
  return SubjectAgreement(clause);
}

VerbGroup ModalGroup(const Clause& clause, bool do_support) {
  const Modal& modal = *clause.modal;
  const Agreement agreement = SubjectAgreement(clause);
  const int tag = Tag(clause.id, Part::kModal);
  const int negation = Tag(clause.id, Part::kNegation);
  const int infinitive = Tag(clause.id, Part::kHead);
  const Word base = Make(clause.verb->en, {infinitive});
  if (!modal.has_to) {
    VerbGroup group{{Make(modal.en_other, {tag})}, {base}};
    if (clause.negated) {
      // "cannot" is one word and stands for two German ones.
      group.first = TaggedWords(modal.en_negated, {tag}, {});
      if (group.first.size() == 1) {
        group.first[0].sure.push_back(negation);
      } else {
        group.first[1].sure = {negation};
      }
    }
    return group;
  }
  const Word to = Make("to", {}, {tag});
  if (do_support) {
    const std::string form = modal.is_past ? "did" : FormOf("do", "does", agreement);
    return {{Make(form, {}, {tag})}, {Make(modal.en_base, {tag}), to, base}};
  }
  return {{}, {Make(FormOf(modal.en_other, modal.en_third, agreement), {tag}), to, base}};
}

VerbGroup FullVerbGroup(const Clause& clause, bool do_support) {
  const Verb& verb = *clause.verb;
  const Agreement agreement = AgreementOf(clause);
  const std::vector<int> head = {Tag(clause.id, Part::kHead)};
  const std::vector<int> auxiliary = {Tag(clause.id, Part::kAuxiliary)};
  const bool past = clause.tense == Tense::kPast;
  if (clause.tense == Tense::kProgressive) {
    return {{Make(FormOfBe(agreement, false), {}, head)}, {Make(verb.en_ing, head)}};
  }
  if (clause.tense == Tense::kPerfect) {
    return {{Make(FormOf("have", "has", agreement), auxiliary)}, {Make(verb.en_participle, head)}};
  }
  if (verb.en == "be") return {{Make(FormOfBe(agreement, past), head)}, {}};
  if (do_support) {
    // "did" has a share in "hat", "does" in the finite verb itself.
    const bool perfect = past && verb.de_preterite.empty();
    const std::string form = past ? "did" : FormOf("do", "does", agreement);
    return {{Make(form, {}, perfect ? auxiliary : head)}, {Make(verb.en, head)}};
  }
  if (clause.likes_to) {
    const int like = Tag(clause.id, Part::kLike);
    return {{},
            {Make(FormOf("like", "likes", agreement), {like}), Make("to", {}, {like}),
             Make(verb.en, head)}};
  }
  return {{}, {Make(past ? verb.en_past : FormOf(verb.en, verb.en_third, agreement), head)}};
}

VerbGroup MakeVerbGroup(const Clause& clause, bool inverted) {
  const bool do_support = inverted || clause.negated;
  VerbGroup group =
      clause.modal != nullptr ? ModalGroup(clause, do_support) : FullVerbGroup(clause, do_support);
  const bool fused = clause.modal != nullptr && !clause.modal->has_to;
  if (clause.negated && !fused) {
    group.rest.insert(group.rest.begin(), Make("not", {Tag(clause.id, Part::kNegation)}));
  }
  return group;
}

Words PredicateWords(const Clause& clause) {
  const Predicate& predicate = clause.predicate;
  const std::vector<int> tag = {Tag(clause.id, Part::kAdjective)};
  switch (predicate.kind) {
    case PredicateKind::kNone:
      return {};
    case PredicateKind::kAdjective:
      return {Make(predicate.adjective->en, tag)};
    case PredicateKind::kComparative: {
      Words words = TaggedWords(predicate.adjective->en_comparative, tag, {});
      words.push_back(Make("than", {Tag(clause.id, Part::kThan)}));
      Append(&words, EnglishNounPhrase(predicate.noun_phrase, Case::kAccusative));
      return words;
    }
    case PredicateKind::kProfession:
      return EnglishNounPhrase(predicate.noun_phrase, Case::kAccusative);
    case PredicateKind::kAge:
      return {Make(predicate.number.en, {Tag(clause.id, Part::kNumber)}),
              Make("years", {Tag(clause.id, Part::kPhrase)}), Make("old", tag)};
  }
  return {};
}

// Objects and the particle: "gives the man a book", "gives a book to the man", "picks up the
// child", but "picks it up".
Words ObjectWords(const Clause& clause) {
  Words words;
  const std::string& particle = clause.verb->en_particle;
  const Words particle_words = TaggedWords(particle, {Tag(clause.id, Part::kHead)}, {});
  const bool movable = particle != "for" && particle != "to";
  const bool after_pronoun = movable && clause.accusative.has_value() &&
                             clause.accusative->kind == NounPhraseKind::kPronoun;
  const bool accusative_here = clause.accusative.has_value() && clause.front != Front::kAccusative;
  const bool dative_here = clause.dative.has_value() && clause.front != Front::kDative;
  if (!after_pronoun) Append(&words, particle_words);
  if (dative_here && !clause.dative_last) {
    Append(&words, EnglishNounPhrase(*clause.dative, Case::kDative));
  }
  if (accusative_here) Append(&words, EnglishNounPhrase(*clause.accusative, Case::kAccusative));
  if (after_pronoun) Append(&words, particle_words);
  if (dative_here && clause.dative_last) {
    // German says it with the case, which the article shows, or a pronoun, or nothing at all.
    const int id = clause.dative->id;
    const Part shows = clause.dative->kind == NounPhraseKind::kNoun   ? Part::kDeterminer
                       : clause.dative->kind == NounPhraseKind::kName ? Part::kPhrase
                                                                      : Part::kHead;
    words.push_back(Make("to", {}, {Tag(id, shows)}));
    Append(&words, EnglishNounPhrase(*clause.dative, Case::kDative));
  }
  if (clause.prepositional.has_value() && clause.front != Front::kPrepositional) {
    Append(&words, PrepositionalPhrase(clause.verb->en_preposition,
                                       Tag(clause.id, Part::kPreposition), *clause.prepositional));
  }
  return words;
}

bool IsMiddle(const Adjunct& adjunct) {
  return adjunct.phrase != nullptr && adjunct.phrase->flags.Has('M');
}

Words FrontWords(const Clause& clause) {
  switch (clause.front) {
    case Front::kSubject:
    case Front::kNothing:
      return {};
    case Front::kAccusative:
      return EnglishNounPhrase(*clause.accusative, Case::kAccusative);
    case Front::kDative:
      return EnglishNounPhrase(*clause.dative, Case::kDative);
    case Front::kPrepositional:
      return PrepositionalPhrase(clause.verb->en_preposition, Tag(clause.id, Part::kPreposition),
                                 *clause.prepositional);
    case Front::kTime:
      return AdjunctWords(*FindAdjunct(clause, AdjunctKind::kTime));
    case Front::kPlace:
      return AdjunctWords(*FindAdjunct(clause, AdjunctKind::kPlace));
  }
  return {};
}

// Everything up to the end of the clause proper.
Words CoreWords(const Clause& clause, EnglishOrder order) {
  Words words;
  if (clause.mood == Mood::kImperative) {
    words.push_back(Make("please", {Tag(clause.id, Part::kPlease)}));
    words.push_back(Make(clause.verb->en, {Tag(clause.id, Part::kHead)}));
  } else if (order == EnglishOrder::kInfinitive) {
    words.push_back(Make("to", {Tag(clause.id, Part::kInfinitive)}));
    words.push_back(Make(clause.verb->en, {Tag(clause.id, Part::kHead)}));
  } else {
    Append(&words, FrontWords(clause));
    const bool inverted = clause.mood == Mood::kQuestion && clause.front != Front::kSubject &&
                          order == EnglishOrder::kMain;
    const VerbGroup group = MakeVerbGroup(clause, inverted);
    if (inverted) Append(&words, group.first);
    if (!clause.omits_subject) {
      Append(&words, EnglishNounPhrase(clause.subject, Case::kNominative));
    }
    if (!inverted) Append(&words, group.first);
    for (const Adjunct& adjunct : clause.adjuncts) {
      if (IsMiddle(adjunct)) Append(&words, AdjunctWords(adjunct));
    }
    Append(&words, group.rest);
  }
  Append(&words, ObjectWords(clause));
  const Adjunct* goal = FindAdjunct(clause, AdjunctKind::kGoal);
  if (goal != nullptr) Append(&words, AdjunctWords(*goal));
  Append(&words, PredicateWords(clause));
  for (AdjunctKind kind :
       {AdjunctKind::kManner, AdjunctKind::kCompany, AdjunctKind::kPlace, AdjunctKind::kTime}) {
    const Adjunct* adjunct = FindAdjunct(clause, kind);
    const bool fronted = (kind == AdjunctKind::kPlace && clause.front == Front::kPlace) ||
                         (kind == AdjunctKind::kTime && clause.front == Front::kTime);
    if (adjunct == nullptr || fronted || IsMiddle(*adjunct)) continue;
    Append(&words, AdjunctWords(*adjunct));
  }
  return words;
}

Words SubordinateWords(const Clause& clause) {
  const Clause& inner = *clause.subordinate;
  Words words;
  switch (clause.attachment) {
    case Attachment::kConjunction:
      words = PhraseWords(*clause.conjunction, clause.conjunction_id, Side::kEnglish, {});
      Append(&words, EnglishClause(inner, EnglishOrder::kSubordinate));
      break;
    case Attachment::kBare:
      words = EnglishClause(inner, EnglishOrder::kSubordinate);
      break;
    case Attachment::kPurpose:
      words = TaggedWords("in order", {Tag(inner.id, Part::kConjunction)}, {});
      [[fallthrough]];
    case Attachment::kInfinitive:
      Append(&words, EnglishClause(inner, EnglishOrder::kInfinitive));
      break;
  }
  return words;
}

}  // namespace

Words EnglishNounPhrase(const NounPhrase& phrase, Case grammatical_case) {
  const std::vector<int> head = {Tag(phrase.id, Part::kHead)};
  const bool subject = grammatical_case == Case::kNominative;
  Words words;
  switch (phrase.kind) {
    case NounPhraseKind::kNoun:
      words = NounWords(phrase);
      break;
    case NounPhraseKind::kName: {
      // The words of a full name are linked one by one.
      words = TaggedWords(phrase.name->en, {}, {});
      int count = 0;
      for (Word& word : words) word.sure = {Tag(phrase.id, Part::kPhrase, count++)};
      break;
    }
    case NounPhraseKind::kPronoun: {
      const Pronoun& pronoun = GetPronoun(phrase.person);
      words = {Make(subject ? pronoun.en_subject : pronoun.en_object, head)};
      break;
    }
    case NounPhraseKind::kRelative:
      words = {Make(RelativeForm(phrase, grammatical_case, false), head)};
      break;
    case NounPhraseKind::kWho:
      words = {Make(subject ? "who" : "whom", head)};
      break;
    case NounPhraseKind::kWhat:
      words = {Make("what", head)};
      break;
  }
  if (phrase.conjunct != nullptr) {
    words.push_back(Make("and", {Tag(phrase.id, Part::kConjunction)}));
    Append(&words, EnglishNounPhrase(*phrase.conjunct, grammatical_case));
  }
  return words;
}

Words EnglishClause(const Clause& clause, EnglishOrder order) {
  Words words;
  if (clause.subordinate != nullptr && clause.subordinate_first) {
    Append(&words, SubordinateWords(clause));
    words.push_back(Comma());
  }
  Append(&words, CoreWords(clause, order));
  if (clause.subordinate != nullptr && !clause.subordinate_first) {
    Append(&words, SubordinateWords(clause));
  }
  if (clause.coordinate != nullptr) {
    // "but" takes a comma in both languages; "and" takes one where it would else seem to go on
    // with the subordinate clause.
    const bool behind_subordinate = clause.subordinate != nullptr && !clause.subordinate_first;
    if (clause.coordinator->en == "but" || behind_subordinate) words.push_back(Comma());
    Append(&words, PhraseWords(*clause.coordinator, clause.coordinator_id, Side::kEnglish, {}));
    Append(&words, EnglishClause(*clause.coordinate, EnglishOrder::kMain));
  }
  return words;
}

}  // namespace nmt::grammar
