#include "data/grammar/english_morphology.h"

#include <string_view>

namespace nmt::grammar {
namespace {

bool IsVowel(char letter) { return std::string_view("aeiou").find(letter) != std::string::npos; }

bool EndsWith(const std::string& word, std::string_view ending) {
  return word.size() >= ending.size() &&
         word.compare(word.size() - ending.size(), ending.size(), ending) == 0;
}

bool EndsInConsonantY(const std::string& word) {
  return word.size() > 1 && word.back() == 'y' && !IsVowel(word[word.size() - 2]);
}

int Syllables(const std::string& word) {
  int count = 0;
  bool inside = false;
  for (char letter : word) {
    const bool vowel = IsVowel(letter) || letter == 'y';
    if (vowel && !inside) ++count;
    inside = vowel;
  }
  return count;
}

// The last consonant doubles after one short stressed vowel: "stop", "sit", and the stressed
// endings of "begin" and "forget", but not "visit" or "open".
std::string Doubled(const std::string& verb) {
  const size_t n = verb.size();
  const bool short_vowel = n >= 3 && !IsVowel(verb[n - 1]) && IsVowel(verb[n - 2]) &&
                           !IsVowel(verb[n - 3]) &&
                           std::string_view("wxy").find(verb[n - 1]) == std::string::npos;
  const bool stressed = Syllables(verb) == 1 || verb == "begin" || verb == "forget";
  return short_vowel && stressed ? verb + verb.back() : verb;
}

}  // namespace

std::string AddS(const std::string& word) {
  if (EndsInConsonantY(word)) return word.substr(0, word.size() - 1) + "ies";
  for (std::string_view ending : {"s", "x", "z", "ch", "sh"}) {
    if (EndsWith(word, ending)) return word + "es";
  }
  // "goes" and "potatoes", but "pianos", "photos" and "radios".
  if (word == "go" || word == "do" || word == "potato" || word == "tomato") return word + "es";
  return word + "s";
}

std::string RegularPast(const std::string& verb) {
  if (verb.back() == 'e') return verb + "d";
  if (EndsInConsonantY(verb)) return verb.substr(0, verb.size() - 1) + "ied";
  return Doubled(verb) + "ed";
}

std::string IngForm(const std::string& verb) {
  if (EndsWith(verb, "ie")) return verb.substr(0, verb.size() - 2) + "ying";
  if (verb.back() == 'e' && !EndsWith(verb, "ee") && verb != "be") {
    return verb.substr(0, verb.size() - 1) + "ing";
  }
  return Doubled(verb) + "ing";
}

std::string IndefiniteArticle(const std::string& next_word) {
  // "university" and "useful" begin with a consonant sound.
  if (next_word.rfind("uni", 0) == 0 || next_word.rfind("use", 0) == 0) return "a";
  if (next_word.rfind("euro", 0) == 0) return "a";
  return IsVowel(next_word[0]) ? "an" : "a";
}

}  // namespace nmt::grammar
