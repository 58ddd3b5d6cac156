#include "nmt/metrics/chrf.h"

#include <fmt/format.h>

#include "nmt/metrics/characters.h"
#include "nmt/metrics/pairs.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

constexpr double kBetaSquared = 2 * 2;

bool IsPunctuation(std::string_view character) {
  constexpr std::string_view kPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  return character.size() == 1 && kPunctuation.find(character[0]) != std::string_view::npos;
}

// Words with one punctuation mark cut off: at the end, or else at the beginning. "(hi)" gives "(hi"
// and ")", as in the metric's first implementation.
std::vector<std::string_view> ChrfWords(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : SplitWords(line)) {
    const std::string_view first = CharacterAt(word, 0).bytes;
    const std::string_view last = word.substr(word.size() - 1);
    if (word.size() == first.size()) {
      words.push_back(word);
    } else if (IsPunctuation(last)) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(last);
    } else if (IsPunctuation(first)) {
      words.push_back(first);
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

NgramCounts CountOrder(const UnitSequence& hypothesis, const UnitSequence& reference, int64_t n) {
  NgramCounts counts = CountNgrams(hypothesis, reference, n);
  if (counts.reference == 0) counts.hypothesis = 0;
  return counts;
}

}  // namespace

ChrfStatistics& ChrfStatistics::operator+=(const ChrfStatistics& other) {
  for (size_t i = 0; i < orders.size(); ++i) orders[i] += other.orders[i];
  return *this;
}

ChrfStatistics& ChrfStatistics::operator-=(const ChrfStatistics& other) {
  for (size_t i = 0; i < orders.size(); ++i) orders[i] -= other.orders[i];
  return *this;
}

ChrfStatistics CountChrf(std::string_view hypothesis, std::string_view reference,
                         const ChrfOptions& options) {
  if (options.lowercase) {
    return CountChrf(LowerCase(hypothesis), LowerCase(reference),
                     {.lowercase = false, .word_ngrams = options.word_ngrams});
  }
  ChrfStatistics statistics;
  const UnitSequence hypothesis_characters(SplitCharacters(hypothesis), "");
  const UnitSequence reference_characters(SplitCharacters(reference), "");
  for (int64_t n = 1; n <= kChrfCharacterOrders; ++n) {
    statistics.orders[n - 1] = CountOrder(hypothesis_characters, reference_characters, n);
  }
  if (!options.word_ngrams) return statistics;
  const UnitSequence hypothesis_words(ChrfWords(hypothesis), " ");
  const UnitSequence reference_words(ChrfWords(reference), " ");
  for (int64_t n = 1; n <= kChrfWordOrders; ++n) {
    statistics.orders[kChrfCharacterOrders + n - 1] =
        CountOrder(hypothesis_words, reference_words, n);
  }
  return statistics;
}

absl::StatusOr<std::vector<ChrfStatistics>> CountChrfPerSentence(
    const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
    const ChrfOptions& options) {
  NMT_RETURN_IF_ERROR(CheckEqualLineCounts(hypotheses, references));
  std::vector<ChrfStatistics> statistics;
  statistics.reserve(hypotheses.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    statistics.push_back(CountChrf(hypotheses[i], references[i], options));
  }
  return statistics;
}

ChrfScore ComputeChrf(const ChrfStatistics& statistics) {
  ChrfScore chrf;
  chrf.statistics = statistics;
  int64_t orders = 0;
  double precision = 0;
  double recall = 0;
  for (const NgramCounts& counts : statistics.orders) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += static_cast<double>(counts.matches) / counts.hypothesis;
    recall += static_cast<double>(counts.matches) / counts.reference;
    ++orders;
  }
  if (precision + recall == 0) return chrf;
  precision /= orders;
  recall /= orders;
  chrf.precision = 100 * precision;
  chrf.recall = 100 * recall;
  chrf.score = 100 * (1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall);
  return chrf;
}

absl::StatusOr<ChrfScore> CorpusChrf(const std::vector<std::string>& hypotheses,
                                     const std::vector<std::string>& references,
                                     const ChrfOptions& options) {
  NMT_ASSIGN_OR_RETURN(const std::vector<ChrfStatistics> sentences,
                       CountChrfPerSentence(hypotheses, references, options));
  ChrfStatistics sum;
  for (const ChrfStatistics& sentence : sentences) sum += sentence;
  return ComputeChrf(sum);
}

std::string_view ChrfName(const ChrfOptions& options) {
  return options.word_ngrams ? "chrF2++" : "chrF2";
}

std::string ChrfSignature(const ChrfOptions& options) {
  return fmt::format("nrefs:1|case:{}|eff:yes|nc:{}|nw:{}|space:no|version:nmt-{}",
                     options.lowercase ? "lc" : "mixed", kChrfCharacterOrders,
                     options.word_ngrams ? kChrfWordOrders : 0, NMT_VERSION);
}

std::string FormatChrf(const ChrfScore& score, const ChrfOptions& options) {
  return fmt::format("{}|{} = {:.2f}", ChrfName(options), ChrfSignature(options), score.score);
}

}  // namespace nmt
