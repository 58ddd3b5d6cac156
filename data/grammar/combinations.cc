#include "data/grammar/combinations.h"

#include <cstdint>
#include <optional>

namespace nmt::grammar {
namespace {

// One combination in this many is reserved.
constexpr uint64_t kReservedShare = 9;

uint64_t Fnv1a(const std::string& text) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (char byte : text) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001B3ULL;
  }
  return hash;
}

// Walks over a tree and notes every pair of words on its way.
class Collector {
 public:
  void Visit(const Clause& clause) {
    Visit(clause.subject);
    const std::string verb = VerbKey(*clause.verb);
    if (HasNoun(clause.subject) && !clause.omits_subject) {
      Add(CombinationKind::kSubjectVerb, clause.subject.noun->en, verb);
    }
    for (const auto* object : {&clause.accusative, &clause.dative, &clause.prepositional}) {
      if (!object->has_value()) continue;
      Visit(**object);
      if (!HasNoun(**object)) continue;
      // The receiver of a gift is anybody; it is the gift that goes with the verb.
      const bool receiver = object == &clause.dative && clause.accusative.has_value();
      if (!receiver) Add(CombinationKind::kVerbObject, verb, (*object)->noun->en);
    }
    if (clause.predicate.kind != PredicateKind::kNone) {
      Visit(clause.predicate.noun_phrase);
      const bool describes = clause.predicate.kind == PredicateKind::kAdjective ||
                             clause.predicate.kind == PredicateKind::kComparative;
      if (describes && HasNoun(clause.subject)) {
        Add(CombinationKind::kAdjectiveNoun, clause.predicate.adjective->en,
            clause.subject.noun->en);
      }
    }
    for (const Adjunct& adjunct : clause.adjuncts) {
      if (adjunct.phrase == nullptr) Visit(adjunct.noun_phrase);
    }
    if (clause.subordinate != nullptr) Visit(*clause.subordinate);
    if (clause.coordinate != nullptr) Visit(*clause.coordinate);
  }

  const std::vector<Combination>& combinations() const { return combinations_; }

 private:
  static bool HasNoun(const NounPhrase& phrase) {
    return phrase.noun != nullptr &&
           (phrase.kind == NounPhraseKind::kNoun || phrase.kind == NounPhraseKind::kRelative);
  }

  void Visit(const NounPhrase& phrase) {
    if (phrase.kind == NounPhraseKind::kNoun && phrase.adjective != nullptr) {
      Add(CombinationKind::kAdjectiveNoun, phrase.adjective->en, phrase.noun->en);
    }
    if (phrase.relative != nullptr) Visit(*phrase.relative);
    if (phrase.conjunct != nullptr) Visit(*phrase.conjunct);
  }

  void Add(CombinationKind kind, const std::string& first, const std::string& second) {
    combinations_.push_back({kind, first, second});
  }

  std::vector<Combination> combinations_;
};

}  // namespace

std::string Describe(const Combination& combination) {
  const char* name = combination.kind == CombinationKind::kVerbObject      ? "object "
                     : combination.kind == CombinationKind::kAdjectiveNoun ? "adjective "
                                                                           : "subject ";
  return name + combination.first + " " + combination.second;
}

bool IsReserved(const Combination& combination) {
  // Prices are all in euros, and who does what is not reserved.
  if (combination.kind == CombinationKind::kSubjectVerb || combination.second == "euro") {
    return false;
  }
  // The low bits of FNV-1a are its weakest.
  return (Fnv1a(Describe(combination)) >> 20) % kReservedShare == 0;
}

std::string VerbKey(const Verb& verb) {
  return verb.en + verb.en_particle + "/" + verb.de_prefix + verb.de;
}

std::vector<Combination> CombinationsOf(const Clause& clause) {
  Collector collector;
  collector.Visit(clause);
  return collector.combinations();
}

}  // namespace nmt::grammar
