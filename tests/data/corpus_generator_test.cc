#include "data/grammar/corpus_generator.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "data/grammar/draft.h"
#include "data/grammar/german_morphology.h"
#include "data/grammar/sentence_sampler.h"
#include "gtest/gtest.h"

namespace nmt::grammar {
namespace {

constexpr uint64_t kSeed = 1;

const Corpus& TheCorpus() {
  static const Corpus corpus = Generate(kSeed, CorpusSizes{});
  return corpus;
}

std::vector<const std::vector<SentencePair>*> Parts(const Corpus& corpus) {
  return {&corpus.train, &corpus.valid, &corpus.test_seen, &corpus.test_unseen};
}

std::vector<std::string> Split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string WordForm(std::string word) {
  while (!word.empty() && std::string(",.?").find(word.back()) != std::string::npos) {
    word.pop_back();
  }
  for (char& letter : word) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return word;
}

std::set<std::string> WordForms(const std::vector<SentencePair>& pairs,
                                std::string SentencePair::*side) {
  std::set<std::string> forms;
  for (const SentencePair& pair : pairs) {
    for (const std::string& word : Split(pair.*side)) forms.insert(WordForm(word));
  }
  return forms;
}

uint64_t Hash(const Corpus& corpus) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  const auto add = [&hash](const std::string& text) {
    for (char byte : text + "\n") {
      hash ^= static_cast<unsigned char>(byte);
      hash *= 0x100000001B3ULL;
    }
  };
  for (const auto* part : Parts(corpus)) {
    for (const SentencePair& pair : *part) {
      add(pair.source);
      add(pair.target);
      add(pair.links);
    }
  }
  return hash;
}

int CountLines(const std::vector<SentencePair>& pairs, std::string SentencePair::*side,
               const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<int>(std::count_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return std::regex_search(pair.*side, expression);
  }));
}

// --- The whole corpus -------------------------------------------------------------------------

TEST(CorpusGenerator, SameSeedGivesTheSameBytes) {
  EXPECT_EQ(Hash(TheCorpus()), Hash(Generate(kSeed, CorpusSizes{})));
}

TEST(CorpusGenerator, GivesTheBytesThatEveryMachineGives) {
  EXPECT_EQ(Hash(TheCorpus()), 0xE0E2F53B20CE46BCULL);
}

TEST(CorpusGenerator, AnotherSeedGivesAnotherCorpus) {
  const CorpusSizes small{100, 10, 10, 10};
  EXPECT_NE(Hash(Generate(1, small)), Hash(Generate(2, small)));
}

TEST(CorpusGenerator, GivesTheSizesAskedFor) {
  EXPECT_EQ(TheCorpus().train.size(), 24000u);
  EXPECT_EQ(TheCorpus().valid.size(), 1000u);
  EXPECT_EQ(TheCorpus().test_seen.size(), 500u);
  EXPECT_EQ(TheCorpus().test_unseen.size(), 500u);
  const Corpus small = Generate(kSeed, CorpusSizes{2000, 20, 10, 10});
  EXPECT_EQ(small.train.size(), 2000u);
  EXPECT_EQ(small.valid.size(), 20u);
  EXPECT_EQ(small.test_seen.size(), 10u);
  EXPECT_EQ(small.test_unseen.size(), 10u);
}

TEST(CorpusGenerator, NoLineOccursTwiceOnEitherSide) {
  std::set<std::string> sources, targets;
  for (const auto* part : Parts(TheCorpus())) {
    for (const SentencePair& pair : *part) {
      EXPECT_TRUE(sources.insert(pair.source).second) << pair.source;
      EXPECT_TRUE(targets.insert(pair.target).second) << pair.target;
    }
  }
}

TEST(CorpusGenerator, OneSourceHasOneTargetWhateverTheSeed) {
  std::map<std::string, std::string> translations;
  for (uint64_t seed : {kSeed + 1, kSeed + 2}) {
    for (const SentencePair& pair : Generate(seed, CorpusSizes{}).train) {
      const auto [found, is_new] = translations.emplace(pair.source, pair.target);
      if (!is_new) {
        EXPECT_EQ(found->second, pair.target) << pair.source;
      }
    }
  }
}

