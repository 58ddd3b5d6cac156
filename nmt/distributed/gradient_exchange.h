// The sum of gradients over all workers, on LibTorch's own Reducer: gradients are laid in buckets, and
// a bucket travels as soon as its last gradient is there, while the backward pass makes the others.
#ifndef NMT_DISTRIBUTED_GRADIENT_EXCHANGE_H_
#define NMT_DISTRIBUTED_GRADIENT_EXCHANGE_H_

#include <torch/types.h>

#include <functional>
#include <memory>
#include <vector>

#include "nmt/config/options.h"

namespace c10d {
class ProcessGroup;
class Reducer;
}  // namespace c10d

namespace nmt {

struct GradientExchangeOptions {
  GradientCompression compression = GradientCompression::kNone;
  std::function<void()> on_bucket;  // called when a bucket begins to travel
};

class GradientExchange {
 public:
  // As Workers::ShareGradients().
  GradientExchange(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                   const std::vector<torch::Tensor>& parameters,
                   const std::function<torch::Tensor()>& small_loss,
                   const GradientExchangeOptions& options);
  ~GradientExchange();

  // As Workers::ExpectBackward().
  void ExpectBackward();

 private:
  std::unique_ptr<c10d::Reducer> reducer_;
};

}  // namespace nmt

#endif  // NMT_DISTRIBUTED_GRADIENT_EXCHANGE_H_
