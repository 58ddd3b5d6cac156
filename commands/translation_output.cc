#include "commands/translation_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "nmt/text/lines.h"

namespace nmt {
namespace {

// A group of numbers a target word: the weights of the source words and, last, of </s>.
std::vector<std::vector<double>> Weights(const SoftMatrix& weights_TS) {
  std::vector<std::vector<double>> rows(static_cast<size_t>(weights_TS.rows()));
  for (int64_t t = 0; t < weights_TS.rows(); ++t) {
    for (const float weight : weights_TS.Row(t))
      rows[static_cast<size_t>(t)].push_back(std::round(1e6 * static_cast<double>(weight)) / 1e6);
  }
  return rows;
}

WordCoverage CoverageOfPair(const CorpusAttention& attention, size_t pair,
                            const AlignmentChoice& choice) {
  return CoverageOf(LinksOf(attention, pair, choice), attention.pairs[pair].source_words);
}

std::string AlignmentText(AlignmentFormat format, const CorpusAttention& attention, size_t pair,
                          const AlignmentChoice& choice) {
  if (format == AlignmentFormat::kHard) return FormatLinks(LinksOf(attention, pair, choice));
  if (format == AlignmentFormat::kCoverage) {
    const WordCoverage coverage = CoverageOfPair(attention, pair, choice);
    return fmt::format("unattended {} repeated {}", fmt::join(coverage.unattended, ","),
                       fmt::join(coverage.repeated, ","));
  }
  std::string text;
  for (const std::vector<double>& row : Weights(WordsOf(attention, pair, choice.attention)))
    text += fmt::format("{}{:.6f}", text.empty() ? "" : " ", fmt::join(row, ","));
  return text;
}

nlohmann::json HypothesisObject(const OutputFormat& format, const Translation& translation,
                                size_t n, const CorpusAttention& attention, size_t pair,
                                const AlignmentChoice& choice) {
  const Hypothesis& hypothesis = translation.hypotheses[n];
  const auto pieces = static_cast<double>(hypothesis.ids.size() + (hypothesis.finished ? 1 : 0));
  nlohmann::json object = {
      {"translation", translation.texts[n]},
      {"score", hypothesis.score},
      {"log_probability", hypothesis.log_probability},
      // The geometric mean of the pieces' probabilities.
      {"confidence", std::exp(hypothesis.log_probability / std::max(1.0, pieces))},
      {"finished", hypothesis.finished}};
  if (format.alignment == AlignmentFormat::kNone) return object;
  if (format.alignment == AlignmentFormat::kSoft) {
    object["alignment"] = Weights(WordsOf(attention, pair, choice.attention));
  } else {
    object["alignment"] = FormatLinks(LinksOf(attention, pair, choice));
  }
  const WordCoverage coverage = CoverageOfPair(attention, pair, choice);
  object["unattended"] = coverage.unattended;
  object["repeated"] = coverage.repeated;
  return object;
}

}  // namespace

std::string FormatTranslation(const OutputFormat& format, int64_t number, const std::string& line,
                              const Translation& translation, const CorpusAttention& attention,
                              size_t first_pair, const AlignmentChoice& choice) {
  const size_t count = translation.texts.size();
  if (format.jsonl) {
    nlohmann::json object;
    if (count > 0) {
      object = HypothesisObject(format, translation, 0, attention, first_pair, choice);
    } else {  // the same keys
      object = {{"translation", ""}, {"finished", true}};
      for (const char* key : {"score", "log_probability", "confidence"}) object[key] = nullptr;
      if (format.alignment != AlignmentFormat::kNone) {
        for (const char* key : {"alignment", "unattended", "repeated"}) object[key] = nullptr;
      }
    }
    object["line"] = number;
    object["source"] = CleanLine(line);
    object["status"] = translation.source_ids.empty() ? "blank"
                       : translation.is_cut           ? "cut"
                       : translation.is_ill_formed    ? "ill-formed UTF-8"
                                                      : "ok";
    if (format.n_best) object["n_best"] = nlohmann::json::array();
    for (size_t n = 0; format.n_best && n < count; ++n) {
      object["n_best"].push_back(
          HypothesisObject(format, translation, n, attention, first_pair + n, choice));
    }
    return object.dump() + "\n";
  }
  const auto links = [&](size_t n) {
    if (format.alignment == AlignmentFormat::kNone) return std::string();
    return " ||| " + (n < count ? AlignmentText(format.alignment, attention, first_pair + n, choice)
                                : std::string());
  };
  if (!format.n_best)
    return fmt::format("{}{}\n", count == 0 ? "" : translation.texts[0], links(0));
  if (count == 0) return fmt::format("{} |||  ||| {:.6f}{}\n", number - 1, 0.0, links(0));
  std::string lines;
  for (size_t n = 0; n < count; ++n) {
    lines += fmt::format("{} ||| {} ||| {:.6f}{}\n", number - 1, translation.texts[n],
                         translation.hypotheses[n].score, links(n));
  }
  return lines;
}

}  // namespace nmt
