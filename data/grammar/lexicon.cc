#include "data/grammar/lexicon.h"

#include <cstdlib>
#include <sstream>

#include "data/grammar/english_morphology.h"
#include "data/grammar/german_morphology.h"

namespace nmt::grammar {
namespace {

std::vector<std::string> Split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; stream >> part;) parts.push_back(part);
  return parts;
}

// Cuts "pick|up" at the bar; the second half is empty without one.
std::pair<std::string, std::string> Cut(const std::string& text, char mark) {
  const size_t at = text.find(mark);
  if (at == std::string::npos) return {text, ""};
  return {text.substr(0, at), text.substr(at + 1)};
}

void FillEnglish(const std::string& row, Verb* verb) {
  const std::vector<std::string> forms = Split(row);
  const auto [base, particle] = Cut(forms[0], '|');
  verb->en = base;
  verb->en_particle = particle;
  verb->en_third = base == "have" ? "has" : AddS(base);
  verb->en_past = forms.size() > 1 ? forms[1] : RegularPast(base);
  verb->en_participle = forms.size() > 2 ? forms[2] : verb->en_past;
  verb->en_ing = IngForm(base);
}

void FillGerman(const std::string& row, Verb* verb) {
  std::vector<std::string> forms;
  verb->takes_sein = false;
  for (const std::string& form : Split(row)) {
    if (form == "+sein") {
      verb->takes_sein = true;
    } else if (form[0] == '=') {
      verb->de_preterite = form.substr(1);
    } else {
      forms.push_back(form);
    }
  }
  const auto [first, second] = Cut(forms[0], '|');
  verb->de = second.empty() ? first : second;
  verb->de_prefix = second.empty() ? "" : first;
  verb->de_third = forms.size() > 1 ? forms[1] : RegularThird(verb->de);
  verb->de_participle = forms.size() > 2 ? forms[2] : RegularParticiple(verb->de);
  verb->de_first = FirstPerson(verb->de, verb->de_third);
}

}  // namespace

Features::Features(const char* letters) {
  for (; *letters != 0; ++letters) {
    if (*letters != ' ') bits_ |= Bit(*letters);
  }
}

uint64_t Features::Bit(char letter) {
  int index = 0;
  if (letter >= 'A' && letter <= 'Z') {
    index = letter - 'A';
  } else if (letter >= 'a' && letter <= 'z') {
    index = 26 + letter - 'a';
  } else {
    index = letter == '-' ? 63 : 52 + letter - '0';
  }
  return uint64_t{1} << index;
}

Noun MakeNoun(const char* en, const char* en_plural, const char* de, char gender,
              const char* de_plural, const char* features) {
  const auto [nominative, oblique] = Cut(de, '/');
  const std::string plural = *en_plural == 0 ? AddS(en) : en_plural;
  return Noun{en,
              plural,
              nominative,
              oblique.empty() ? nominative : oblique,
              de_plural,
              gender == 'm'   ? Gender::kMasculine
              : gender == 'f' ? Gender::kFeminine
                              : Gender::kNeuter,
              features};
}

Verb MakeVerb(const std::string& en, const std::string& de, Frame frame, const char* subject,
              const char* object, const char* flags) {
  Verb verb{{}, {}, {},    {},    {},      {},     {},    {}, {}, {},
            {}, {}, false, frame, subject, object, flags, {}, {}, Case::kAccusative};
  FillEnglish(en, &verb);
  FillGerman(de, &verb);
  return verb;
}

const Verb& FindVerb(const std::string& en, const std::string& de) {
  for (const Verb& verb : Verbs()) {
    if (verb.en == en && verb.de == de) return verb;
  }
  std::abort();
}

const Noun& FindNoun(const std::string& en) {
  for (const Noun& noun : Nouns()) {
    if (noun.en == en) return noun;
  }
  std::abort();
}

const Adjective& FindAdjective(const std::string& en) {
  for (const Adjective& adjective : Adjectives()) {
    if (adjective.en == en) return adjective;
  }
  std::abort();
}

}  // namespace nmt::grammar
