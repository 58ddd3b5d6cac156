#ifndef NMT_DATA_GRAMMAR_TREE_H_
#define NMT_DATA_GRAMMAR_TREE_H_

#include <memory>
#include <optional>
#include <vector>

#include "data/grammar/lexicon.h"

namespace nmt::grammar {

// The meaning of a sentence, in neither language.  english.cc and german.cc read their sentences
// off the same tree; what one language must say and the other leaves open (the gender of nouns,
// the place of the verb) is decided there and not here.
//
// Every node has an id of its own, from which words get their tags (see words.h).

enum class Determiner {
  kBare,        // books
  kThe,         // the book
  kA,           // a book
  kThis,        // this book
  kEvery,       // every book
  kNo,          // no book
  kMany,        // many books
  kAll,         // all books
  kPossessive,  // my book
  kOwner,       // Anna's book
  kNumber,      // three books
  kWhich,       // which book
  kHowMany,     // how many books
};

enum class NounPhraseKind {
  kNoun,
  kName,
  kPronoun,
  kRelative,  // "who", "that": the gap of a relative clause
  kWho,
  kWhat,
};

struct Clause;

struct NounPhrase {
  int id = 0;
  NounPhraseKind kind = NounPhraseKind::kNoun;
  Determiner determiner = Determiner::kThe;
  bool plural = false;
  const Noun* noun = nullptr;  // of a relative pronoun: its antecedent
  const Adjective* adjective = nullptr;
  const Name* name = nullptr;   // the name itself, or the owner's
  Person person = Person::kHe;  // the pronoun itself, or the owner
  Phrase number;                // "three", or "25"
  std::shared_ptr<const Clause> relative;
  std::shared_ptr<const NounPhrase> conjunct;  // "... and ..."
};

enum class AdjunctKind { kTime, kManner, kCompany, kPlace, kGoal };

// An adverbial: a fixed phrase, or a preposition with a noun phrase.
struct Adjunct {
  int id = 0;
  AdjunctKind kind = AdjunctKind::kTime;
  const Phrase* phrase = nullptr;
  Phrase number;  // fills the '#' of the phrase
  Preposition preposition;
  NounPhrase noun_phrase;
};

enum class PredicateKind { kNone, kAdjective, kComparative, kProfession, kAge };

struct Predicate {
  PredicateKind kind = PredicateKind::kNone;
  const Adjective* adjective = nullptr;
  NounPhrase noun_phrase;  // the other side of the comparison, or the profession
  Phrase number;           // the age
};

enum class Tense { kPresent, kProgressive, kPast, kPerfect };
enum class Mood { kStatement, kQuestion, kImperative };

// What stands at the front of the clause, in both languages.
enum class Front { kSubject, kAccusative, kDative, kPrepositional, kTime, kPlace, kNothing };

// How a second clause hangs on the first.
enum class Attachment {
  kConjunction,  // because he is tired
  kBare,         // asks where she lives: the question word is the conjunction
  kInfinitive,   // tries to read
  kPurpose,      // in order to read
};

struct Clause {
  int id = 0;
  const Verb* verb = nullptr;
  NounPhrase subject;
  std::optional<NounPhrase> accusative, dative, prepositional;
  Predicate predicate;
  std::vector<Adjunct> adjuncts;

  Tense tense = Tense::kPresent;
  const Modal* modal = nullptr;
  bool negated = false;
  bool likes_to = false;     // "likes to read", "liest gern"
  bool dative_last = false;  // "gives the book to the man"
  Mood mood = Mood::kStatement;
  Front front = Front::kSubject;
  bool omits_subject = false;  // the second of two verb phrases, and infinitives

  std::shared_ptr<const Clause> subordinate;
  const Phrase* conjunction = nullptr;
  int conjunction_id = 0;
  Attachment attachment = Attachment::kConjunction;
  bool subordinate_first = false;

  std::shared_ptr<const Clause> coordinate;
  const Phrase* coordinator = nullptr;
  int coordinator_id = 0;
};

// The agreement of a finite verb with its subject, the same in both languages.
Agreement SubjectAgreement(const Clause& clause);

// The questions "who", "what", "which book" and "how many books".
bool IsQuestionPhrase(const NounPhrase& phrase);

// Whether "not" fits a clause with this subject.  Next to "no", "every" or "many" it would say
// something else than its German counterpart.
bool TakesNot(const NounPhrase& subject);

// The first adjunct of a kind, or null.
const Adjunct* FindAdjunct(const Clause& clause, AdjunctKind kind);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_TREE_H_
