#include "data/grammar/lexicon.h"

namespace nmt::grammar {
namespace {

// The rows of one frame share their shape: English forms, German forms, the features of the
// subject, those of the object, and the flags.
struct Row {
  const char* en;
  const char* de;
  const char* subject;
  const char* object;
  const char* flags;
};

struct PrepositionalRow {
  Row row;
  const char* en_preposition;
  const char* de_preposition;
  Case grammatical_case;
};

// "+sein" in the German column picks the auxiliary; "=hatte" gives a preterite, which then
// renders the English simple past instead of the perfect.
const Row kIntransitive[] = {
    {"sleep slept slept", "schlafen schläft geschlafen", "PA", "", "lcgT"},
    {"laugh", "lachen", "P", "", "lc"},
    {"cry cried cried", "weinen", "P", "", "l"},
    {"work", "arbeiten", "P", "", "lcmgT"},
    {"sing sang sung", "singen singt gesungen", "P", "", "lcmgfT"},
    {"dance", "tanzen", "P", "", "lcmgT"},
    {"play", "spielen", "PA", "", "lcmgT"},
    {"swim swam swum", "schwimmen schwimmt geschwommen +sein", "PA", "", "cmgT"},
    {"smile", "lächeln lächelt gelächelt", "P", "", ""},
    {"bark", "bellen bellt gebellt", "6", "", "l"},
    {"cook", "kochen", "P", "", "lcgfT"},
    {"wait", "warten", "PA", "", "lc"},
    {"shine shone shone", "scheinen scheint geschienen", "H", "", ""},
    {"grow grew grown", "wachsen wächst gewachsen +sein", "B", "", ""},
    {"bloom", "blühen", "B", "", ""},
    {"get|up got got", "auf|stehen steht gestanden +sein", "PA", "", "mT"},
    {"wake|up woke woken", "auf|wachen +sein", "PA", "", ""},
    {"fall|asleep fell fallen", "ein|schlafen schläft geschlafen +sein", "PA", "", "lT"},
    {"arrive", "an|kommen kommt gekommen +sein", "PV", "", ""},
    {"depart", "ab|fahren fährt gefahren +sein", "V", "", "m"},
    {"come|back came come", "zurück|kommen kommt gekommen +sein", "PA", "", "c"},
    {"go|out went gone", "aus|gehen geht gegangen +sein", "P", "", "cg"},
    {"stop", "an|halten hält gehalten", "V", "", "m"},
    {"begin began begun", "an|fangen fängt gefangen", "E", "", ""},
    {"end", "enden", "E", "", ""},
};

const Row kAccusative[] = {
    {"read read read", "lesen liest gelesen", "P", "T", "lmgT"},
    {"write wrote written", "schreiben schreibt geschrieben", "P", "T", "lmgfT"},
    {"buy bought bought", "kaufen", "P", "FDC7GUMNTKB", "lgfT"},
    {"sell sold sold", "verkaufen", "P", "FC7GUMNTKBI", "lT"},
    {"see saw seen", "sehen sieht gesehen", "P", "PAVRLNKBUIWH", "lN"},
    {"eat ate eaten", "essen isst gegessen", "PA", "F", "lmgT"},
    {"drink drank drunk", "trinken trinkt getrunken", "P", "D", "lmgT"},
    {"open", "auf|machen", "P", "O", "mT"},
    {"close", "zu|machen", "P", "O", "mT"},
    {"lock", "ab|schließen schließt geschlossen", "P", "5", "mT"},
    {"sing sang sung", "singen singt gesungen", "P", "8", "lcmgfT"},
    {"call", "an|rufen ruft gerufen", "P", "P", "T"},
    {"pick|up", "ab|holen", "P", "P", "cT"},
    {"invite", "ein|laden lädt geladen", "P", "P", "T"},
    {"turn|on", "ein|schalten", "P", "G", "T"},
    {"turn|off", "aus|schalten", "P", "G", "T"},
    {"put|on put put", "an|ziehen zieht gezogen", "P", "C", "mT"},
    {"take|off took taken", "aus|ziehen zieht gezogen", "P", "C", "mT"},
    {"try|on tried tried", "an|probieren probiert probiert", "P", "C", "T"},
    {"tidy|up tidied tidied", "auf|räumen", "P", "q", "mT"},
    {"throw|away threw thrown", "weg|werfen wirft geworfen", "P", "TNKC", "T"},
    {"watch", "an|sehen sieht gesehen", "P", "W", "clgT"},
    {"prepare", "vor|bereiten bereitet bereitet", "P", "E", "cmT"},
    {"unpack", "aus|packen", "P", "N", "mT"},
    {"wrap|up wrapped wrapped", "ein|packen", "P", "NKT", "mT"},
    {"bring|along brought brought", "mit|bringen bringt gebracht", "PA", "NKM", "T"},
    {"write|down wrote written", "auf|schreiben schreibt geschrieben", "P", "QX8", "mT"},
    {"hang|up hung hung", "auf|hängen", "P", "IC", "T"},
    {"clean", "putzen", "P", "qUOKV", "mcT"},
    {"wash", "waschen wäscht gewaschen", "P", "C7", "mT"},
    {"repair", "reparieren", "P", "VGU", "lmT"},
    {"find found found", "finden findet gefunden", "P", "NTKCPA", "lT"},
    {"look|for", "suchen", "P", "NTKCPA", "lT"},
    {"lose lost lost", "verlieren verliert verloren", "P", "NTC", "lN"},
    {"hide hid hidden", "verstecken", "P", "NTK", "lT"},
    {"visit", "besuchen", "P", "Pv", "cgT"},
    {"leave left left", "verlassen verlässt verlassen", "P", "RLP", ""},
    {"meet met met", "treffen trifft getroffen", "P", "P", "lgT"},
    {"love", "lieben =liebte", "P", "PABTWM", "S"},
    {"like", "mögen mag gemocht =mochte", "P", "PAFDTWRLC", "S"},
    {"know knew known", "kennen kennt gekannt =kannte", "P", "PRTXQ", "S"},
    {"need", "brauchen =brauchte", "P", "NTC7GUKM", "S"},
    {"have had had", "haben hat gehabt =hatte", "P", "A7NCMGQ", "S"},
    {"wear wore worn", "tragen trägt getragen", "P", "C", "lg"},
    {"carry carried carried", "tragen trägt getragen", "P", "NKU", "lmT"},
    {"cook", "kochen", "P", "Z", "lfgT"},
    {"bake", "backen backt gebacken", "P", "3", "lfgT"},
    {"paint", "malen", "P", "4", "lmgfT"},
    {"paint", "streichen streicht gestrichen", "P", "US", "mT"},
    {"build built built", "bauen", "P", "hS", "T"},
    {"hear heard heard", "hören", "P", "PAM8", "lN"},
    {"catch caught caught", "fangen fängt gefangen", "PA", "A", "T"},
    {"feed fed fed", "füttern füttert gefüttert", "P", "A", "lT"},
    {"plant", "pflanzen", "P", "B", "lT"},
    {"understand understood understood", "verstehen versteht verstanden", "P", "QTP", "N"},
    {"forget forgot forgotten", "vergessen vergisst vergessen", "P", "QNP", "N"},
    {"translate", "übersetzen übersetzt übersetzt", "P", "T", "mT"},
    {"photograph", "fotografieren", "P", "PARLVB", "gT"},
    {"break broke broken", "zerbrechen zerbricht zerbrochen", "P", "K", "l"},
};

const Row kDative[] = {
    {"help", "helfen hilft geholfen", "P", "P", "lgT"},
    {"thank", "danken", "P", "P", "T"},
    {"answer", "antworten", "P", "P", "mT"},
    {"follow", "folgen +sein", "PA", "PVA", "mT"},
    {"trust", "vertrauen", "P", "P", "N"},
    {"congratulate", "gratulieren", "P", "P", "T"},
    {"listen|to", "zu|hören", "P", "P", "gT"},
    {"belong|to", "gehören =gehörte", "C7MNKI", "P", "S"},
};

const Row kDitransitive[] = {
    {"give gave given", "geben gibt gegeben", "P", "NTFKIB", "T"},
    {"show showed shown", "zeigen", "P", "NTIRC", "T"},
    {"send sent sent", "schicken", "P", "TNI", "T"},
    {"lend lent lent", "leihen leiht geliehen", "P", "NT7M", "T"},
    {"bring brought brought", "bringen bringt gebracht", "P", "NTFDKB", "T"},
    {"tell told told", "erzählen", "P", "X", "gT"},
    {"explain", "erklären", "P", "QW", "T"},
    {"return", "zurück|geben gibt gegeben", "P", "NTKM", "T"},
    {"read|out read read", "vor|lesen liest gelesen", "P", "T", "gT"},
};

const PrepositionalRow kPrepositional[] = {
    {{"wait", "warten", "P", "PVE", "lT"}, "for", "auf", Case::kAccusative},
    {{"think thought thought", "denken denkt gedacht", "P", "PEQ", "T"},
     "of",
     "an",
     Case::kAccusative},
    {{"talk", "sprechen spricht gesprochen", "P", "PQEWT", "clT"},
     "about",
     "über",
     Case::kAccusative},
    {{"laugh", "lachen", "P", "PAWQ", ""}, "at", "über", Case::kAccusative},
    {{"dream", "träumen", "P", "PALJV", "l"}, "of", "von", Case::kDative},
    {{"look", "auf|passen", "P", "PA", "T"}, "after", "auf", Case::kAccusative},
    {{"take|part took taken", "teil|nehmen nimmt genommen", "P", "9", "T"},
     "in",
     "an",
     Case::kDative},
    {{"begin began begun", "an|fangen fängt gefangen", "P", "EQ", ""},
     "with",
     "mit",
     Case::kDative},
    {{"depend", "ab|hängen hängt gehangen =hing", "Q", "PQ", "S"}, "on", "von", Case::kDative},
};

const Row kPlace[] = {
    {"live", "wohnen", "P", "", ""},
    {"sit sat sat", "sitzen sitzt gesessen", "PA", "", "c"},
    {"stand stood stood", "stehen steht gestanden", "PA", "", ""},
    {"stay", "bleiben bleibt geblieben +sein", "PA", "", "cT"},
    {"lie lay lain", "liegen liegt gelegen", "NTC", "", ""},
    {"hang hung hung", "hängen hängt gehangen", "I", "", ""},
};

const Row kGoal[] = {
    {"go went gone", "gehen geht gegangen +sein", "P", "", "cmg"},
    {"run ran run", "laufen läuft gelaufen +sein", "PA", "", "m"},
    {"drive drove driven", "fahren fährt gefahren +sein", "P", "", "cmgCT"},
    {"come came come", "kommen kommt gekommen +sein", "P", "", "c"},
    {"travel", "reisen +sein", "P", "", "cgCT"},
    {"fly flew flown", "fliegen fliegt geflogen +sein", "P", "", "cgCT"},
};

const Row kPut[] = {
    {"put put put", "legen", "P", "TC", "mT"},
    {"put put put", "stellen", "P", "KU", "mT"},
};

const Row kPredicate[] = {
    {"be was been", "sein ist gewesen +sein =war", "", "", "S"},
    {"cost cost cost", "kosten =kostete", "C7GUMNTI", "", "S"},
    // "there is" takes an object in German: "es gibt".
    {"be was been", "geben gibt gegeben =gab", "", "", "S"},
    {"rain", "regnen regnet geregnet", "", "", ""},
    {"snow", "schneien", "", "", ""},
    // Verbs of saying and wanting, which take a clause.
    {"say said said", "sagen", "P", "", ""},
    {"think thought thought", "glauben", "P", "", ""},
    {"know knew known", "wissen weiß gewusst =wusste", "P", "", "S"},
    {"hope", "hoffen", "P", "", ""},
    {"ask", "fragen", "P", "", ""},
    {"try tried tried", "versuchen", "P", "", ""},
    {"plan planned planned", "vor|haben hat gehabt =hatte", "P", "", "S"},
    {"promise", "versprechen verspricht versprochen", "P", "", ""},
    {"forget forgot forgotten", "vergessen vergisst vergessen", "P", "", ""},
};

void Add(const Row& row, Frame frame, std::vector<Verb>* verbs) {
  verbs->push_back(MakeVerb(row.en, row.de, frame, row.subject, row.object, row.flags));
}

std::vector<Verb> MakeVerbs() {
  std::vector<Verb> verbs;
  for (const Row& row : kIntransitive) Add(row, Frame::kNone, &verbs);
  for (const Row& row : kAccusative) Add(row, Frame::kAccusative, &verbs);
  for (const Row& row : kDative) Add(row, Frame::kDative, &verbs);
  for (const Row& row : kDitransitive) Add(row, Frame::kDitransitive, &verbs);
  for (const PrepositionalRow& entry : kPrepositional) {
    Add(entry.row, Frame::kPrepositional, &verbs);
    verbs.back().en_preposition = entry.en_preposition;
    verbs.back().de_preposition = entry.de_preposition;
    verbs.back().preposition_case = entry.grammatical_case;
  }
  for (const Row& row : kPlace) Add(row, Frame::kPlace, &verbs);
  for (const Row& row : kGoal) Add(row, Frame::kGoal, &verbs);
  for (const Row& row : kPut) Add(row, Frame::kPut, &verbs);
  for (const Row& row : kPredicate) Add(row, Frame::kPredicate, &verbs);
  return verbs;
}

}  // namespace

const std::vector<Verb>& Verbs() {
  static const std::vector<Verb> verbs = MakeVerbs();
  return verbs;
}

}  // namespace nmt::grammar
