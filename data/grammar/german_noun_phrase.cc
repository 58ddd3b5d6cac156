#include "data/grammar/german.h"
#include "data/grammar/phrase_words.h"

namespace nmt::grammar {
namespace {

// The determiner with its ending, and the ending it leaves to the adjective: the strong one where
// the determiner shows no case itself ("ein alter Mann"), else the weak one ("der alte Mann").
struct Determined {
  std::string determiner;
  std::string adjective_ending;
};

Determined Determine(const NounPhrase& phrase, const Inflection& inflection) {
  const std::string strong = StrongEnding(inflection);
  const std::string weak = WeakEnding(inflection);
  const std::string ein = EinEnding(inflection);
  const std::string after_ein = ein.empty() ? strong : weak;
  switch (phrase.determiner) {
    case Determiner::kBare:
      return {"", strong};
    case Determiner::kThe:
      return {DefiniteArticle(inflection), weak};
    case Determiner::kA:
      return {"ein" + ein, after_ein};
    case Determiner::kThis:
      return {"dies" + strong, weak};
    case Determiner::kEvery:
      return {"jed" + strong, weak};
    case Determiner::kNo:
      return {"kein" + ein, after_ein};
    case Determiner::kMany:
      return {"viel" + strong, strong};
    case Determiner::kAll:
      return {"all" + strong, weak};
    case Determiner::kPossessive: {
      const std::string& stem = GetPronoun(phrase.person).de_possessive;
      return {stem + ein, after_ein};
    }
    case Determiner::kOwner:
      return {phrase.name->de + "s", strong};
    case Determiner::kNumber:
      return {phrase.number.de, strong};
    case Determiner::kWhich:
      return {"welch" + strong, weak};
    case Determiner::kHowMany:
      return {"viel" + strong, strong};
  }
  return {};
}

// Numbers and names do not agree with the noun; articles and possessives do, and so the noun has
// a share in them.
bool Agrees(Determiner determiner) {
  return determiner != Determiner::kNumber && determiner != Determiner::kOwner;
}

Words NounWords(const NounPhrase& phrase, Case grammatical_case) {
  const Inflection inflection{grammatical_case, phrase.noun->gender, phrase.plural};
  const Determined determined = Determine(phrase, inflection);
  const int head = Tag(phrase.id, Part::kHead);
  Words words;
  if (phrase.determiner == Determiner::kHowMany) {
    words.push_back(Word{"wie", {Tag(phrase.id, Part::kNumber)}, {}});
  }
  if (!determined.determiner.empty()) {
    words.push_back(Word{determined.determiner, {Tag(phrase.id, Part::kDeterminer)}, {}});
    if (Agrees(phrase.determiner)) words.back().possible = {head};
  }
  if (phrase.adjective != nullptr) {
    words.push_back(Word{phrase.adjective->de_stem + determined.adjective_ending,
                         {Tag(phrase.id, Part::kAdjective)},
                         {head}});
  }
  words.push_back(Word{NounForm(*phrase.noun, inflection), {head}, {}});
  return words;
}

std::string PronounForm(const Pronoun& pronoun, Case grammatical_case) {
  switch (grammatical_case) {
    case Case::kNominative:
      return pronoun.de_nominative;
    case Case::kAccusative:
      return pronoun.de_accusative;
    case Case::kDative:
      return pronoun.de_dative;
  }
  return "";
}

std::string WhoForm(Case grammatical_case) {
  switch (grammatical_case) {
    case Case::kNominative:
      return "wer";
    case Case::kAccusative:
      return "wen";
    case Case::kDative:
      return "wem";
  }
  return "";
}

}  // namespace

Words GermanNounPhrase(const NounPhrase& phrase, Case grammatical_case) {
  const std::vector<int> head = {Tag(phrase.id, Part::kHead)};
  Words words;
  switch (phrase.kind) {
    case NounPhraseKind::kNoun:
      words = NounWords(phrase, grammatical_case);
      break;
    case NounPhraseKind::kName: {
      const bool nominative = grammatical_case == Case::kNominative;
      words = TaggedWords(nominative ? phrase.name->de : phrase.name->de_oblique, {}, {});
      int count = 0;
      for (Word& word : words) word.sure = {Tag(phrase.id, Part::kPhrase, count++)};
      break;
    }
    case NounPhraseKind::kPronoun:
      words = {Word{PronounForm(GetPronoun(phrase.person), grammatical_case), head, {}}};
      break;
    case NounPhraseKind::kRelative:
      words = {
          Word{RelativePronoun({grammatical_case, phrase.noun->gender, phrase.plural}), head, {}}};
      break;
    case NounPhraseKind::kWho:
      words = {Word{WhoForm(grammatical_case), head, {}}};
      break;
    case NounPhraseKind::kWhat:
      words = {Word{"was", head, {}}};
      break;
  }
  if (phrase.conjunct != nullptr) {
    words.push_back(Word{"und", {Tag(phrase.id, Part::kConjunction)}, {}});
    Append(&words, GermanNounPhrase(*phrase.conjunct, grammatical_case));
  }
  return words;
}

Words GermanPrepositionalPhrase(const std::string& preposition, int preposition_tag,
                                const NounPhrase& phrase, Case grammatical_case, bool contract) {
  Words words = {Word{preposition, {preposition_tag}, {}}};
  Words inner = GermanNounPhrase(phrase, grammatical_case);
  // Before a relative clause the article points at it and stays whole: "in dem Haus, das ...".
  const bool article = phrase.kind == NounPhraseKind::kNoun &&
                       phrase.determiner == Determiner::kThe && phrase.relative == nullptr;
  const std::string joined =
      contract && article ? Contraction(preposition, inner[0].text) : std::string();
  if (!joined.empty()) {
    // The one word keeps the tags of both.
    inner[0].text = joined;
    inner[0].sure.push_back(preposition_tag);
    return inner;
  }
  Append(&words, inner);
  return words;
}

Words GermanRelativeClause(const NounPhrase& phrase) {
  if (phrase.relative == nullptr) return {};
  Words words = {Comma()};
  Append(&words, GermanClause(*phrase.relative, GermanOrder::kVerbFinal));
  words.push_back(Comma());
  return words;
}

}  // namespace nmt::grammar
