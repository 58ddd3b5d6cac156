#include "nmt/models/transformer/positions.h"

#include <torch/torch.h>

#include <cmath>

namespace nmt {

Tensor SinusoidalPositions_TD(int64_t first, int64_t count, int64_t model_size) {
  const Tensor position_T1 = torch::arange(first, first + count, torch::kFloat64).unsqueeze(1);
  const Tensor exponent_I =
      torch::arange(0, model_size, 2, torch::kFloat64) / static_cast<double>(model_size);
  const Tensor angle_TI = position_T1 * torch::exp(-std::log(10000.0) * exponent_I);
  return torch::stack({angle_TI.sin(), angle_TI.cos()}, 2).flatten(1);
}

PositionEncoding::PositionEncoding(const ModelOptions& options)
    : model_size_(options.hidden_size), learned_(options.positions == Positions::kLearned) {
  if (learned_) {
    weight_PD_ = register_parameter("weight", torch::zeros({options.max_positions, model_size_}));
  } else {
    // A table of usual lengths, a buffer so that it moves to the device with the model; not saved,
    // not trained.
    weight_PD_ =
        register_buffer("table", SinusoidalPositions_TD(0, options.max_positions, model_size_));
  }
}

Tensor PositionEncoding::Forward(int64_t first, int64_t count, torch::ScalarType dtype) const {
  const bool in_table = first + count <= weight_PD_.size(0);
  TORCH_CHECK(in_table || !learned_, "position ", first + count, " is beyond the ",
              weight_PD_.size(0), " learned positions (model.max_positions)");
  const Tensor position_TD = in_table ? weight_PD_.narrow(0, first, count)
                                      : SinusoidalPositions_TD(first, count, model_size_);
  return position_TD.to(weight_PD_.device(), dtype);
}

}  // namespace nmt
