// The end of a decoding step: which tokens come next, and how probable they are.
//
//   const OutputLayer output(model->OutputWeight_VD(), model->OutputBias_V());
//   const NextTokens next = output.Best(hidden_RD, /*count=*/beam_size, {SpecialIds::kPad});
//
// A search wants a few tokens of each row, not all logits. Best() computes the logits a block of the
// vocabulary at a time and takes from it, while it is in the cache, its share of the softmax's sum and
// its best tokens; the R x V logits are never in memory. The plain twin: BestOf(log_softmax(logits)).
#ifndef NMT_MODELS_OUTPUT_LAYER_H_
#define NMT_MODELS_OUTPUT_LAYER_H_

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "nmt/models/packed_linear.h"

namespace nmt {

// `count` tokens a row, best first, those of a row side by side. A place that no token is left for has
// the log-probability -infinity.
struct NextTokens {
  int64_t count = 0;
  std::vector<int64_t> tokens;
  std::vector<float> log_probabilities;
};

// The best of given log-probabilities; none of `excluded`. Throws c10::Error on NaN.
NextTokens BestOf(const Tensor& log_probability_RV, int64_t count,
                  const std::vector<int64_t>& excluded);

class OutputLayer {
 public:
  OutputLayer(const Tensor& weight_VD, const Tensor& bias_V,
              InferencePrecision precision = InferencePrecision::kFp32);

  // The mass of `excluded` tokens is not given to the others. Throws c10::Error when a row holds NaN.
  NextTokens Best(const Tensor& hidden_RD, int64_t count,
                  const std::vector<int64_t>& excluded) const;

  // Of all tokens, for what needs them all; in the precision of the weight given.
  Tensor LogProbabilities(const Tensor& hidden_RD) const;

 private:
  Tensor weight_VD_, bias_V_;
  std::optional<PackedLinear> packed_;  // on a CPU that can
};

}  // namespace nmt

#endif  // NMT_MODELS_OUTPUT_LAYER_H_
