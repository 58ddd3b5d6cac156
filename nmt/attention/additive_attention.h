// Additive attention of one query a sentence, score, softmax and weighted sum in one pass over the
// keys (Bahdanau et al. 2015, appendix A.1.2):
//
//   e_s = v^T tanh(q + k_s),   a = softmax(e) over the unmasked s,   c = sum_s a_s value_s
//
// AdditiveScore() writes the tanh of every entry of every pair to memory and keeps it for the
// backward pass. Here it lives in registers, and the backward pass takes it again. CPU only; the
// plain twin is MaskedSoftmax(AdditiveScore(...)) and Attend().
#ifndef NMT_ATTENTION_ADDITIVE_ATTENTION_H_
#define NMT_ATTENTION_ADDITIVE_ATTENTION_H_

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace nmt {

using torch::Tensor;

// All contiguous, of one type (float32 or float64), but for the mask.
struct AdditiveMemory {
  Tensor key_BSA;
  Tensor value_BSC;
  Tensor mask_BS;  // bool, true where a query may look
  Tensor v_A;
};

// Fills weights_RS and context_RC. Query r looks at sentence sentences_R[r], such as each beam of a
// search at its own; without `sentences_R`, at sentence r.
void AdditiveAttend(const AdditiveMemory& memory, const Tensor& query_RA, const Tensor& weights_RS,
                    const Tensor& context_RC, const std::vector<int64_t>& sentences_R = {});

// From d_context_BC, and what AdditiveAttend() took and gave: fills d_query_BA and d_scores_BS, the
// gradient of e. `d_weights_BS`: of a loss on the weights themselves; undefined where there is none.
void AdditiveAttendBackward(const AdditiveMemory& memory, const Tensor& query_BA,
                            const Tensor& weights_BS, const Tensor& d_context_BC,
                            const Tensor& d_weights_BS, const Tensor& d_query_BA,
                            const Tensor& d_scores_BS);

// The gradients of what all looks at a sentence share, from T looks at once: a key stays in the
// cache while all queries pass it, instead of the whole memory passing by once a look. One number
// of threads gives the same digits every time.
struct AdditiveMemoryGradients {
  Tensor key_BSA, value_BSC, v_A;
};
AdditiveMemoryGradients AdditiveMemoryBackward(const AdditiveMemory& memory,
                                               const Tensor& query_TBA, const Tensor& weights_TBS,
                                               const Tensor& d_context_TBC,
                                               const Tensor& d_scores_TBS);

}  // namespace nmt

#endif  // NMT_ATTENTION_ADDITIVE_ATTENTION_H_