TEST(CorpusGenerator, TrainingHasManyWordForms) {
  EXPECT_GE(WordForms(TheCorpus().train, &SentencePair::source).size(), 900u);
  EXPECT_GE(WordForms(TheCorpus().train, &SentencePair::target).size(), 900u);
}

TEST(CorpusGenerator, EveryOtherPartUsesTrainingWordFormsOnly) {
  for (std::string SentencePair::*side : {&SentencePair::source, &SentencePair::target}) {
    const std::set<std::string> known = WordForms(TheCorpus().train, side);
    for (const auto* part : Parts(TheCorpus())) {
      for (const std::string& form : WordForms(*part, side)) {
        EXPECT_EQ(known.count(form), 1u) << form;
      }
    }
  }
}

TEST(CorpusGenerator, SentencesLookLikeSentences) {
  for (const auto* part : Parts(TheCorpus())) {
    for (const SentencePair& pair : *part) {
      for (const std::string& line : {pair.source, pair.target}) {
        EXPECT_TRUE(line.back() == '.' || line.back() == '?') << line;
        EXPECT_FALSE(line[0] >= 'a' && line[0] <= 'z') << line;
        for (const char* wrong : {"  ", " ,", " .", ",,", ",.", "#"}) {
          EXPECT_EQ(line.find(wrong), std::string::npos) << line;
        }
      }
      EXPECT_EQ(pair.source.back(), pair.target.back());
    }
  }
}

TEST(CorpusGenerator, EveryLinkPointsAtAWordAndEveryTargetWordHasOne) {
  for (const auto* part : Parts(TheCorpus())) {
    for (const SentencePair& pair : *part) {
      const size_t source_size = Split(pair.source).size();
      const size_t target_size = Split(pair.target).size();
      std::set<size_t> linked;
      for (const std::string& link : Split(pair.links)) {
        std::istringstream stream(link);
        size_t source = 0;
        size_t target = 0;
        char kind = 0;
        ASSERT_TRUE(stream >> source >> kind >> target) << link;
        EXPECT_TRUE(kind == '-' || kind == 'p') << link;
        EXPECT_LT(source, source_size) << pair.source;
        EXPECT_LT(target, target_size) << pair.target;
        linked.insert(target);
      }
      EXPECT_EQ(linked.size(), target_size) << pair.source << " / " << pair.target;
    }
  }
}

