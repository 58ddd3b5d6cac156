// How every parameter starts, in one place. All draws come from one generator, in the order in which
// the model registers its parameters: a seed gives the same weights on one machine, and equal ones
// but for the last digits of the orthogonal blocks' QR on another.
//
//   parameter                     starts as
//   embeddings source, target     normal, deviation 1/sqrt(E); the transformer scales by sqrt(D)
//   output layer, other matrices  Xavier uniform (Glorot and Bengio 2010)
//   GRU gates, [3H I] and [3H H]  each gate's block on its own: input Xavier, recurrent orthogonal
//   additive attention's v        uniform in +-sqrt(3/K)
//   biases                        0
//   layer norm                    weight 1, bias 0
//   cosine attention's scale      10, as constructed
#ifndef NMT_MODELS_INITIALIZATION_H_
#define NMT_MODELS_INITIALIZATION_H_

#include <torch/nn/module.h>

#include <cstdint>

namespace nmt {

void InitializeParameters(torch::nn::Module& model, uint64_t seed);

}  // namespace nmt

#endif  // NMT_MODELS_INITIALIZATION_H_
