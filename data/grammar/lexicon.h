#ifndef NMT_DATA_GRAMMAR_LEXICON_H_
#define NMT_DATA_GRAMMAR_LEXICON_H_

#include <cstdint>
#include <string>
#include <vector>

namespace nmt::grammar {

enum class Case { kNominative, kAccusative, kDative };
enum class Gender { kMasculine, kFeminine, kNeuter };

// A set of one-letter features.  The lexicon writes them as a string, for example "RJ isz".
//
// What a noun is (verbs and adjectives choose by these):
//   P person   A animal     F food      Z dish to cook  D drink      T text      X tale
//   O door, lid C clothing  U furniture V vehicle       G appliance  N handy thing
//   K vessel   M instrument B plant     R room, house   L open land  J dwelling  W show
//   I picture  Q matter     E event     Y profession    H heavenly body          S surface
//   r relative, friend      q room to tidy              v worth a visit
//   3 baked    4 painted    5 has a lock 6 barks         7 somebody's vehicle     8 sung
//   9 takes part in         h to build
// Where it can be (prepositions choose by these):
//   i in the   a at (an)    b at (bei)  o on the        s behind, beside, before it
//   d under it n into it    z to it     t through it    p put on it  c put into it
//   w to it by car          e up to it (an)             g up to it by car
// How it counts:
//   m mass noun             1 singular only             2 plural only
class Features {
 public:
  // Implicit, so that the tables can write plain strings.
  Features(const char* letters = "");  // NOLINT
  bool Has(char letter) const { return (bits_ & Bit(letter)) != 0; }
  bool Overlaps(const Features& other) const { return (bits_ & other.bits_) != 0; }

 private:
  static uint64_t Bit(char letter);
  uint64_t bits_ = 0;
};

struct Noun {
  std::string en, en_plural;
  std::string de, de_oblique, de_plural;  // oblique: accusative and dative singular
  Gender gender;
  Features features;
};

struct Adjective {
  std::string en, en_comparative;
  std::string de, de_stem, de_comparative;
  Features features;  // the kinds of nouns; and 0 for states that come and go
};

// What a verb takes besides its subject.
enum class Frame {
  kNone,           // sleeps
  kAccusative,     // reads the book
  kDative,         // helps the man
  kDitransitive,   // gives the man the book
  kPrepositional,  // waits for the bus
  kPlace,          // lives in Berlin
  kGoal,           // goes to the school
  kPut,            // puts the book on the table
  kPredicate,      // is tired
};

struct Verb {
  std::string en, en_third, en_past, en_participle, en_ing;
  std::string en_particle;  // "up" of "pick up", the same for all forms
  // The German forms leave the separable prefix out.
  std::string de, de_first, de_third, de_participle, de_preterite, de_prefix;
  bool takes_sein;
  Frame frame;
  Features subject, object;
  // S state: no progressive, no perfect     m takes manner adverbs   l takes a place
  // c takes company ("with ...")            g goes with "likes to"   f takes "for somebody"
  // C travels to cities    T done on purpose: "tries to" fits
  // N no progressive
  Features flags;
  std::string en_preposition, de_preposition;  // of a prepositional object
  Case preposition_case;
};

struct Modal {
  std::string en_third, en_other;  // "wants", "want"; the same for "can"
  std::string en_base;             // with do-support: "want"; empty where "not" follows the modal
  std::string en_negated;          // "cannot"; empty where there is none
  bool has_to;                     // "to" follows
  bool is_past;
  bool is_future;
  std::string de_singular, de_plural, de_infinitive;
};

struct Name {
  std::string en, de, de_oblique;
  Gender gender;
};

// A fixed phrase with its links: an adverbial, a conjunction or a question word.  '#' stands for a
// number.
struct Phrase {
  std::string en, de, links;
  // p present   e perfect   a past   f future and modals   n not under negation
  // M stands before the English main verb   - is itself negative
  Features flags;
};

struct Preposition {
  std::string en, de;
  Case grammatical_case;
};

enum class Agreement { kFirst, kThird, kPlural };

struct Pronoun {
  std::string en_subject, en_object, en_possessive;
  std::string de_nominative, de_accusative, de_dative, de_possessive;  // possessive: the stem
  Agreement agreement;
};

// The pronouns, in the order of Pronouns().  "it" has three entries, for the German gender of the
// noun it stands for.
enum class Person { kI, kHe, kShe, kWe, kThey, kYou, kItHe, kItShe, kItIt, kThere };

enum class QuestionAdverb { kWhere, kWhen, kWhy };

const std::vector<Noun>& Nouns();
const std::vector<Verb>& Verbs();
const std::vector<Adjective>& Adjectives();
const std::vector<Modal>& Modals();
const std::vector<Name>& PersonNames();
const std::vector<Name>& Places();  // cities and countries
const std::vector<Phrase>& TimePhrases();
const std::vector<Phrase>& MannerPhrases();
const std::vector<Phrase>& PlacePhrases();
const std::vector<Phrase>& NumberWords();  // "two" to "twelve"
const Pronoun& GetPronoun(Person person);
const Phrase& GetQuestionAdverb(QuestionAdverb adverb);

// One entry, by its English form.
const Verb& FindVerb(const std::string& en, const std::string& de);
const Noun& FindNoun(const std::string& en);
const Adjective& FindAdjective(const std::string& en);

// Builds full entries from the short rows of the tables.  English: "read read read" lists base,
// past and participle, "pick|up" adds a particle, and a lone base is regular.  German:
// "an|rufen ruft gerufen" marks the prefix and lists third person and participle.
Noun MakeNoun(const char* en, const char* en_plural, const char* de, char gender,
              const char* de_plural, const char* features);
Verb MakeVerb(const std::string& en, const std::string& de, Frame frame, const char* subject,
              const char* object, const char* flags);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_LEXICON_H_