TEST(CorpusGenerator, EachPhenomenonOccursInTraining) {
  const struct {
    const char* name;
    std::string SentencePair::*side;
    const char* pattern;
    int at_least;
  } cases[] = {
      {"separable verb", &SentencePair::target, " (auf|zu|ab|an|ein|aus|weg|mit|zurück)[.?]", 500},
      {"separable infinitive", &SentencePair::target, "(auf|zu|ab|an|ein|aus|weg)zu[a-z]+en", 100},
      {"weil", &SentencePair::target, "[Ww]eil ", 500},
      {"dass", &SentencePair::target, ", dass ", 300},
      {"wenn", &SentencePair::target, "[Ww]enn ", 300},
      {"als", &SentencePair::target, "(, als|^Als) ", 200},
      {"subordinate clause first", &SentencePair::source, "^(Because|Although|When|If) ", 500},
      {"relative clause", &SentencePair::target, ", (der|die|das|den|dem|denen) ", 300},
      {"relative after a preposition", &SentencePair::target, ", (in|auf|über|von) (der|den|dem) ",
       30},
      {"perfect with haben", &SentencePair::target, "(hat|haben|habe) .*ge", 1000},
      {"perfect with sein", &SentencePair::target, "(ist|sind|bin) .*ge(gangen|fahren|reist)", 100},
      {"modal", &SentencePair::target, "(kann|muss|sollte|will|konnte|wollte|musste) ", 500},
      {"future", &SentencePair::target, "(wird|werden|werde) ", 300},
      {"kein", &SentencePair::target, "[Kk]ein", 300},
      {"nicht", &SentencePair::target, " nicht", 1000},
      {"do-support in questions", &SentencePair::source, "^(Do|Does|Did) ", 300},
      {"do-support in negation", &SentencePair::source, " (do|does|did) not ", 1000},
      {"question word", &SentencePair::source, "^(Who|What|Whom|Where|Why|When|Which|How) .*\\?$",
       500},
      {"request", &SentencePair::target, "^[A-Z][a-zäöüß]+ Sie .*bitte", 200},
      {"compound", &SentencePair::target, "(Bushaltestelle|Küchentisch|Waschmaschine)", 100},
      {"im", &SentencePair::target, "[Ii]m ", 300},
      {"ins", &SentencePair::target, "[Ii]ns ", 50},
      {"am", &SentencePair::target, "[Aa]m ", 300},
      {"ans", &SentencePair::target, " ans ", 30},
      {"zum", &SentencePair::target, " zum ", 50},
      {"zur", &SentencePair::target, " zur ", 50},
      {"vom", &SentencePair::target, " vom ", 30},
      {"beim", &SentencePair::target, "[Bb]eim ", 30},
      {"gern", &SentencePair::target, " gern", 100},
      {"there is", &SentencePair::source, "[Tt]here (is|are|was|were) ", 200},
      {"comparison", &SentencePair::source, " than ", 100},
      {"number in digits", &SentencePair::source, " [0-9]+ ", 200},
      {"purpose", &SentencePair::target, ", um ", 200},
      {"it", &SentencePair::source, " it", 300},
  };
  for (const auto& test : cases) {
    EXPECT_GE(CountLines(TheCorpus().train, test.side, test.pattern), test.at_least) << test.name;
  }
}

TEST(CorpusGenerator, LongTestSentencesAreLongerThanAllOfTraining) {
  for (std::string SentencePair::*side : {&SentencePair::source, &SentencePair::target}) {
    size_t longest = 0;
    for (const SentencePair& pair : TheCorpus().train) {
      longest = std::max(longest, Split(pair.*side).size());
    }
    const auto longer =
        std::count_if(TheCorpus().test_unseen.begin(), TheCorpus().test_unseen.end(),
                      [&](const SentencePair& pair) { return Split(pair.*side).size() > longest; });
    EXPECT_GE(longer, 150);
  }
}

// --- Reserved combinations --------------------------------------------------------------------

// Finds "adjective noun" in a line by its words alone, without help from the generator.
bool ShowsReservedAdjective(const std::string& source) {
  const std::vector<std::string> words = Split(source);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    for (const Noun& noun : Nouns()) {
      if (noun.en.find(' ') != std::string::npos) continue;
      const std::string form = WordForm(words[i + 1]);
      if (form != noun.en && form != noun.en_plural) continue;
      // "car door": the first word of a compound is no noun of its own.
      if (i + 2 < words.size() && words[i + 1] == WordForm(words[i + 1])) {
        const std::string two = form + " " + WordForm(words[i + 2]);
        const bool compound = std::any_of(Nouns().begin(), Nouns().end(), [&](const Noun& other) {
          return other.en == two || other.en_plural == two;
        });
        if (compound) continue;
      }
      if (IsReserved({CombinationKind::kAdjectiveNoun, words[i], noun.en}) &&
          std::any_of(Adjectives().begin(), Adjectives().end(),
                      [&](const Adjective& adjective) { return adjective.en == words[i]; })) {
        return true;
      }
    }
  }
  return false;
}

TEST(CorpusGenerator, OnlyTheUnseenTestShowsReservedAdjectives) {
  const Corpus& corpus = TheCorpus();
  for (const auto* part : {&corpus.train, &corpus.valid, &corpus.test_seen}) {
    for (const SentencePair& pair : *part) {
      EXPECT_FALSE(ShowsReservedAdjective(pair.source)) << pair.source;
    }
  }
  const auto shown =
      std::count_if(corpus.test_unseen.begin(), corpus.test_unseen.end(),
                    [](const SentencePair& pair) { return ShowsReservedAdjective(pair.source); });
  EXPECT_GE(shown, 100);
}

