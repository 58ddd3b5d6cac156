// The rules of the two languages, checked by hand on single phrases and clauses.

#include <memory>
#include <string>
#include <vector>

#include "data/grammar/english.h"
#include "data/grammar/german.h"
#include "data/grammar/german_morphology.h"
#include "gtest/gtest.h"

namespace nmt::grammar {
namespace {

NounPhrase Make(const char* noun, Determiner determiner, const char* adjective = nullptr) {
  NounPhrase phrase;
  phrase.id = 1;
  phrase.noun = &FindNoun(noun);
  phrase.determiner = determiner;
  if (adjective != nullptr) phrase.adjective = &FindAdjective(adjective);
  return phrase;
}

NounPhrase Plural(NounPhrase phrase) {
  phrase.plural = true;
  return phrase;
}

std::string Join(const Words& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

std::string German(const NounPhrase& phrase, Case grammatical_case) {
  return Join(GermanNounPhrase(phrase, grammatical_case));
}

TEST(GermanNounPhrase, DeclinesAfterTheDefiniteArticle) {
  const NounPhrase man = Make("man", Determiner::kThe, "old");
  EXPECT_EQ(German(man, Case::kNominative), "der alte Mann");
  EXPECT_EQ(German(man, Case::kAccusative), "den alten Mann");
  EXPECT_EQ(German(man, Case::kDative), "dem alten Mann");
  const NounPhrase woman = Make("woman", Determiner::kThe, "old");
  EXPECT_EQ(German(woman, Case::kNominative), "die alte Frau");
  EXPECT_EQ(German(woman, Case::kDative), "der alten Frau");
  EXPECT_EQ(German(Plural(Make("child", Determiner::kThe, "young")), Case::kDative),
            "den jungen Kindern");
}

TEST(GermanNounPhrase, DeclinesAfterEin) {
  const NounPhrase table = Make("table", Determiner::kA, "expensive");
  EXPECT_EQ(German(table, Case::kNominative), "ein teurer Tisch");
  EXPECT_EQ(German(table, Case::kAccusative), "einen teuren Tisch");
  EXPECT_EQ(German(table, Case::kDative), "einem teuren Tisch");
  const NounPhrase house = Make("house", Determiner::kNo, "new");
  EXPECT_EQ(German(house, Case::kAccusative), "kein neues Haus");
  EXPECT_EQ(German(house, Case::kDative), "keinem neuen Haus");
  EXPECT_EQ(German(Plural(house), Case::kNominative), "keine neuen Häuser");
}

TEST(GermanNounPhrase, DeclinesWithoutAnArticle) {
  EXPECT_EQ(German(Make("milk", Determiner::kBare, "cold"), Case::kDative), "kalter Milch");
  EXPECT_EQ(German(Make("bread", Determiner::kBare, "fresh"), Case::kAccusative), "frisches Brot");
  NounPhrase friends = Plural(Make("friend", Determiner::kNumber, "good"));
  friends.number = {"three", "drei", "", ""};
  EXPECT_EQ(German(friends, Case::kNominative), "drei gute Freunde");
  EXPECT_EQ(German(friends, Case::kDative), "drei guten Freunden");
  EXPECT_EQ(German(Plural(Make("dog", Determiner::kMany, "small")), Case::kAccusative),
            "viele kleine Hunde");
  EXPECT_EQ(German(Plural(Make("dog", Determiner::kAll, "small")), Case::kAccusative),
            "alle kleinen Hunde");
}

TEST(GermanNounPhrase, WeakNounsTakeTheirEndingOutsideTheNominative) {
  const NounPhrase student = Make("student", Determiner::kThis);
  EXPECT_EQ(German(student, Case::kNominative), "dieser Student");
  EXPECT_EQ(German(student, Case::kAccusative), "diesen Studenten");
  EXPECT_EQ(German(student, Case::kDative), "diesem Studenten");
}

TEST(GermanNounPhrase, PossessivesAndOwners) {
  NounPhrase book = Make("book", Determiner::kPossessive, "thick");
  book.person = Person::kWe;
  EXPECT_EQ(German(book, Case::kAccusative), "unser dickes Buch");
  EXPECT_EQ(German(book, Case::kDative), "unserem dicken Buch");
  const Name anna{"Anna", "Anna", "Anna", Gender::kFeminine};
  book.determiner = Determiner::kOwner;
  book.name = &anna;
  EXPECT_EQ(German(book, Case::kAccusative), "Annas dickes Buch");
  EXPECT_EQ(German(book, Case::kDative), "Annas dickem Buch");
}

TEST(GermanPrepositionalPhrase, ContractsWithTheArticleAndKeepsBothTags) {
  const NounPhrase garden = Make("garden", Determiner::kThe);
  const int tag = 99;
  const Words words = GermanPrepositionalPhrase("in", tag, garden, Case::kDative, true);
  ASSERT_EQ(Join(words), "im Garten");
  EXPECT_EQ(words[0].sure, (std::vector<int>{Tag(1, Part::kDeterminer), tag}));
  const auto join = [&](const char* preposition, const char* noun, Case grammatical_case) {
    return Join(GermanPrepositionalPhrase(preposition, tag, Make(noun, Determiner::kThe),
                                          grammatical_case, true));
  };
  EXPECT_EQ(join("in", "house", Case::kAccusative), "ins Haus");
  EXPECT_EQ(join("in", "school", Case::kDative), "in der Schule");
  EXPECT_EQ(join("zu", "school", Case::kDative), "zur Schule");
  EXPECT_EQ(join("zu", "train station", Case::kDative), "zum Bahnhof");
  EXPECT_EQ(join("an", "window", Case::kAccusative), "ans Fenster");
  EXPECT_EQ(join("an", "table", Case::kDative), "am Tisch");
  EXPECT_EQ(join("bei", "concert", Case::kDative), "beim Konzert");
  EXPECT_EQ(join("von", "castle", Case::kDative), "vom Schloss");
  EXPECT_EQ(Join(GermanPrepositionalPhrase("in", tag, Make("garden", Determiner::kThis),
                                           Case::kDative, true)),
            "in diesem Garten");
}

TEST(EnglishNounPhrase, ChoosesBetweenAAndAn) {
  const auto english = [](const NounPhrase& phrase) {
    return Join(EnglishNounPhrase(phrase, Case::kNominative));
  };
  EXPECT_EQ(english(Make("apple", Determiner::kA)), "an apple");
  EXPECT_EQ(english(Make("apple", Determiner::kA, "red")), "a red apple");
  EXPECT_EQ(english(Make("dog", Determiner::kA, "old")), "an old dog");
  EXPECT_EQ(english(Make("university", Determiner::kA)), "a university");
  EXPECT_EQ(english(Plural(Make("police officer", Determiner::kThis))), "these police officers");
}

// A clause about "der Mann" and "die Tür" with a separable verb.
Clause OpensTheDoor() {
  Clause clause;
  clause.id = 10;
  clause.verb = &FindVerb("open", "machen");
  clause.subject = Make("man", Determiner::kThe);
  clause.accusative = Make("door", Determiner::kThe);
  clause.accusative->id = 2;
  return clause;
}

struct Rendered {
  std::string source, target, links;
};

Rendered RenderBoth(const Clause& clause, char mark = '.') {
  const Words source = EnglishClause(clause, EnglishOrder::kMain);
  const Words target = GermanClause(clause, GermanOrder::kVerbSecond);
  return {Render(source, mark), Render(target, mark), Links(source, target)};
}

TEST(GermanClause, OneEnglishVerbIsLinkedToBothHalvesOfASeparableOne) {
  const Rendered pair = RenderBoth(OpensTheDoor());
  EXPECT_EQ(pair.source, "The man opens the door.");
  EXPECT_EQ(pair.target, "Der Mann macht die Tür auf.");
  EXPECT_EQ(pair.links, "0-0 1p0 1-1 2-2 2-5 3-3 4p3 4-4");
}

TEST(GermanClause, TheEnglishPastIsTheGermanPerfect) {
  Clause clause = OpensTheDoor();
  clause.tense = Tense::kPast;
  Rendered pair = RenderBoth(clause);
  EXPECT_EQ(pair.source, "The man opened the door.");
  EXPECT_EQ(pair.target, "Der Mann hat die Tür aufgemacht.");
  EXPECT_EQ(pair.links, "0-0 1p0 1-1 2p2 2-5 3-3 4p3 4-4");
  clause.negated = true;
  pair = RenderBoth(clause);
  EXPECT_EQ(pair.source, "The man did not open the door.");
  EXPECT_EQ(pair.target, "Der Mann hat die Tür nicht aufgemacht.");
  EXPECT_EQ(pair.links, "0-0 1p0 1-1 2p2 3-5 4p2 4-6 5-3 6p3 6-4");
}

TEST(GermanClause, NotWithAnIndefiniteObjectIsKein) {
  Clause clause = OpensTheDoor();
  clause.negated = true;
  clause.accusative->determiner = Determiner::kA;
  const Rendered pair = RenderBoth(clause);
  EXPECT_EQ(pair.source, "The man does not open a door.");
  EXPECT_EQ(pair.target, "Der Mann macht keine Tür auf.");
  EXPECT_EQ(pair.links, "0-0 1p0 1-1 2p2 2p5 3-3 4-2 4-5 5-3 6p3 6-4");
}

TEST(GermanClause, ModalsAndQuestionsMoveTheFiniteVerbOnly) {
  Clause clause = OpensTheDoor();
  clause.modal = &Modals()[0];
  Rendered pair = RenderBoth(clause);
  EXPECT_EQ(pair.source, "The man can open the door.");
  EXPECT_EQ(pair.target, "Der Mann kann die Tür aufmachen.");
  clause.mood = Mood::kQuestion;
  clause.front = Front::kNothing;
  pair = RenderBoth(clause, '?');
  EXPECT_EQ(pair.source, "Can the man open the door?");
  EXPECT_EQ(pair.target, "Kann der Mann die Tür aufmachen?");
  clause.modal = nullptr;
  pair = RenderBoth(clause, '?');
  EXPECT_EQ(pair.source, "Does the man open the door?");
  EXPECT_EQ(pair.target, "Macht der Mann die Tür auf?");
}

TEST(GermanClause, SubordinateClausesEndInTheirVerbAndInvertTheMainClauseBehindThem) {
  const Phrase because{"because", "weil", "0-0", ""};
  Clause main;
  main.id = 20;
  main.verb = &FindVerb("sleep", "schlafen");
  main.subject = Make("child", Determiner::kThe);
  main.subject.id = 3;
  main.subordinate = std::make_shared<Clause>(OpensTheDoor());
  main.conjunction = &because;
  main.conjunction_id = 4;
  Rendered pair = RenderBoth(main);
  EXPECT_EQ(pair.source, "The child sleeps because the man opens the door.");
  EXPECT_EQ(pair.target, "Das Kind schläft, weil der Mann die Tür aufmacht.");
  main.subordinate_first = true;
  pair = RenderBoth(main);
  EXPECT_EQ(pair.source, "Because the man opens the door, the child sleeps.");
  EXPECT_EQ(pair.target, "Weil der Mann die Tür aufmacht, schläft das Kind.");
  main.subordinate_first = false;
  main.attachment = Attachment::kPurpose;
  pair = RenderBoth(main);
  EXPECT_EQ(pair.source, "The child sleeps in order to open the door.");
  EXPECT_EQ(pair.target, "Das Kind schläft, um die Tür aufzumachen.");
}

TEST(GermanClause, ARelativeClauseStaysInThePrefieldButLeavesTheEndOfTheMiddle) {
  Clause relative;
  relative.id = 30;
  relative.verb = &FindVerb("sleep", "schlafen");
  relative.subject = Make("man", Determiner::kThe);
  relative.subject.kind = NounPhraseKind::kRelative;
  relative.subject.id = 5;
  Clause clause = OpensTheDoor();
  clause.subject.relative = std::make_shared<Clause>(relative);
  EXPECT_EQ(RenderBoth(clause).target, "Der Mann, der schläft, macht die Tür auf.");
  EXPECT_EQ(RenderBoth(clause).source, "The man who sleeps opens the door.");
  clause.subject.relative = nullptr;
  relative.subject = Make("door", Determiner::kThe);
  relative.subject.kind = NounPhraseKind::kRelative;
  relative.subject.id = 5;
  relative.verb = &FindVerb("be", "sein");
  relative.predicate.kind = PredicateKind::kAdjective;
  relative.predicate.adjective = &FindAdjective("new");
  clause.accusative->relative = std::make_shared<Clause>(relative);
  clause.negated = true;
  EXPECT_EQ(RenderBoth(clause).target, "Der Mann macht die Tür nicht auf, die neu ist.");
  EXPECT_EQ(RenderBoth(clause).source, "The man does not open the door that is new.");
}

TEST(GermanMorphology, RegularVerbForms) {
  EXPECT_EQ(RegularThird("arbeiten"), "arbeitet");
  EXPECT_EQ(RegularThird("machen"), "macht");
  EXPECT_EQ(RegularParticiple("machen"), "gemacht");
  EXPECT_EQ(RegularParticiple("besuchen"), "besucht");
  EXPECT_EQ(RegularParticiple("reparieren"), "repariert");
}

}  // namespace
}  // namespace nmt::grammar
