#include "nmt/metrics/bleu.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nmt/metrics/characters.h"
#include "nmt/metrics/pairs.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

UnitSequence Preprocess(std::string_view line, const BleuOptions& options) {
  return options.lowercase ? Tokenize(LowerCase(line), options.tokenizer)
                           : Tokenize(line, options.tokenizer);
}

constexpr std::array<std::pair<BleuSmoothing, std::string_view>, 4> kSmoothingNames = {{
    {BleuSmoothing::kExp, "exp"},
    {BleuSmoothing::kFloor, "floor"},
    {BleuSmoothing::kAddK, "add-k"},
    {BleuSmoothing::kNone, "none"},
}};

double SmoothingValue(const BleuOptions& options) {
  return options.smoothing_value.value_or(options.smoothing == BleuSmoothing::kFloor ? 0.1 : 1);
}

double BrevityPenalty(int64_t hypothesis_length, int64_t reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  // Without any word: exp(-infinity), which is 0.
  return std::exp(1 - static_cast<double>(reference_length) / hypothesis_length);
}

// Letters of a text in scripts that put no blanks between words.
struct Letters {
  int64_t all = 0, chinese = 0, unspaced = 0;  // `chinese` are among the unspaced

  bool are_mostly_unspaced() const { return 2 * unspaced > all; }
};

Letters CountLetters(const std::vector<std::string>& lines) {
  Letters letters;
  for (const std::string& line : lines) {
    for (size_t offset = 0; offset < line.size();) {
      const Character character = CharacterAt(line, offset);
      offset += character.bytes.size();
      const auto code_point = static_cast<UChar32>(character.code_point);
      if (!u_isalpha(code_point)) continue;
      ++letters.all;
      UErrorCode error = U_ZERO_ERROR;
      switch (uscript_getScript(code_point, &error)) {
        case USCRIPT_HAN:
          ++letters.chinese;
          [[fallthrough]];
        case USCRIPT_HIRAGANA:
        case USCRIPT_KATAKANA:
        case USCRIPT_THAI:
        case USCRIPT_LAO:
        case USCRIPT_KHMER:
        case USCRIPT_MYANMAR:
          ++letters.unspaced;
          break;
        default:
          break;
      }
    }
  }
  return letters;
}

}  // namespace

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  for (int64_t i = 0; i < kBleuOrders; ++i) {
    matches[i] += other.matches[i];
    totals[i] += other.totals[i];
  }
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  return *this;
}

BleuStatistics& BleuStatistics::operator-=(const BleuStatistics& other) {
  for (int64_t i = 0; i < kBleuOrders; ++i) {
    matches[i] -= other.matches[i];
    totals[i] -= other.totals[i];
  }
  hypothesis_length -= other.hypothesis_length;
  reference_length -= other.reference_length;
  return *this;
}

BleuStatistics CountBleu(std::string_view hypothesis, std::string_view reference,
                         const BleuOptions& options) {
  const UnitSequence hypothesis_words = Preprocess(hypothesis, options);
  const UnitSequence reference_words = Preprocess(reference, options);
  BleuStatistics statistics;
  statistics.hypothesis_length = hypothesis_words.size();
  statistics.reference_length = reference_words.size();
  for (int64_t n = 1; n <= kBleuOrders; ++n) {
    const NgramCounts counts = CountNgrams(hypothesis_words, reference_words, n);
    statistics.matches[n - 1] = counts.matches;
    statistics.totals[n - 1] = counts.hypothesis;
  }
  return statistics;
}

absl::StatusOr<std::vector<BleuStatistics>> CountBleuPerSentence(
    const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
    const BleuOptions& options) {
  NMT_RETURN_IF_ERROR(CheckEqualLineCounts(hypotheses, references));
  std::vector<BleuStatistics> statistics;
  statistics.reserve(hypotheses.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    statistics.push_back(CountBleu(hypotheses[i], references[i], options));
  }
  return statistics;
}

BleuScore ComputeBleu(const BleuStatistics& statistics, const BleuOptions& options) {
  BleuScore bleu;
  bleu.statistics = statistics;
  bleu.brevity_penalty = BrevityPenalty(statistics.hypothesis_length, statistics.reference_length);
  const auto& [matches, totals, hypothesis_length, reference_length] = statistics;
  if (std::all_of(matches.begin(), matches.end(), [](int64_t m) { return m == 0; })) return bleu;

  double exponential = 1;
  int64_t orders = 0;  // those that the hypotheses are long enough for
  double log_sum = 0;
  for (; orders < kBleuOrders; ++orders) {
    const bool adds = options.smoothing == BleuSmoothing::kAddK && orders > 0;
    const double added = adds ? SmoothingValue(options) : 0;
    const double total = totals[orders] + added;
    if (total == 0) break;
    double matched = matches[orders] + added;
    if (matched == 0 && options.smoothing == BleuSmoothing::kExp) matched = 1 / (exponential *= 2);
    if (matched == 0 && options.smoothing == BleuSmoothing::kFloor) {
      matched = SmoothingValue(options);
    }
    bleu.precisions[orders] = 100 * matched / total;
    log_sum += std::log(bleu.precisions[orders]);  // of 0: -infinity, a score of 0
  }
  if (orders < kBleuOrders && !options.effective_order) return bleu;  // a precision of 0
  bleu.score = bleu.brevity_penalty * std::exp(log_sum / orders);
  return bleu;
}

