#include "nmt/alignment/attention_json.h"

#include <torch/torch.h>

#include <cmath>
#include <string>
#include <vector>

namespace nmt {
namespace {

std::vector<std::string> Pieces(const Tokenizer& tokenizer, const Ids& ids) {
  std::vector<std::string> pieces;
  for (const int64_t id : ids) pieces.push_back(tokenizer.Piece(id));
  pieces.push_back(tokenizer.Piece(kEndId));
  return pieces;
}

// Nested arrays of numbers with five digits behind the point; moves `value` behind them.
nlohmann::ordered_json Nested(torch::IntArrayRef sizes, const float*& value) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (int64_t i = 0; i < sizes[0]; ++i) {
    if (sizes.size() > 1) {
      array.push_back(Nested(sizes.slice(1), value));
    } else {
      array.push_back(std::round(1e6 * static_cast<double>(*value++)) / 1e6);
    }
  }
  return array;
}

}  // namespace

nlohmann::ordered_json AttentionJson(const Tokenizers& tokenizers, const Ids& source,
                                     const Ids& target, const ForcedPair& pair) {
  nlohmann::ordered_json object = {{"source_pieces", Pieces(tokenizers.source, source)},
                                   {"target_pieces", Pieces(tokenizers.target, target)}};
  const auto add = [&](const char* name, const Tensor& tensor) {
    if (!tensor.defined()) return;
    const Tensor numbers = tensor.contiguous();
    const float* value = numbers.const_data_ptr<float>();
    object[name] = Nested(numbers.sizes(), value);
  };
  add("attention", pair.attention_LHTS);
  add("value_norms", pair.value_norms_LHS);
  add("encoder_self_attention", pair.encoder_attention_LHSS);
  add("decoder_self_attention", pair.decoder_attention_LHTT);
  return object;
}

}  // namespace nmt
