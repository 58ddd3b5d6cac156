#include "nmt/attention/precision.h"

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

namespace nmt {

PrecisionScope::PrecisionScope(Precision precision, torch::Device device)
    : is_bf16_(precision == Precision::kBf16), device_(device.type()) {
  if (!is_bf16_) return;
  TORCH_CHECK(!at::autocast::is_autocast_enabled(device_), "precision scopes do not nest");
  at::autocast::set_autocast_dtype(device_, torch::kBFloat16);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::increment_nesting();
}

PrecisionScope::~PrecisionScope() {
  if (!is_bf16_) return;
  // The bf16 copies of the parameters, made once in the scope.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, false);
}

torch::ScalarType ProductType(const torch::Tensor& x) {
  const torch::DeviceType device = x.device().type();
  if (!at::autocast::is_autocast_enabled(device)) return x.scalar_type();
  return at::autocast::get_autocast_dtype(device);
}

torch::Tensor InProductType(const torch::Tensor& x) { return x.to(ProductType(x)); }

}  // namespace nmt