absl::StatusOr<BleuScore> CorpusBleu(const std::vector<std::string>& hypotheses,
                                     const std::vector<std::string>& references,
                                     const BleuOptions& options) {
  NMT_ASSIGN_OR_RETURN(const std::vector<BleuStatistics> sentences,
                       CountBleuPerSentence(hypotheses, references, options));
  BleuStatistics sum;
  for (const BleuStatistics& sentence : sentences) sum += sentence;
  return ComputeBleu(sum, options);
}

std::string_view SmoothingName(BleuSmoothing smoothing) {
  for (const auto& [value, name] : kSmoothingNames) {
    if (value == smoothing) return name;
  }
  return "";
}

absl::StatusOr<BleuSmoothing> ParseSmoothing(std::string_view name) {
  std::string known;
  for (const auto& [value, value_name] : kSmoothingNames) {
    if (value_name == name) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", value_name);
  }
  return UsageError(fmt::format("unknown smoothing \"{}\": expected one of {}", name, known));
}

std::string BleuSignature(const BleuOptions& options) {
  std::string smoothing(SmoothingName(options.smoothing));
  if (options.smoothing == BleuSmoothing::kFloor || options.smoothing == BleuSmoothing::kAddK) {
    smoothing += fmt::format("[{:.2f}]", SmoothingValue(options));
  }
  return fmt::format("nrefs:1|case:{}|eff:{}|tok:{}|smooth:{}|version:nmt-{}",
                     options.lowercase ? "lc" : "mixed", options.effective_order ? "yes" : "no",
                     TokenizerName(options.tokenizer), smoothing, NMT_VERSION);
}

std::string BleuDetails(const BleuScore& score) {
  const auto& [p1, p2, p3, p4] = score.precisions;
  const int64_t hypothesis_length = score.statistics.hypothesis_length;
  const int64_t reference_length = score.statistics.reference_length;
  const double ratio =
      reference_length > 0 ? static_cast<double>(hypothesis_length) / reference_length : 0;
  return fmt::format(
      "{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", p1, p2,
      p3, p4, score.brevity_penalty, ratio, hypothesis_length, reference_length);
}

std::string FormatBleu(const BleuScore& score, const BleuOptions& options) {
  return fmt::format("BLEU|{} = {:.2f} {}", BleuSignature(options), score.score,
                     BleuDetails(score));
}

BleuOptions OptionsFor(const std::vector<std::string>& references) {
  const Letters letters = CountLetters(references);
  BleuOptions options;
  if (letters.are_mostly_unspaced()) {
    const bool is_chinese = 10 * letters.chinese > 9 * letters.unspaced;
    options.tokenizer = is_chinese ? BleuTokenizer::kZh : BleuTokenizer::kChar;
  }
  return options;
}

std::vector<std::string> BleuWarnings(const std::vector<std::string>& hypotheses,
                                      const std::vector<std::string>& references,
                                      const BleuOptions& options) {
  std::vector<std::string> warnings;
  const bool cuts_at_blanks =
      options.tokenizer != BleuTokenizer::kChar && options.tokenizer != BleuTokenizer::kZh;
  if (cuts_at_blanks && CountLetters(references).are_mostly_unspaced()) {
    warnings.push_back(fmt::format(
        "the references are written without blanks between words, where the tokenizer \"{}\" "
        "sees whole sentences as words: use zh or char for BLEU, or read chrF",
        TokenizerName(options.tokenizer)));
  }
  constexpr int64_t kManyLines = 100;  // sacreBLEU's number
  const int64_t tokenized =
      std::count_if(hypotheses.begin(), hypotheses.end(),
                    [](std::string_view line) { return line.ends_with(" ."); });
  if (options.tokenizer != BleuTokenizer::kNone && tokenized >= kManyLines) {
    warnings.push_back(
        fmt::format("{} hypotheses end in \" .\" and look tokenized: BLEU is comparable with "
                    "published figures on plain text only",
                    tokenized));
  }
  return warnings;
}

}  // namespace nmt
