// Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019) through LibTorch's fused update,
// with the state in the open: the moments are plain tensors that a checkpoint saves by name, and
// the learning rate is an argument of each step.
//
//   m = b1 m + (1 - b1) g,   v = b2 v + (1 - b2) g^2,   p = p - lr * m_hat / (sqrt(v_hat) + 1e-9)
//   AdamW besides: p = p - lr * weight_decay * p
#ifndef NMT_TRAINING_ADAM_H_
#define NMT_TRAINING_ADAM_H_

#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "nmt/checkpoint/safetensors.h"
#include "nmt/config/options.h"

namespace nmt {

class Adam {
 public:
  // Trains the parameters that require a gradient; the others are frozen.
  Adam(const torch::nn::Module& model, const TrainingOptions& options);

  // Those that are trained.
  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

  void ZeroGradients();
  // Scales the gradients so that their norm is at most `clip_norm` (0: as they are); gives the norm
  // before.
  double ClipGradients(double clip_norm);
  void Step(double learning_rate);
  // The same; gives |change of the weights| / |weights|, over all trained weights.
  double MeasuredStep(double learning_rate);

  // Moments and step counts by parameter name, as "first.NAME", "second.NAME", "step.NAME".
  TensorFile State() const;
  absl::Status Load(const TensorFile& file, const std::string& path);

 private:
  TrainingOptions options_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> parameters_, first_moments_, second_moments_, steps_;
};

}  // namespace nmt

#endif  // NMT_TRAINING_ADAM_H_
