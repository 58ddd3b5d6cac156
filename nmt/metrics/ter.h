// Translation edit rate (Snover et al., 2006), to the last digit as sacreBLEU 2.6.0 gives it, against
// one reference: how many edits a reader needs to turn the hypothesis into the reference.
//
//   absl::StatusOr<TerScore> ter = CorpusTer(hypotheses, references);
//   fmt::print("{}\n", FormatTer(*ter, {}));
//   // TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:nmt-0.1.0 = 52.56
//
//   TER = (insertions + deletions + substitutions + shifts) / words of the references
//
// A shift moves some words in a row to another place and costs 1 like the others. 0 is best; a
// hypothesis of many wrong words scores above 100. Words are cut at white space, in lower case: TER
// wants tokenised text, or takes "mat." for another word than "mat".
#ifndef NMT_METRICS_TER_H_
#define NMT_METRICS_TER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

struct TerOptions {
  bool case_sensitive = false;
};

// What TER needs to know of a sentence, or of any set of sentences: the sum.
struct TerStatistics {
  int64_t edits = 0;
  int64_t reference_length = 0;  // words

  TerStatistics& operator+=(const TerStatistics& other);
  TerStatistics& operator-=(const TerStatistics& other);
  bool operator==(const TerStatistics&) const = default;
};

struct TerScore {
  double score = 0;  // percent
  TerStatistics statistics;
};

// The statistics of one pair.
TerStatistics CountTer(std::string_view hypothesis, std::string_view reference,
                       const TerOptions& options = {});

// The statistics of every pair, in order. A data error when the numbers of lines differ.
absl::StatusOr<std::vector<TerStatistics>> CountTerPerSentence(
    const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
    const TerOptions& options = {});

// Without any word in the references: 100 if there are edits, else 0.
TerScore ComputeTer(const TerStatistics& statistics);

// ComputeTer of the summed statistics; errors as CountTerPerSentence.
absl::StatusOr<TerScore> CorpusTer(const std::vector<std::string>& hypotheses,
                                   const std::vector<std::string>& references,
                                   const TerOptions& options = {});

// "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:nmt-0.1.0".
std::string TerSignature(const TerOptions& options);

// sacreBLEU's line: "TER|<signature> = 52.56".
std::string FormatTer(const TerScore& score, const TerOptions& options);

}  // namespace nmt

#endif  // NMT_METRICS_TER_H_
