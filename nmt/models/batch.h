// Sentence pairs as padded tensors.
#ifndef NMT_MODELS_BATCH_H_
#define NMT_MODELS_BATCH_H_

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace nmt {

using torch::Tensor;

// The ids that every vocabulary gives to padding, <s> and </s>; nmt/text/tokenizer.h has the same
// (a test compares).
struct SpecialIds {
  static constexpr int64_t kPad = 0;
  static constexpr int64_t kBegin = 2;
  static constexpr int64_t kEnd = 3;
};

// int64 tensors, padded with SpecialIds::kPad on the right.
struct SourceBatch {
  Tensor ids_BS;     // each row ends with </s>, so that no row is empty
  Tensor lengths_B;  // </s> included

  SourceBatch To(torch::Device device) const { return {ids_BS.to(device), lengths_B.to(device)}; }
};

struct Batch {
  SourceBatch source;
  Tensor target_input_BT;     // <s> y_1 ... y_n
  Tensor target_output_BT;    // y_1 ... y_n </s>: position t of the decoder predicts entry t
  int64_t target_tokens = 0;  // </s> included, padding not
  // Where target piece t comes from, float32; rows sum to 1, or are 0 where nothing is known of t.
  // Undefined where nothing is known of any.
  Tensor links_BTS;

  Batch To(torch::Device device) const {
    return {source.To(device), target_input_BT.to(device), target_output_BT.to(device),
            target_tokens, links_BTS.defined() ? links_BTS.to(device) : Tensor()};
  }
};

using Ids = std::vector<int64_t>;  // pieces of a sentence, without <s> and </s>

// Rows padded on the right to the longest.
Tensor PadRows(const std::vector<Ids>& rows);

SourceBatch MakeSourceBatch(const std::vector<Ids>& sources);
Batch MakeBatch(const std::vector<Ids>& sources, const std::vector<Ids>& targets);

// Two pieces that belong to linked words; a piece counts within its side, from 0.
struct PieceLink {
  int64_t source = 0, target = 0;
  bool operator==(const PieceLink&) const = default;
};

// links_BTS of a batch, from the links of each pair; undefined where no pair has any.
Tensor MakeLinks(const Batch& batch, const std::vector<std::vector<PieceLink>>& links);

}  // namespace nmt

#endif  // NMT_MODELS_BATCH_H_
