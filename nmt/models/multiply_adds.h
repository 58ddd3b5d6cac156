// How much arithmetic a model does for one sentence pair: what its parameters cost, apart from how fast a
// machine runs them.
//
//   int64_t work = MultiplyAdds(options.model, {10000, 10000}, /*source_length=*/15, /*target_length=*/14);
#ifndef NMT_MODELS_MULTIPLY_ADDS_H_
#define NMT_MODELS_MULTIPLY_ADDS_H_

#include <cstdint>

#include "nmt/config/options.h"
#include "nmt/models/seq2seq.h"

namespace nmt {

// Multiply-adds of one forward pass through a pair of S source and T target pieces, both with their end
// tokens, teacher forced: all matrix products, and the scores and sums of attention. Softmax, norms and
// gates are left out; they grow with the sizes once where products grow with their square.
//
//   transformer (D model, F feed-forward, V target vocabulary; K = D / heads)
//     encoder layer   4 S D^2 + 2 S^2 D + 2 S D F
//     decoder layer   4 T D^2 + 2 T^2 D  +  2 T D^2 + 2 S D^2 + 2 T S D  +  2 T D F
//     output          T V D
//   GRU (E embedding, H decoder, C annotation = 2 encoder directions of C/2, A attention, R readout)
//     encoder layer   2 S 3(C/2) (input + C/2), input = E, above the first layer C
//     once            S A C keys, (C/2) H initial state
//     decoder         T (3H (E + H) + 3H C [+ 3H H conditional] + H A + S A + S C + R (H + E + C))
//     output          T V readout_size
//
// Both: the score "general" adds its matrix for each query.
int64_t MultiplyAdds(const ModelOptions& options, const VocabularySizes& sizes,
                     int64_t source_length, int64_t target_length);

}  // namespace nmt

#endif  // NMT_MODELS_MULTIPLY_ADDS_H_
