// chrF2 (Popović, 2015) and chrF2++ (Popović, 2017), to the last digit as sacreBLEU 2.6.0 gives
// them, against one reference: the F-score of character n-grams, recall counting twice.
//
//   absl::StatusOr<ChrfScore> chrf = CorpusChrf(hypotheses, references);
//   fmt::print("{}\n", FormatChrf(*chrf, {}));
//   // chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:nmt-0.1.0 = 61.28
//
//   chrF = (1 + b^2) P R / (b^2 P + R),   b = 2,   P and R averaged over the n-gram orders.
//
// White space is left out. It needs no tokeniser, so it compares languages without blanks as well.
#ifndef NMT_METRICS_CHRF_H_
#define NMT_METRICS_CHRF_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/metrics/ngrams.h"

namespace nmt {

inline constexpr int64_t kChrfCharacterOrders = 6;
inline constexpr int64_t kChrfWordOrders = 2;

struct ChrfOptions {
  bool lowercase = false;
  bool word_ngrams = false;  // words and pairs of words count as well: chrF2++
};

// What chrF needs to know of a sentence, or of any set of sentences: the sum.
struct ChrfStatistics {
  // Character orders 1 to 6, then word orders 1 and 2 (zero without word_ngrams). Where a
  // sentence's reference is too short for an order, its hypothesis' n-grams of that order are left
  // out, as sacreBLEU does: they are neither right nor wrong.
  std::array<NgramCounts, kChrfCharacterOrders + kChrfWordOrders> orders{};

  ChrfStatistics& operator+=(const ChrfStatistics& other);
  ChrfStatistics& operator-=(const ChrfStatistics& other);
  bool operator==(const ChrfStatistics&) const = default;
};

struct ChrfScore {
  double score = 0;      // 0 to 100
  double precision = 0;  // percent, averaged over the orders that both sides have
  double recall = 0;
  ChrfStatistics statistics;
};

// The statistics of one pair.
ChrfStatistics CountChrf(std::string_view hypothesis, std::string_view reference,
                         const ChrfOptions& options = {});

// The statistics of every pair, in order. A data error when the numbers of lines differ.
absl::StatusOr<std::vector<ChrfStatistics>> CountChrfPerSentence(
    const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
    const ChrfOptions& options = {});

// 0 without a match, and for no sentences at all.
ChrfScore ComputeChrf(const ChrfStatistics& statistics);

// ComputeChrf of the summed statistics; errors as CountChrfPerSentence.
absl::StatusOr<ChrfScore> CorpusChrf(const std::vector<std::string>& hypotheses,
                                     const std::vector<std::string>& references,
                                     const ChrfOptions& options = {});

// "chrF2" or "chrF2++".
std::string_view ChrfName(const ChrfOptions& options);

// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:nmt-0.1.0".
std::string ChrfSignature(const ChrfOptions& options);

// sacreBLEU's line: "chrF2|<signature> = 61.28".
std::string FormatChrf(const ChrfScore& score, const ChrfOptions& options);

}  // namespace nmt

#endif  // NMT_METRICS_CHRF_H_
