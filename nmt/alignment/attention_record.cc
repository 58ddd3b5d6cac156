#include "nmt/alignment/attention_record.h"

#include <torch/torch.h>

#include <algorithm>

#include "nmt/base/shape.h"

namespace nmt {

std::vector<AttentionRecord> ForcedAttention(Seq2Seq& model, const std::vector<Ids>& sources,
                                             const std::vector<Ids>& targets, bool value_norms,
                                             const ForcedOptions& options) {
  std::vector<AttentionRecord> records(sources.size());
  const auto keep = [&](size_t i, const ForcedPair& pair) {
    if (sources[i].empty()) return;
    records[i] = {pair.attention_LHTS.clone(),
                  value_norms ? pair.value_norms_LHS.clone() : Tensor()};
  };
  ForEachForced(model, sources, targets, {.attention = true, .value_norms = value_norms}, options,
                keep);
  return records;
}

SoftMatrix ToPieces(const AttentionRecord& record, const AttentionChoice& choice) {
  if (!record.weights_LHTS.defined()) return {};
  Tensor layer_HTS = record.weights_LHTS[choice.layer];
  if (choice.value_norms) {
    layer_HTS = layer_HTS * record.value_norms_LHS[choice.layer].unsqueeze(1);
    layer_HTS = layer_HTS / layer_HTS.sum(-1, /*keepdim=*/true).clamp_min(1e-20);
  }
  const Tensor pieces_TS =
      (choice.head == kAverage ? layer_HTS.mean(0) : layer_HTS[choice.head]).contiguous();
  const auto pieces = pieces_TS.accessor<float, 2>();
  SoftMatrix weights_TS(pieces.size(0), pieces.size(1));
  for (int64_t t = 0; t < weights_TS.rows(); ++t) {
    const int64_t row = std::min(t + choice.shift, weights_TS.rows() - 1);
    for (int64_t s = 0; s < weights_TS.columns(); ++s) weights_TS(t, s) = pieces[row][s];
  }
  return weights_TS;
}

SoftMatrix ToWords(const AttentionRecord& record, const AttentionChoice& choice,
                   const std::vector<int64_t>& source_words, int64_t source_word_count,
                   const std::vector<int64_t>& target_words, int64_t target_word_count) {
  const int64_t source_length = static_cast<int64_t>(source_words.size()) + 1;
  const int64_t target_length = static_cast<int64_t>(target_words.size()) + 1;
  SoftMatrix weights_TS(target_word_count, source_word_count + 1);
  if (!record.weights_LHTS.defined()) return weights_TS;
  CheckShape(record.weights_LHTS, "L H T S", {{"T", target_length}, {"S", source_length}},
             "attention record");
  const SoftMatrix pieces_TS = ToPieces(record, choice);
  std::vector<int64_t> pieces_of_word(static_cast<size_t>(target_word_count), 0);
  for (const int64_t word : target_words) {
    if (word >= 0) ++pieces_of_word[static_cast<size_t>(word)];
  }
  for (int64_t t = 0; t + 1 < target_length; ++t) {
    const int64_t target_word = target_words[static_cast<size_t>(t)];
    if (target_word < 0) continue;
    const float share = 1.0f / static_cast<float>(pieces_of_word[static_cast<size_t>(target_word)]);
    for (int64_t s = 0; s < source_length; ++s) {
      const int64_t source_word =
          s + 1 == source_length ? source_word_count : source_words[static_cast<size_t>(s)];
      weights_TS(target_word, source_word) += share * pieces_TS(t, s);
    }
  }
  return weights_TS;
}

}  // namespace nmt
