#include "data/grammar/german_morphology.h"

#include <string_view>

namespace nmt::grammar {
namespace {

bool EndsWith(const std::string& word, std::string_view ending) {
  return word.size() >= ending.size() &&
         word.compare(word.size() - ending.size(), ending.size(), ending) == 0;
}

bool StartsWith(const std::string& word, std::string_view start) {
  return word.compare(0, start.size(), start) == 0;
}

// "arbeiten" to "arbeit", "füttern" to "fütter".
std::string Stem(const std::string& infinitive) {
  return infinitive.substr(0, infinitive.size() - (EndsWith(infinitive, "en") ? 2 : 1));
}

// "arbeit-et", but "mach-t"; "öffn" and "regn" need the vowel too.
std::string WithT(const std::string& stem) {
  const bool vowel = EndsWith(stem, "t") || EndsWith(stem, "d") || EndsWith(stem, "gn");
  return stem + (vowel ? "et" : "t");
}

}  // namespace

std::string DefiniteArticle(const Inflection& inflection) {
  const std::string ending = StrongEnding(inflection);
  if (ending == "e") return "die";
  if (ending == "es") return "das";
  return "d" + ending;
}

std::string RelativePronoun(const Inflection& inflection) {
  if (inflection.plural && inflection.grammatical_case == Case::kDative) return "denen";
  return DefiniteArticle(inflection);
}

std::string StrongEnding(const Inflection& inflection) {
  if (inflection.plural) return inflection.grammatical_case == Case::kDative ? "en" : "e";
  switch (inflection.gender) {
    case Gender::kMasculine:
      if (inflection.grammatical_case == Case::kNominative) return "er";
      return inflection.grammatical_case == Case::kAccusative ? "en" : "em";
    case Gender::kFeminine:
      return inflection.grammatical_case == Case::kDative ? "er" : "e";
    case Gender::kNeuter:
      return inflection.grammatical_case == Case::kDative ? "em" : "es";
  }
  return "";
}

std::string EinEnding(const Inflection& inflection) {
  const bool bare =
      !inflection.plural &&
      ((inflection.gender == Gender::kMasculine &&
        inflection.grammatical_case == Case::kNominative) ||
       (inflection.gender == Gender::kNeuter && inflection.grammatical_case != Case::kDative));
  return bare ? "" : StrongEnding(inflection);
}

std::string WeakEnding(const Inflection& inflection) {
  if (inflection.plural || inflection.grammatical_case == Case::kDative) return "en";
  const bool masculine_accusative =
      inflection.gender == Gender::kMasculine && inflection.grammatical_case == Case::kAccusative;
  return masculine_accusative ? "en" : "e";
}

std::string NounForm(const Noun& noun, const Inflection& inflection) {
  if (!inflection.plural) {
    return inflection.grammatical_case == Case::kNominative ? noun.de : noun.de_oblique;
  }
  const std::string& plural = noun.de_plural;
  const bool adds_n = inflection.grammatical_case == Case::kDative && !EndsWith(plural, "n") &&
                      !EndsWith(plural, "s") && plural != "Euro";
  return adds_n ? plural + "n" : plural;
}

std::string Contraction(const std::string& preposition, const std::string& article) {
  static constexpr struct {
    const char* preposition;
    const char* article;
    const char* joined;
  } kTable[] = {
      {"in", "dem", "im"},  {"in", "das", "ins"}, {"an", "dem", "am"},   {"an", "das", "ans"},
      {"zu", "dem", "zum"}, {"zu", "der", "zur"}, {"von", "dem", "vom"}, {"bei", "dem", "beim"},
  };
  for (const auto& row : kTable) {
    if (preposition == row.preposition && article == row.article) return row.joined;
  }
  return "";
}

std::string RegularThird(const std::string& infinitive) { return WithT(Stem(infinitive)); }

std::string RegularParticiple(const std::string& infinitive) {
  const std::string weak = WithT(Stem(infinitive));
  // Verbs in unstressed be-, er-, ge-, ver- and verbs in -ieren take no ge-.
  for (std::string_view prefix : {"be", "er", "ge", "ver"}) {
    if (StartsWith(infinitive, prefix)) return weak;
  }
  return EndsWith(infinitive, "ieren") ? weak : "ge" + weak;
}

std::string FirstPerson(const std::string& infinitive, const std::string& third) {
  // The irregular presents: "ich mag, er mag", "ich weiß, er weiß", "ich habe", "ich bin".
  if (third == "mag" || third == "weiß") return third;
  if (infinitive == "sein") return "bin";
  if (infinitive == "lächeln") return "lächle";
  return Stem(infinitive) + "e";
}

}  // namespace nmt::grammar
