// Position encodings: attention itself sees a set, these tell it the order.
#ifndef NMT_MODELS_TRANSFORMER_POSITIONS_H_
#define NMT_MODELS_TRANSFORMER_POSITIONS_H_

#include <torch/nn/module.h>
#include <torch/types.h>

#include "nmt/config/options.h"

namespace nmt {

using torch::Tensor;

// Vaswani et al. 2017, section 3.5, for positions first, first + 1, ..., first + count - 1, in
// float64; D even:
//   PE(pos, 2i) = sin(pos / 10000^(2i/D)),  PE(pos, 2i+1) = cos(pos / 10000^(2i/D))
Tensor SinusoidalPositions_TD(int64_t first, int64_t count, int64_t model_size);

class PositionEncoding : public torch::nn::Module {
 public:
  explicit PositionEncoding(const ModelOptions& options);

  // [count D] for positions from `first`, as numbers of the embeddings' `dtype`. Learned: throws
  // beyond the table's max_positions.
  Tensor Forward(int64_t first, int64_t count, torch::ScalarType dtype) const;

 private:
  int64_t model_size_;
  Tensor
      weight_PD_;  // learned: the parameter; sinusoidal: a float64 table made once, which never grows
  bool learned_;
};

}  // namespace nmt

#endif  // NMT_MODELS_TRANSFORMER_POSITIONS_H_
