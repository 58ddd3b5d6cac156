// In which precision matrix products run: fp32, or bf16 with everything else in fp32.
//
//   {
//     const PrecisionScope scope(Precision::kBf16, model.device());
//     loss = BatchLoss(model, batch, options).loss;     // forward only
//   }
//   loss.backward();       // each product runs backward in the precision it had forward
//
// bf16 is LibTorch's autocast: the factors of a product are rounded to bf16 (8 bits of mantissa, the
// exponents of fp32), its sums are taken in fp32, and parameters, their gradients and the
// optimiser's moments stay in fp32.
#ifndef NMT_ATTENTION_PRECISION_H_
#define NMT_ATTENTION_PRECISION_H_

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

#include "nmt/config/options.h"

namespace nmt {

// For this thread, until the end of the scope; kFp32 leaves everything as it is.
class PrecisionScope {
 public:
  PrecisionScope(Precision precision, torch::Device device);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  const bool is_bf16_;
  const torch::DeviceType device_;
};

// For kernels that choose their types themselves: no product in the scope is cast behind their back.
// ProductType() is asked before.
class ExplicitTypes {
 public:
  ExplicitTypes() : guard_(c10::autocast_dispatch_keyset) {}

 private:
  const c10::impl::ExcludeDispatchKeyGuard guard_;
};

// What a product of `x` runs in: bf16 inside such a scope, else the type of `x`.
torch::ScalarType ProductType(const torch::Tensor& x);

// `x` in that type: for a tensor that several products read, which would each cast it otherwise.
torch::Tensor InProductType(const torch::Tensor& x);

}  // namespace nmt

#endif  // NMT_ATTENTION_PRECISION_H_
