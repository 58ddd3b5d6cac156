// Corpus BLEU (Papineni et al., 2002), to the last digit as sacreBLEU 2.6.0 gives it, against one
// reference.
//
//   absl::StatusOr<BleuScore> bleu = CorpusBleu(hypotheses, references);
//   fmt::print("{}\n", FormatBleu(*bleu, {}));
//   // BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:nmt-0.1.0 = 44.93 100.0/... (BP
//   ...
//
//   BLEU = BP exp(1/4 sum_n log p_n),   BP = min(1, exp(1 - r/c)),   c, r: the summed lengths,
//   p_n = matching n-grams / n-grams of the hypotheses, clipped to their number in the reference.
//
// Lines are given as plain text: the tokeniser is part of the metric.
#ifndef NMT_METRICS_BLEU_H_
#define NMT_METRICS_BLEU_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/metrics/tokenize.h"

namespace nmt {

inline constexpr int64_t kBleuOrders = 4;

// What an order without a match counts as, where it would make the score 0 (Chen and Cherry, 2014,
// "A systematic comparison of smoothing techniques for sentence-level BLEU", whose methods are named).
enum class BleuSmoothing {
  kExp,    // the k-th such order as 1 / 2^k matches (method 3): mteval's, the default
  kFloor,  // as `smoothing_value` matches (method 1), by default 0.1
  kAddK,  // `smoothing_value` matches and n-grams more in every order above 1 (method 2), by default 1
  kNone,  // as none: the score is 0
};

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  bool lowercase = false;
  // Average over the orders that the hypothesis is long enough for. For single sentences: without
  // it every hypothesis under four words scores 0.
  bool effective_order = false;
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  std::optional<double> smoothing_value;  // of kFloor and kAddK, above 0
};

// What BLEU needs to know of a sentence, or of any set of sentences: the sum.
struct BleuStatistics {
  std::array<int64_t, kBleuOrders> matches{};  // [n - 1]: matching n-grams
  std::array<int64_t, kBleuOrders> totals{};   // [n - 1]: n-grams of the hypothesis
  int64_t hypothesis_length = 0;               // words
  int64_t reference_length = 0;

  BleuStatistics& operator+=(const BleuStatistics& other);
  BleuStatistics& operator-=(const BleuStatistics& other);
  bool operator==(const BleuStatistics&) const = default;
};

struct BleuScore {
  double score = 0;                              // 0 to 100
  std::array<double, kBleuOrders> precisions{};  // percent, smoothed
  double brevity_penalty = 1;                    // 0 to 1
  BleuStatistics statistics;
};

// The statistics of one pair.
BleuStatistics CountBleu(std::string_view hypothesis, std::string_view reference,
                         const BleuOptions& options = {});

// The statistics of every pair, in order. A data error when the numbers of lines differ: lines are
// joined by number, so one lost line would pair all later ones wrongly.
absl::StatusOr<std::vector<BleuStatistics>> CountBleuPerSentence(
    const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
    const BleuOptions& options = {});

// Without a match of any order, whatever the smoothing, and for no sentences at all, the score is 0.
BleuScore ComputeBleu(const BleuStatistics& statistics, const BleuOptions& options = {});

// ComputeBleu of the summed statistics; errors as CountBleuPerSentence.
absl::StatusOr<BleuScore> CorpusBleu(const std::vector<std::string>& hypotheses,
                                     const std::vector<std::string>& references,
                                     const BleuOptions& options = {});

// Where nobody chose: 13a, and for references that are written without blanks between words, where 13a would take whole
// sentences for words, zh (Chinese characters) or char (kana among them, Thai, ...).
BleuOptions OptionsFor(const std::vector<std::string>& references);

// "exp", "floor", "add-k", "none": as sacreBLEU and --smooth spell them.
std::string_view SmoothingName(BleuSmoothing smoothing);

// A usage error lists the names that are known.
absl::StatusOr<BleuSmoothing> ParseSmoothing(std::string_view name);

// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:nmt-0.1.0": two scores may be compared when
// their signatures are equal. All but the version equals sacreBLEU's.
std::string BleuSignature(const BleuOptions& options);

// What stands behind the score in sacreBLEU's line: "100.0/100.0/100.0/100.0 (BP = 0.449 ratio = ...)".
std::string BleuDetails(const BleuScore& score);

// sacreBLEU's line: "BLEU|<signature> = 44.93 100.0/100.0/100.0/100.0 (BP = 0.449 ratio = ...)".
std::string FormatBleu(const BleuScore& score, const BleuOptions& options);

// What makes a score misleading, one line each, for the person who reads it: text written without
// blanks under a tokeniser that cuts at blanks; text that looks tokenised already.
std::vector<std::string> BleuWarnings(const std::vector<std::string>& hypotheses,
                                      const std::vector<std::string>& references,
                                      const BleuOptions& options);

}  // namespace nmt

#endif  // NMT_METRICS_BLEU_H_
