#include "commands/pictures.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "nmt/text/lines.h"

namespace nmt {

bool CanDraw(const AlignedPair& pair) {
  constexpr int64_t kMostWords = 200;
  return !pair.source.ids.empty() && !pair.target.ids.empty() && pair.source_words <= kMostWords &&
         pair.target_words <= kMostWords;
}

std::string ModelTitle(const ModelOptions& options) {
  const bool gru = options.type == ModelType::kGru;
  AttentionScore score = options.attention;
  if (score == AttentionScore::kDefault)
    score = gru ? AttentionScore::kAdditive : AttentionScore::kScaledDot;
  std::string name(EnumName(score));
  for (char& letter : name) letter = letter == '_' ? ' ' : letter;
  return fmt::format("{}, {} attention", gru ? "GRU" : "Transformer", name);
}

Heatmap WordHeatmap(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice,
                    const std::string& source, const std::string& target, const std::string& title,
                    const Links& gold) {
  const WordAttention words = WordsOf(attention, i, choice);
  Heatmap heatmap{.title = title,
                  .source_labels = Words(CleanLine(source)),
                  .target_labels = Words(CleanLine(target))};
  heatmap.source_labels.push_back("</s>");
  heatmap.source_ends_with_end_symbol = true;
  const Tensor weights = words.weights_TS.contiguous();
  heatmap.weights_TS.assign(weights.const_data_ptr<float>(),
                            weights.const_data_ptr<float>() + weights.numel());
  for (float& weight : heatmap.weights_TS) weight = std::min(1.0f, std::max(0.0f, weight));
  for (const Link& link : gold) heatmap.gold.push_back({link.source, link.target, link.possible});
  return heatmap;
}

}  // namespace nmt
