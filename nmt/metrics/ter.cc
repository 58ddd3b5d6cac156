#include "nmt/metrics/ter.h"

#include <fmt/format.h>

#include <unordered_map>

#include "nmt/metrics/characters.h"
#include "nmt/metrics/pairs.h"
#include "nmt/metrics/tercom.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

using WordNumbers = std::unordered_map<std::string_view, int32_t>;

std::vector<int32_t> Numbered(std::string_view line, WordNumbers& numbers) {
  std::vector<int32_t> words;
  for (const std::string_view word : SplitWords(line)) {
    words.push_back(numbers.try_emplace(word, static_cast<int32_t>(numbers.size())).first->second);
  }
  return words;
}

}  // namespace

TerStatistics& TerStatistics::operator+=(const TerStatistics& other) {
  edits += other.edits;
  reference_length += other.reference_length;
  return *this;
}

TerStatistics& TerStatistics::operator-=(const TerStatistics& other) {
  edits -= other.edits;
  reference_length -= other.reference_length;
  return *this;
}

TerStatistics CountTer(std::string_view hypothesis, std::string_view reference,
                       const TerOptions& options) {
  if (!options.case_sensitive) {
    return CountTer(LowerCase(hypothesis), LowerCase(reference), {.case_sensitive = true});
  }
  WordNumbers numbers;
  const std::vector<int32_t> hypothesis_words = Numbered(hypothesis, numbers);
  const std::vector<int32_t> reference_words = Numbered(reference, numbers);
  return {.edits = CountEditsWithShifts(hypothesis_words, reference_words),
          .reference_length = static_cast<int64_t>(reference_words.size())};
}

absl::StatusOr<std::vector<TerStatistics>> CountTerPerSentence(
    const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
    const TerOptions& options) {
  NMT_RETURN_IF_ERROR(CheckEqualLineCounts(hypotheses, references));
  std::vector<TerStatistics> statistics;
  statistics.reserve(hypotheses.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    statistics.push_back(CountTer(hypotheses[i], references[i], options));
  }
  return statistics;
}

TerScore ComputeTer(const TerStatistics& statistics) {
  TerScore ter{.score = 0, .statistics = statistics};
  if (statistics.reference_length > 0) {
    // In this order, for sacreBLEU's last digit.
    ter.score = 100 * (static_cast<double>(statistics.edits) / statistics.reference_length);
  } else if (statistics.edits > 0) {
    ter.score = 100;
  }
  return ter;
}

absl::StatusOr<TerScore> CorpusTer(const std::vector<std::string>& hypotheses,
                                   const std::vector<std::string>& references,
                                   const TerOptions& options) {
  NMT_ASSIGN_OR_RETURN(const std::vector<TerStatistics> sentences,
                       CountTerPerSentence(hypotheses, references, options));
  TerStatistics sum;
  for (const TerStatistics& sentence : sentences) sum += sentence;
  return ComputeTer(sum);
}

std::string TerSignature(const TerOptions& options) {
  return fmt::format("nrefs:1|case:{}|tok:tercom|norm:no|punct:yes|asian:no|version:nmt-{}",
                     options.case_sensitive ? "mixed" : "lc", NMT_VERSION);
}

std::string FormatTer(const TerScore& score, const TerOptions& options) {
  return fmt::format("TER|{} = {:.2f}", TerSignature(options), score.score);
}

}  // namespace nmt
