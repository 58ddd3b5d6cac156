#include "nmt/distributed/gradient_exchange.h"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <tuple>
#include <unordered_map>

namespace nmt {
namespace {

using torch::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using Future = c10::intrusive_ptr<c10::ivalue::Future>;

// About eight buckets, so that most of the bytes travel before the backward pass ends; none so small
// that its latency counts, and none larger than those of PyTorch.
constexpr int64_t kBuckets = 8;
constexpr int64_t kSmallestBucket = int64_t{1} << 20, kLargestBucket = int64_t{25} << 20;

int64_t BucketBytes(const std::vector<Tensor>& parameters) {
  int64_t bytes = 0;
  for (const Tensor& parameter : parameters) bytes += static_cast<int64_t>(parameter.nbytes());
  return std::clamp(bytes / kBuckets, kSmallestBucket, kLargestBucket);
}

// A plain sum: without a hook the Reducer would divide by the number of workers, but our losses are
// divided by the target tokens of all of them.
class SumHook : public c10d::CppCommHookInterface<Group> {
 public:
  SumHook(const Group& group, const GradientExchangeOptions& options)
      : CppCommHookInterface(group), options_(options) {}

  Future runHook(c10d::GradBucket& bucket) override {
    if (options_.on_bucket) options_.on_bucket();
    const Tensor buffer = bucket.getBuffer();
    if (options_.compression == GradientCompression::kNone) {
      std::vector<Tensor> tensors{buffer};
      return state_->allreduce(tensors)->getFuture();
    }
    std::vector<Tensor> tensors{buffer.to(torch::kBFloat16)};
    return state_->allreduce(tensors)->getFuture()->then(
        [buffer](c10::ivalue::Future& sum) {
          // copy_ makes fp32 of it; the buffer is what the gradients are views of.
          const Tensor target = buffer;
          target.copy_(c10d::detail::parseCppCommHookResult(sum.value()));
          return c10::IValue(target);
        },
        c10::TensorType::get());
  }

 private:
  const GradientExchangeOptions options_;
};

}  // namespace

GradientExchange::GradientExchange(const Group& group, const std::vector<Tensor>& parameters,
                                   const std::function<Tensor()>& small_loss,
                                   const GradientExchangeOptions& options) {
  const int64_t bucket_bytes = BucketBytes(parameters);
  std::vector<size_t> all(parameters.size());
  std::iota(all.begin(), all.end(), 0);
  std::unordered_map<size_t, std::string> no_names;
  reducer_ = std::make_unique<c10d::Reducer>(
      parameters, std::vector<std::vector<size_t>>{all}, group,
      /*expect_sparse_gradients=*/std::vector<bool>(parameters.size(), false), bucket_bytes,
      /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/true, no_names,
      /*first_bucket_bytes_cap=*/kSmallestBucket, /*skip_all_reduce_unused_params=*/true,
      /*use_python_reducer=*/false, /*bucket_bytes_cap_list=*/std::vector<int64_t>{});
  reducer_->register_comm_hook(std::make_unique<SumHook>(group, options));
  // Buckets are filled in the order in which gradients come to be, which the first backward pass tells. Here
  // and not in the first update, so that a run that resumes has the buckets of the run that did not stop.
  ExpectBackward();
  small_loss().backward();
  reducer_->rebuild_buckets();
}

GradientExchange::~GradientExchange() = default;

void GradientExchange::ExpectBackward() { reducer_->prepare_for_backward({}); }

}  // namespace nmt
