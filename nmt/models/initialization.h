// How every parameter starts, in one place. All draws come from one generator in the order of the
// parameters' names, so a seed gives the same weights on every machine of one LibTorch version.
//
//   parameter                          starts as
//   embeddings (source, target)        normal, deviation 1/sqrt(E)   (Vaswani et al. 2017 scale it
//   back up by sqrt(D)) embeddings (output), matrices      Xavier uniform (Glorot and Bengio 2010)
//   fused GRU gates [3H, *]            each gate's block on its own: input blocks Xavier, recurrent
//   blocks orthogonal additive attention's v             uniform in +-sqrt(3/K) biases 0 layer norm
//   weight 1, bias 0 cosine attention's scale           as constructed
#ifndef NMT_MODELS_INITIALIZATION_H_
#define NMT_MODELS_INITIALIZATION_H_

#include <torch/nn/module.h>

#include <cstdint>

namespace nmt {

void InitializeParameters(torch::nn::Module& model, uint64_t seed);

}  // namespace nmt

#endif  // NMT_MODELS_INITIALIZATION_H_
