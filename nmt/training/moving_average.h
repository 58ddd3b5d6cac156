// An exponential moving average of the weights (Polyak and Juditsky 1992; Kingma and Ba 2015, section
// 7.2): a smoother model than the last update's, at the price of one more copy of the weights.
//
//   average = d average + (1 - d) weights,   d = min(decay, (1 + u) / (10 + u)) after update u
//
// so that the first, bad weights are soon forgotten.
//
//   MovingAverage average(*model, 0.999);
//   average.Update(update);        // after each
//   average.Swap();                // the model holds the average: validate, save
//   average.Swap();                // and the weights in training again
#ifndef NMT_TRAINING_MOVING_AVERAGE_H_
#define NMT_TRAINING_MOVING_AVERAGE_H_

#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "nmt/checkpoint/safetensors.h"

namespace nmt {

class MovingAverage {
 public:
  // Decay 0: off, and every function does nothing.
  MovingAverage(const torch::nn::Module& model, double decay);

  void Update(int64_t update);
  void Swap();

  // For a checkpoint, whose weights are the average: adds those in training as "raw.NAME". To be
  // called while the model holds the average.
  void AddState(TensorFile* optimizer) const;
  // Takes them out of the file again. The model, which holds the average, then holds the weights in
  // training.
  absl::Status Load(TensorFile* optimizer, const std::string& path);

 private:
  double decay_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> weights_;  // of the model
  std::vector<torch::Tensor> others_;   // the average, or after Swap() the weights in training
};

}  // namespace nmt

#endif  // NMT_TRAINING_MOVING_AVERAGE_H_
