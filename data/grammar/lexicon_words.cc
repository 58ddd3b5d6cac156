#include "data/grammar/lexicon.h"

namespace nmt::grammar {
namespace {

std::vector<Adjective> MakeAdjectives() {
  // German: "teuer/teur" gives the stem that takes endings where it differs.
  const struct {
    const char* en;
    const char* en_comparative;
    const char* de;
    const char* de_comparative;
    const char* features;
  } rows[] = {
      {"old", "older", "alt", "älter", "PATCVGUMRLKOINS"},
      {"young", "younger", "jung", "jünger", "PAB"},
      {"new", "newer", "neu", "neuer", "TCVGUMNWOEI8QKRS"},
      {"big", "bigger", "groß", "größer", "AFVURLBKOISNCQ"},
      {"small", "smaller", "klein", "kleiner", "PAFVUGRLBKONIS"},
      {"red", "", "rot", "", "CVUBKO"},
      {"blue", "", "blau", "", "CVUKO"},
      {"green", "", "grün", "", "CVUKOS"},
      {"white", "", "weiß", "", "ACVUKBOS"},
      {"black", "", "schwarz", "", "ACVUK"},
      {"yellow", "", "gelb", "", "CVUKB"},
      {"brown", "", "braun", "", "ACUKS"},
      {"gray", "", "grau", "", "ACVOS"},
      {"beautiful", "more beautiful", "schön", "schöner", "CRLBIM8XN"},
      {"good", "better", "gut", "besser", "TWXQFGDM8"},
      {"expensive", "more expensive", "teuer/teur", "teurer", "CVGUMNTIDF"},
      {"cheap", "cheaper", "billig", "billiger", "CVGUMNTDF"},
      {"heavy", "heavier", "schwer", "schwerer", "UNKGTOMV"},
      {"long", "longer", "lang", "länger", "TCEWX8"},
      {"short", "shorter", "kurz", "kürzer", "TEWX8"},
      {"warm", "warmer", "warm", "wärmer", "CRD"},
      {"cold", "colder", "kalt", "kälter", "RDFL"},
      {"fresh", "fresher", "frisch", "frischer", "F"},
      {"sweet", "sweeter", "süß", "süßer", "F"},
      {"tasty", "tastier", "lecker", "leckerer", "F"},
      {"tired", "", "müde/müd", "", "PA0"},
      {"happy", "happier", "glücklich", "glücklicher", "P0"},
      {"sad", "sadder", "traurig", "trauriger", "PTWX80"},
      {"sick", "", "krank", "", "PA0"},
      {"healthy", "healthier", "gesund", "gesünder", "PA0"},
      {"clever", "cleverer", "klug", "klüger", "PAQ"},
      {"friendly", "friendlier", "freundlich", "freundlicher", "P"},
      {"rich", "richer", "reich", "reicher", "P"},
      {"poor", "poorer", "arm", "ärmer", "P"},
      {"strong", "stronger", "stark", "stärker", "PA"},
      {"famous", "more famous", "berühmt", "berühmter", "PTWRX8"},
      {"quiet", "quieter", "ruhig", "ruhiger", "PRLA"},
      {"dirty", "dirtier", "schmutzig", "schmutziger", "CVURKO"},
      {"clean", "cleaner", "sauber", "sauberer", "CVURKO"},
      {"empty", "", "leer", "", "KRU"},
      {"full", "", "voll", "", "K"},
      {"broken", "", "kaputt", "", "VGUO"},
      {"interesting", "more interesting", "interessant", "interessanter", "TWXQ"},
      {"boring", "more boring", "langweilig", "langweiliger", "TWXE"},
      {"difficult", "more difficult", "schwierig", "schwieriger", "QE"},
      {"important", "more important", "wichtig", "wichtiger", "QET"},
      {"dark", "darker", "dunkel/dunkl", "dunkler", "RL"},
      {"bright", "brighter", "hell", "heller", "R"},
      {"wide", "wider", "breit", "breiter", "OU"},
      {"high", "higher", "hoch/hoh", "höher", "S"},
      {"modern", "more modern", "modern", "moderner", "RVGU"},
      {"hungry", "hungrier", "hungrig", "hungriger", "PA0"},
      {"thirsty", "thirstier", "durstig", "durstiger", "PA0"},
      {"lazy", "lazier", "faul", "fauler", "PA"},
      {"nice", "nicer", "nett", "netter", "P"},
      {"wild", "wilder", "wild", "wilder", "A"},
      {"dangerous", "more dangerous", "gefährlich", "gefährlicher", "AQ"},
      {"slow", "slower", "langsam", "langsamer", "VAG"},
      {"fast", "faster", "schnell", "schneller", "VA"},
      {"polite", "more polite", "höflich", "höflicher", "P"},
      {"brave", "braver", "mutig", "mutiger", "P"},
      {"curious", "more curious", "neugierig", "neugieriger", "PA0"},
      {"nervous", "more nervous", "nervös", "nervöser", "P0"},
      {"strange", "stranger", "seltsam", "seltsamer", "PTWXQ"},
      {"useful", "more useful", "nützlich", "nützlicher", "NGTQ"},
      {"thick", "thicker", "dick", "dicker", "CT"},
      {"thin", "thinner", "dünn", "dünner", "CTP"},
  };
  std::vector<Adjective> adjectives;
  for (const auto& row : rows) {
    const std::string de = row.de;
    const size_t slash = de.find('/');
    const std::string base = de.substr(0, slash);
    adjectives.push_back({row.en, row.en_comparative, base,
                          slash == std::string::npos ? base : de.substr(slash + 1),
                          row.de_comparative, row.features});
  }
  return adjectives;
}

std::vector<Name> MakePersonNames() {
  std::vector<Name> names;
  for (const char* name : {"Anna", "Maria", "Julia", "Laura", "Lena", "Sophie", "Emma", "Clara",
                           "Martha", "Eva", "Nina", "Paula"}) {
    names.push_back({name, name, name, Gender::kFeminine});
  }
  for (const char* name : {"Peter", "Paul", "Martin", "Stefan", "Daniel", "Robert", "Otto", "Karl",
                           "Jan", "Michael", "Tim", "Simon"}) {
    names.push_back({name, name, name, Gender::kMasculine});
  }
  for (const char* family : {"Weber", "Fischer", "Wagner", "Keller", "Neumann", "Berger"}) {
    const std::string name = family;
    names.push_back({"Mr " + name, "Herr " + name, "Herrn " + name, Gender::kMasculine});
    names.push_back({"Mrs " + name, "Frau " + name, "Frau " + name, Gender::kFeminine});
  }
  return names;
}

}  // namespace

const std::vector<Adjective>& Adjectives() {
  static const std::vector<Adjective> adjectives = MakeAdjectives();
  return adjectives;
}

const std::vector<Name>& PersonNames() {
  static const std::vector<Name> names = MakePersonNames();
  return names;
}

const std::vector<Name>& Places() {
  constexpr Gender kNeuter = Gender::kNeuter;
  static const std::vector<Name> places = {
      {"Berlin", "Berlin", "Berlin", kNeuter},
      {"Hamburg", "Hamburg", "Hamburg", kNeuter},
      {"Munich", "München", "München", kNeuter},
      {"Cologne", "Köln", "Köln", kNeuter},
      {"Vienna", "Wien", "Wien", kNeuter},
      {"Zurich", "Zürich", "Zürich", kNeuter},
      {"London", "London", "London", kNeuter},
      {"Paris", "Paris", "Paris", kNeuter},
      {"Rome", "Rom", "Rom", kNeuter},
      {"Prague", "Prag", "Prag", kNeuter},
      {"Dresden", "Dresden", "Dresden", kNeuter},
      {"Leipzig", "Leipzig", "Leipzig", kNeuter},
      {"Moscow", "Moskau", "Moskau", kNeuter},
      {"Athens", "Athen", "Athen", kNeuter},
      {"Germany", "Deutschland", "Deutschland", kNeuter},
      {"France", "Frankreich", "Frankreich", kNeuter},
      {"Austria", "Österreich", "Österreich", kNeuter},
      {"Italy", "Italien", "Italien", kNeuter},
      {"Spain", "Spanien", "Spanien", kNeuter},
      {"Poland", "Polen", "Polen", kNeuter},
  };
  return places;
}

const std::vector<Modal>& Modals() {
  static const std::vector<Modal> modals = {
      {"can", "can", "", "cannot", false, false, false, "kann", "können", "können"},
      {"must", "must", "", "", false, false, false, "muss", "müssen", "müssen"},
      {"should", "should", "", "should not", false, false, false, "sollte", "sollten", "sollen"},
      {"wants", "want", "want", "", true, false, false, "will", "wollen", "wollen"},
      {"has", "have", "have", "", true, false, false, "muss", "müssen", "müssen"},
      {"could", "could", "", "could not", false, true, false, "konnte", "konnten", "können"},
      {"wanted", "wanted", "want", "", true, true, false, "wollte", "wollten", "wollen"},
      {"had", "had", "have", "", true, true, false, "musste", "mussten", "müssen"},
      {"will", "will", "", "will not", false, false, true, "wird", "werden", "werden"},
  };
  return modals;
}

const std::vector<Phrase>& TimePhrases() {
  static const std::vector<Phrase> phrases = {
      {"today", "heute", "0-0", "peaf"},
      {"yesterday", "gestern", "0-0", "a"},
      {"tomorrow", "morgen", "0-0", "f"},
      {"now", "jetzt", "0-0", "pfn"},
      {"soon", "bald", "0-0", "fn"},
      {"often", "oft", "0-0", "panM"},
      {"always", "immer", "0-0", "pnM"},
      {"sometimes", "manchmal", "0-0", "panM"},
      {"rarely", "selten", "0-0", "pnM"},
      {"never", "nie", "0-0", "pnM-"},
      {"already", "schon", "0-0", "enM"},
      {"every day", "jeden Tag", "0-0 1-1 1p0", "pfn"},
      {"every evening", "jeden Abend", "0-0 1-1 1p0", "pn"},
      {"every morning", "jeden Morgen", "0-0 1-1 1p0", "pn"},
      {"in the morning", "am Morgen", "0-0 1-0 2-1 2p0", "paf"},
      {"in the evening", "am Abend", "0-0 1-0 2-1 2p0", "paf"},
      {"at noon", "am Mittag", "0-0 1-1 1p0", "paf"},
      {"on Monday", "am Montag", "0-0 1-1 1p0", "paf"},
      {"on Tuesday", "am Dienstag", "0-0 1-1 1p0", "paf"},
      {"on Friday", "am Freitag", "0-0 1-1 1p0", "paf"},
      {"on Sunday", "am Sonntag", "0-0 1-1 1p0", "paf"},
      {"on the weekend", "am Wochenende", "0-0 1-0 2-1 2p0", "paf"},
      {"in summer", "im Sommer", "0-0 1-1 1p0", "paf"},
      {"in winter", "im Winter", "0-0 1-1 1p0", "paf"},
      {"in spring", "im Frühling", "0-0 1-1 1p0", "paf"},
      {"last week", "letzte Woche", "0-0 1-1 1p0", "a"},
      {"last month", "letzten Monat", "0-0 1-1 1p0", "a"},
      {"last year", "letztes Jahr", "0-0 1-1 1p0", "a"},
      {"next week", "nächste Woche", "0-0 1-1 1p0", "f"},
      {"next month", "nächsten Monat", "0-0 1-1 1p0", "f"},
      {"next year", "nächstes Jahr", "0-0 1-1 1p0", "f"},
      {"after lunch", "nach dem Mittagessen", "0-0 1-2 1p1", "paf"},
      {"before breakfast", "vor dem Frühstück", "0-0 1-2 1p1", "paf"},
      {"at # o'clock", "um # Uhr", "0-0 1-1 2-2", "paf"},
      {"# years ago", "vor # Jahren", "0-1 1-2 2-0", "a"},
      {"# days ago", "vor # Tagen", "0-1 1-2 2-0", "a"},
      {"in # days", "in # Tagen", "0-0 1-1 2-2", "f"},
      {"in # weeks", "in # Wochen", "0-0 1-1 2-2", "f"},
  };
  return phrases;
}

const std::vector<Phrase>& MannerPhrases() {
  static const std::vector<Phrase> phrases = {
      {"quickly", "schnell", "0-0", ""}, {"slowly", "langsam", "0-0", ""},
      {"quietly", "leise", "0-0", ""},   {"carefully", "vorsichtig", "0-0", ""},
      {"alone", "allein", "0-0", ""},
  };
  return phrases;
}

const std::vector<Phrase>& PlacePhrases() {
  static const std::vector<Phrase> phrases = {
      {"at home", "zu Hause", "0-0 1-1", ""},
      {"outside", "draußen", "0-0", ""},
      {"here", "hier", "0-0", ""},
  };
  return phrases;
}

const std::vector<Phrase>& NumberWords() {
  static const std::vector<Phrase> numbers = {
      {"two", "zwei", "", ""},   {"three", "drei", "", ""},   {"four", "vier", "", ""},
      {"five", "fünf", "", ""},  {"six", "sechs", "", ""},    {"seven", "sieben", "", ""},
      {"eight", "acht", "", ""}, {"nine", "neun", "", ""},    {"ten", "zehn", "", ""},
      {"eleven", "elf", "", ""}, {"twelve", "zwölf", "", ""},
  };
  return numbers;
}

const Phrase& GetQuestionAdverb(QuestionAdverb adverb) {
  static const std::vector<Phrase> adverbs = {
      {"where", "wo", "0-0", ""}, {"when", "wann", "0-0", ""}, {"why", "warum", "0-0", ""}};
  return adverbs[static_cast<size_t>(adverb)];
}

const Pronoun& GetPronoun(Person person) {
  constexpr Agreement kFirst = Agreement::kFirst;
  constexpr Agreement kThird = Agreement::kThird;
  constexpr Agreement kPlural = Agreement::kPlural;
  static const std::vector<Pronoun> pronouns = {
      {"I", "me", "my", "ich", "mich", "mir", "mein", kFirst},
      {"he", "him", "his", "er", "ihn", "ihm", "sein", kThird},
      {"she", "her", "her", "sie", "sie", "ihr", "ihr", kThird},
      {"we", "us", "our", "wir", "uns", "uns", "unser", kPlural},
      {"they", "them", "their", "sie", "sie", "ihnen", "ihr", kPlural},
      {"you", "you", "your", "Sie", "Sie", "Ihnen", "Ihr", kPlural},
      {"it", "it", "its", "er", "ihn", "ihm", "sein", kThird},
      {"it", "it", "its", "sie", "sie", "ihr", "ihr", kThird},
      {"it", "it", "its", "es", "es", "ihm", "sein", kThird},
      {"there", "there", "", "es", "es", "", "", kThird},
  };
  return pronouns[static_cast<size_t>(person)];
}

}  // namespace nmt::grammar
