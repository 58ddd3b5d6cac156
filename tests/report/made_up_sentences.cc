#include "tests/report/made_up_sentences.h"

namespace nmt {
namespace {

struct WordPair {
  const char* source;
  const char* target;
};

// Masculine, so that one article does.
constexpr WordPair kNouns[] = {
    {"dog", "Hund"},       {"baker", "Bäcker"},   {"gardener", "Gärtner"},
    {"bird", "Vogel"},     {"teacher", "Lehrer"}, {"neighbour", "Nachbar"},
    {"sailor", "Seemann"}, {"fox", "Fuchs"},      {"letter", "Brief"}};
constexpr WordPair kAdjectives[] = {{"old", "alte"},     {"tired", "müde"},   {"small", "kleine"},
                                    {"clever", "kluge"}, {"quiet", "stille"}, {"red", "rote"}};
constexpr WordPair kVerbs[] = {{"sees", "sieht"},
                               {"finds", "findet"},
                               {"carries", "trägt"},
                               {"follows", "sucht"},
                               {"hears", "hört"}};
constexpr WordPair kPlaces[] = {{"garden", "Garten"}, {"forest", "Wald"}, {"harbour", "Hafen"}};
constexpr WordPair kParticiples[] = {
    {"slept", "geschlafen"}, {"laughed", "gelacht"}, {"waited", "gewartet"}};

template <size_t N>
WordPair Draw(const WordPair (&words)[N], SplitMix64& random) {
  return words[random.Below(N)];
}

// Both sides as they grow, word by word.
class PairBuilder {
 public:
  void Add(const char* source, const char* target) {
    pair_.gold.push_back({source_, target_, false});
    AddSource(source);
    AddTarget(target);
  }
  void Add(const WordPair& words) { Add(words.source, words.target); }
  // Two words that change places: "has slept", "geschlafen hat".
  void AddCrossed(const WordPair& first, const WordPair& second) {
    pair_.gold.push_back({source_, target_ + 1, false});
    pair_.gold.push_back({source_ + 1, target_, false});
    AddSource(first.source);
    AddSource(second.source);
    AddTarget(second.target);
    AddTarget(first.target);
  }
  MadeUpPair Take() {
    pair_.gold = SortedLinks(pair_.gold);
    return pair_;
  }

 private:
  void AddSource(const char* word) {
    pair_.source += std::string(source_++ == 0 ? "" : " ") + word;
  }
  void AddTarget(const char* word) {
    pair_.reference += std::string(target_++ == 0 ? "" : " ") + word;
  }

  MadeUpPair pair_;
  int64_t source_ = 0, target_ = 0;
};

void AddSubject(PairBuilder& builder, SplitMix64& random) {
  builder.Add("the", "der");
  if (random.Below(2) == 0) builder.Add(Draw(kAdjectives, random));
  builder.Add(Draw(kNouns, random));
}

MadeUpPair PairOfClauses(uint64_t more, SplitMix64& random) {
  PairBuilder builder;
  AddSubject(builder, random);
  builder.Add(Draw(kVerbs, random));
  builder.Add("the", "den");
  builder.Add(Draw(kNouns, random));
  if (random.Below(2) == 0) {
    builder.Add("in", "in");
    builder.Add("the", "dem");
    builder.Add(Draw(kPlaces, random));
  }
  for (; more > 0; --more) {
    builder.Add(",", ",");
    builder.Add("because", "weil");
    AddSubject(builder, random);
    builder.AddCrossed({"has", "hat"}, Draw(kParticiples, random));
  }
  builder.Add(".", ".");
  return builder.Take();
}

}  // namespace

const std::vector<MadeUpPair>& HandWrittenPairs() {
  static const std::vector<MadeUpPair> pairs = {
      {"she has given the old sailor the letter back .",
       "sie hat dem alten Seemann den Brief zurückgegeben .",
       {{0, 0}, {1, 1}, {2, 7}, {3, 2}, {4, 3}, {5, 4}, {6, 5}, {7, 6}, {8, 7, true}, {9, 8}}},
      {"yesterday the children ran home .",
       "gestern liefen die Kinder nach Hause .",
       {{0, 0}, {1, 2}, {2, 3}, {3, 1}, {4, 4, true}, {4, 5}, {5, 6}}},
      {"die Katze sieht den Mond", "猫 看 月亮", {{1, 0}, {2, 1}, {3, 2, true}, {4, 2}}},
      {"猫 喜欢 安静 的 花园",
       "the cat likes the quiet garden",
       {{0, 0, true}, {0, 1}, {1, 2}, {2, 4}, {3, 3, true}, {4, 5}}},
      {"قرأت البنت كتابا جديدا",
       "the girl read a new book",
       {{0, 2}, {1, 0, true}, {1, 1}, {2, 5}, {3, 4}}},
      {"the boy wrote a long letter",
       "הילד כתב מכתב ארוך",
       {{0, 0, true}, {1, 0}, {2, 1}, {4, 3}, {5, 2}}},
      {"बिल्ली चाँद देखती है",
       "the cat looks at the moon",
       {{0, 0, true}, {0, 1}, {1, 5}, {1, 4, true}, {2, 2}, {3, 2, true}}},
  };
  return pairs;
}

MadeUpPair GeneratedPair(SplitMix64& random) { return PairOfClauses(random.Below(4), random); }

MadeUpPair LongPair(SplitMix64& random) { return PairOfClauses(50, random); }

}  // namespace nmt
