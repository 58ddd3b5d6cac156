#include "nmt/alignment/extraction.h"

#include <fmt/format.h>

#include <algorithm>

namespace nmt {
namespace {

// Each target word with the source words that it looks at most.
void LinkTargets(const SoftMatrix& weights_TS, const AlignmentChoice& choice, Links& links) {
  for (int64_t t = 0; t < weights_TS.rows(); ++t) {
    const std::span<const float> row = weights_TS.Row(t), words = row.first(row.size() - 1);
    const float largest = *std::max_element(words.begin(), words.end());
    if (largest <= 0 || (choice.end == EndOfSource::kDrop && row.back() > largest)) continue;
    const float enough = static_cast<float>(std::min(choice.threshold, 1.0)) * largest;
    for (size_t s = 0; s < words.size(); ++s) {
      if (words[s] >= enough) links.push_back({.source = static_cast<int64_t>(s), .target = t});
    }
  }
}

// Each source word with the target word that looks at it most.
void LinkSources(const SoftMatrix& weights_TS, const AlignmentChoice& choice, Links& links) {
  for (int64_t s = 0; s + 1 < weights_TS.columns(); ++s) {
    int64_t best = 0;
    for (int64_t t = 1; t < weights_TS.rows(); ++t) {
      if (weights_TS(t, s) > weights_TS(best, s)) best = t;
    }
    if (static_cast<double>(weights_TS(best, s)) >= choice.per_source)
      links.push_back({.source = s, .target = best});
  }
}

}  // namespace

std::string AlignmentChoice::ToString() const {
  const std::string head =
      attention.head == kAverage ? "mean of heads" : fmt::format("head {}", attention.head + 1);
  return fmt::format("layer {}, {}, {}", attention.layer + 1, head, Conventions());
}

std::string AlignmentChoice::Conventions() const {
  std::string text = fmt::format("shift {}", attention.shift);
  if (attention.value_norms) text += ", weights x value norms";
  if (threshold >= 1) text += ", argmax";
  if (threshold > 0 && threshold < 1) text += fmt::format(", threshold {}", threshold);
  if (per_source > 0) text += fmt::format(", per source {}", per_source);
  if (end == EndOfSource::kDrop) text += ", none where </s> is largest";
  if (final_punctuation) text += ", final punctuation linked";
  return text;
}

Links ExtractLinks(const SoftMatrix& weights_TS, const AlignmentChoice& choice,
                   bool both_end_in_punctuation) {
  Links links;
  const int64_t target_words = weights_TS.rows(), source_words = weights_TS.columns() - 1;
  if (source_words <= 0 || target_words == 0) return links;
  if (choice.threshold > 0) LinkTargets(weights_TS, choice, links);
  if (choice.per_source > 0) LinkSources(weights_TS, choice, links);
  if (choice.final_punctuation && both_end_in_punctuation) {
    std::erase_if(links, [&](const Link& link) {
      return link.source == source_words - 1 || link.target == target_words - 1;
    });
    links.push_back({.source = source_words - 1, .target = target_words - 1});
  }
  return SortedLinks(std::move(links));
}

}  // namespace nmt
