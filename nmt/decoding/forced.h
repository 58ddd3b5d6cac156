// Teacher forcing: what a model makes of pairs that are given, rather than of its own translations.
//
//   const auto scores = ForcedScores(*model, sources, targets, {.batch_size = 64});
//   scores[0].log_probability / scores[0].pieces    // nats a piece of the first pair
//
// Step equals Forward, so these are the numbers that a search saw (a test compares).
#ifndef NMT_DECODING_FORCED_H_
#define NMT_DECODING_FORCED_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "nmt/models/seq2seq.h"

namespace nmt {

struct ForcedOptions {
  int64_t batch_size = 64;  // pairs together; fewer where they are long
  std::function<void(int64_t)> progress = [](int64_t) {};  // called with the number of pairs done
};

// One pair as the model reads it, padding cut off; T and S with </s>.
struct ForcedPair {
  Tensor hidden_TD;
  // Of DecoderOutput, float32 on the CPU; undefined where not asked for.
  Tensor attention_LHTS, value_norms_LHS, encoder_attention_LHSS, decoder_attention_LHTT;
};

// Calls `visit(i, pair)` for every pair, in an order of its own. Pieces without <s> and </s>.
void ForEachForced(Seq2Seq& model, const std::vector<Ids>& sources, const std::vector<Ids>& targets,
                   const ForwardOptions& wanted, const ForcedOptions& options,
                   const std::function<void(size_t, const ForcedPair&)>& visit);

struct ForcedScore {
  double log_probability = 0;  // log P(target </s> | source), nats
  int64_t pieces = 0;          // of the target, with </s>
};
std::vector<ForcedScore> ForcedScores(Seq2Seq& model, const std::vector<Ids>& sources,
                                      const std::vector<Ids>& targets,
                                      const ForcedOptions& options);

}  // namespace nmt

#endif  // NMT_DECODING_FORCED_H_
