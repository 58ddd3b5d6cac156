// Everything that a model looked at for one pair, as a JSON object: for notebooks and other programs.
//
//   nlohmann::ordered_json object = AttentionJson(tokenizers, source_ids, target_ids, forced_pair);
//
//   source_pieces            with </s> as the last
//   target_pieces            with </s> as the last: row t of the attention is the look before
//                            target_pieces[t] was predicted
//   attention                [layer][head][target piece][source piece]; each row sums to 1
//   value_norms              [layer][head][source piece], see DecoderOutput
//   encoder_self_attention   [layer][head][source piece][source piece], of a transformer
//   decoder_self_attention   [layer][head][row][row], of a transformer: row t has read <s> and
//                            target_pieces up to t - 1, so column 0 is <s>
#ifndef NMT_ALIGNMENT_ATTENTION_JSON_H_
#define NMT_ALIGNMENT_ATTENTION_JSON_H_

#include <nlohmann/json.hpp>

#include "nmt/checkpoint/run_directory.h"
#include "nmt/decoding/forced.h"

namespace nmt {

nlohmann::ordered_json AttentionJson(const Tokenizers& tokenizers, const Ids& source,
                                     const Ids& target, const ForcedPair& pair);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_ATTENTION_JSON_H_
