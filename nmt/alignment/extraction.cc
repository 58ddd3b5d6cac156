#include "nmt/alignment/extraction.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

namespace nmt {
namespace {

// Each target word with the source words that it looks at most.
void LinkTargets(const float* weights, int64_t target_words, int64_t source_words,
                 const AlignmentChoice& choice, Links& links) {
  for (int64_t t = 0; t < target_words; ++t) {
    const float* row = weights + t * (source_words + 1);
    const float largest = *std::max_element(row, row + source_words);
    if (largest <= 0 || (choice.end == EndOfSource::kDrop && row[source_words] > largest)) continue;
    const float enough = static_cast<float>(std::min(choice.threshold, 1.0)) * largest;
    for (int64_t s = 0; s < source_words; ++s) {
      if (row[s] >= enough) links.push_back({.source = s, .target = t});
    }
  }
}

// Each source word with the target word that looks at it most.
void LinkSources(const float* weights, int64_t target_words, int64_t source_words,
                 const AlignmentChoice& choice, Links& links) {
  const auto weight = [&](int64_t t, int64_t s) { return weights[t * (source_words + 1) + s]; };
  for (int64_t s = 0; s < source_words; ++s) {
    int64_t best = 0;
    for (int64_t t = 1; t < target_words; ++t) {
      if (weight(t, s) > weight(best, s)) best = t;
    }
    if (static_cast<double>(weight(best, s)) >= choice.per_source)
      links.push_back({.source = s, .target = best});
  }
}

}  // namespace

std::string AlignmentChoice::ToString() const {
  const auto& [layer, head, shift, value_norms] = attention;
  std::string text = fmt::format(
      "layer {}, {}, shift {}", layer + 1,
      head == kAverage ? "mean of heads" : fmt::format("head {}", head + 1), shift);
  if (value_norms) text += ", weights x value norms";
  if (threshold >= 1) text += ", argmax";
  if (threshold > 0 && threshold < 1) text += fmt::format(", threshold {}", threshold);
  if (per_source > 0) text += fmt::format(", per source {}", per_source);
  if (end == EndOfSource::kDrop) text += ", none where </s> is largest";
  if (final_punctuation) text += ", final punctuation linked";
  return text;
}

Links ExtractLinks(const WordAttention& words, const AlignmentChoice& choice,
                   bool both_end_in_punctuation) {
  Links links;
  const int64_t target_words = words.weights_TS.size(0),
                source_words = words.weights_TS.size(1) - 1;
  if (source_words == 0 || target_words == 0) return links;
  const Tensor weights_TS = words.weights_TS.contiguous();
  const float* weights = weights_TS.const_data_ptr<float>();
  if (choice.threshold > 0) LinkTargets(weights, target_words, source_words, choice, links);
  if (choice.per_source > 0) LinkSources(weights, target_words, source_words, choice, links);
  if (choice.final_punctuation && both_end_in_punctuation) {
    std::erase_if(links, [&](const Link& link) {
      return link.source == source_words - 1 || link.target == target_words - 1;
    });
    links.push_back({.source = source_words - 1, .target = target_words - 1});
  }
  return SortedLinks(std::move(links));
}

}  // namespace nmt