TEST(Draft, PlainSentencesKeepToUnreservedCombinations) {
  Random random(7);
  const Draft plain(&random, Draft::Mode::kPlain);
  const Draft reserved(&random, Draft::Mode::kWithReserved);
  int count = 0;
  int total = 0;
  for (const Adjective& adjective : Adjectives()) {
    for (const Noun& noun : Nouns()) {
      const Combination pair{CombinationKind::kAdjectiveNoun, adjective.en, noun.en};
      const bool is_reserved = IsReserved(pair);
      EXPECT_EQ(plain.MayCombine(pair, false), !is_reserved);
      EXPECT_EQ(reserved.MayCombine(pair, true), is_reserved);
      EXPECT_TRUE(reserved.MayCombine(pair, false));
      count += is_reserved ? 1 : 0;
      ++total;
    }
  }
  // About one in nine.
  EXPECT_NEAR(static_cast<double>(count) / total, 1.0 / 9, 0.02);
}

// Verbs with one German sense, by their third person and past.
std::map<std::string, const Verb*> PlainTransitiveForms() {
  std::map<std::string, const Verb*> forms;
  for (const Verb& verb : Verbs()) {
    const auto senses = std::count_if(Verbs().begin(), Verbs().end(), [&](const Verb& other) {
      return other.en == verb.en || other.en_past == verb.en_past;
    });
    if (senses != 1 || verb.frame != Frame::kAccusative || !verb.en_particle.empty()) continue;
    forms[verb.en_third] = &verb;
    forms[verb.en_past] = &verb;
  }
  return forms;
}

// Finds "visits the museum" and its like, again by the words alone.
bool ShowsReservedObject(const std::string& source,
                         const std::map<std::string, const Verb*>& verbs) {
  const std::vector<std::string> words = Split(source);
  for (size_t i = 0; i + 2 < words.size(); ++i) {
    const auto verb = verbs.find(words[i]);
    if (verb == verbs.end() || (words[i + 1] != "the" && words[i + 1] != "a")) continue;
    const std::string form = WordForm(words[i + 2]);
    // The last word of the phrase only, so as to leave compounds alone.
    if (i + 3 < words.size() && form == words[i + 2]) continue;
    for (const Noun& noun : Nouns()) {
      if (form != noun.en && form != noun.en_plural) continue;
      if (IsReserved({CombinationKind::kVerbObject, VerbKey(*verb->second), noun.en})) return true;
    }
  }
  return false;
}

TEST(CorpusGenerator, OnlyTheUnseenTestShowsReservedObjects) {
  const std::map<std::string, const Verb*> verbs = PlainTransitiveForms();
  ASSERT_GE(verbs.size(), 40u);
  const Corpus& corpus = TheCorpus();
  for (const auto* part : {&corpus.train, &corpus.valid, &corpus.test_seen}) {
    for (const SentencePair& pair : *part) {
      EXPECT_FALSE(ShowsReservedObject(pair.source, verbs)) << pair.source;
    }
  }
  const auto shown = std::count_if(
      corpus.test_unseen.begin(), corpus.test_unseen.end(),
      [&](const SentencePair& pair) { return ShowsReservedObject(pair.source, verbs); });
  EXPECT_GE(shown, 10);
}

TEST(SentenceSampler, PlainSentencesHaveNoReservedCombination) {
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    Draft draft(&random, Draft::Mode::kPlain);
    const Sentence sentence = SentenceSampler(&draft).Draw();
    for (const Combination& combination : CombinationsOf(sentence.clause)) {
      EXPECT_FALSE(IsReserved(combination)) << Describe(combination);
    }
  }
}

}  // namespace
}  // namespace nmt::grammar
