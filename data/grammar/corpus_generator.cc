#include "data/grammar/corpus_generator.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "data/grammar/combinations.h"
#include "data/grammar/english.h"
#include "data/grammar/german.h"
#include "data/grammar/sentence_sampler.h"

namespace nmt::grammar {
namespace {

// Training sentences have at most this many words on either side; long test sentences have more.
constexpr size_t kMaxTrainingWords = 16;
constexpr size_t kMaxLongWords = 32;

// Every word form of the other parts occurs at least this often in training.
constexpr int kKnownFrom = 5;

struct Candidate {
  SentencePair pair;
  size_t source_words = 0;
  size_t target_words = 0;
  std::vector<std::string> combinations;
  bool has_reserved = false;
};

std::vector<std::string> Split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A word without its punctuation, whose capital the start of a sentence may have given it.
std::string WordForm(std::string word) {
  while (!word.empty() && (word.back() == ',' || word.back() == '.' || word.back() == '?')) {
    word.pop_back();
  }
  for (char& letter : word) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return word;
}

Candidate Draw(Random* random, Draft::Mode mode, bool is_long) {
  Draft draft(random, mode);
  SentenceSampler sampler(&draft);
  const Sentence sentence = is_long ? sampler.DrawLong() : sampler.Draw();
  const Words source = EnglishClause(sentence.clause, EnglishOrder::kMain);
  const Words target = GermanClause(sentence.clause, GermanOrder::kVerbSecond);
  Candidate candidate;
  candidate.pair = {Render(source, sentence.final_mark), Render(target, sentence.final_mark),
                    Links(source, target)};
  candidate.source_words = Split(candidate.pair.source).size();
  candidate.target_words = Split(candidate.pair.target).size();
  for (const Combination& combination : CombinationsOf(sentence.clause)) {
    candidate.combinations.push_back(Describe(combination));
    candidate.has_reserved = candidate.has_reserved || IsReserved(combination);
  }
  return candidate;
}

// Collects the parts of the corpus and keeps track of what they hold.
class Builder {
 public:
  explicit Builder(uint64_t seed) : random_(seed) {}

  std::vector<SentencePair> Train(int size) {
    return Collect(size, Draft::Mode::kPlain, false, [this](const Candidate& candidate) {
      if (!IsShort(candidate) || candidate.has_reserved) return false;
      combinations_.insert(candidate.combinations.begin(), candidate.combinations.end());
      Learn(candidate.pair.source, &source_forms_);
      Learn(candidate.pair.target, &target_forms_);
      return true;
    });
  }

  std::vector<SentencePair> Seen(int size) {
    return Collect(size, Draft::Mode::kPlain, false, [this](const Candidate& candidate) {
      return IsShort(candidate) && !candidate.has_reserved && HasKnownForms(candidate) &&
             std::all_of(candidate.combinations.begin(), candidate.combinations.end(),
                         [this](const std::string& c) { return combinations_.count(c) > 0; });
    });
  }

  std::vector<SentencePair> Unseen(int size, bool is_long) {
    return Collect(size, Draft::Mode::kWithReserved, is_long, [&](const Candidate& candidate) {
      const bool length = is_long ? IsLong(candidate) : IsShort(candidate);
      return length && candidate.has_reserved && HasKnownForms(candidate);
    });
  }

 private:
  static bool IsShort(const Candidate& candidate) {
    return candidate.source_words <= kMaxTrainingWords &&
           candidate.target_words <= kMaxTrainingWords;
  }

  static bool IsLong(const Candidate& candidate) {
    return candidate.source_words > kMaxTrainingWords &&
           candidate.target_words > kMaxTrainingWords && candidate.source_words <= kMaxLongWords &&
           candidate.target_words <= kMaxLongWords;
  }

  static void Learn(const std::string& line, std::map<std::string, int>* forms) {
    for (const std::string& word : Split(line)) ++(*forms)[WordForm(word)];
  }

  static bool Knows(const std::string& line, const std::map<std::string, int>& forms) {
    const std::vector<std::string> words = Split(line);
    return std::all_of(words.begin(), words.end(), [&forms](const std::string& word) {
      const auto found = forms.find(WordForm(word));
      return found != forms.end() && found->second >= kKnownFrom;
    });
  }

  bool HasKnownForms(const Candidate& candidate) const {
    return Knows(candidate.pair.source, source_forms_) &&
           Knows(candidate.pair.target, target_forms_);
  }

  // Draws until `size` candidates are new on both sides and suit the part.  The attempts are
  // bounded, so that more sentences than the grammar has end in a short part and not in a hang.
  template <typename Accepts>
  std::vector<SentencePair> Collect(int size, Draft::Mode mode, bool is_long,
                                    const Accepts& accepts) {
    std::vector<SentencePair> part;
    const int64_t attempts = int64_t{200} * size;
    for (int64_t i = 0; i < attempts && static_cast<int>(part.size()) < size; ++i) {
      Candidate candidate = Draw(&random_, mode, is_long);
      if (sources_.count(candidate.pair.source) > 0) continue;
      if (targets_.count(candidate.pair.target) > 0) continue;
      if (!accepts(candidate)) continue;
      sources_.insert(candidate.pair.source);
      targets_.insert(candidate.pair.target);
      part.push_back(std::move(candidate.pair));
    }
    return part;
  }

  Random random_;
  std::set<std::string> sources_, targets_;
  std::set<std::string> combinations_;
  std::map<std::string, int> source_forms_, target_forms_;
};

}  // namespace

Corpus Generate(uint64_t seed, const CorpusSizes& sizes) {
  Builder builder(seed);
  Corpus corpus;
  corpus.train = builder.Train(sizes.train);
  corpus.valid = builder.Seen(sizes.valid);
  corpus.test_seen = builder.Seen(sizes.test_seen);
  const int longer = sizes.test_unseen * 3 / 10;
  corpus.test_unseen = builder.Unseen(sizes.test_unseen - longer, false);
  for (SentencePair& pair : builder.Unseen(longer, true)) {
    corpus.test_unseen.push_back(std::move(pair));
  }
  return corpus;
}

}  // namespace nmt::grammar
