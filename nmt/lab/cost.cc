#include "nmt/lab/cost.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>

namespace nmt {
namespace {

// Follows what LibTorch's allocators hand out and take back on this thread.
class MemoryMeter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*pointer*/, int64_t bytes, size_t /*allocated*/,
                         size_t /*reserved*/, c10::Device /*device*/) override {
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  int64_t held_ = 0, peak_ = 0;
};

// The matrix products that others are made of. `first` is the argument that holds the left factor.
struct Product {
  std::string_view name;
  size_t first;
};
constexpr Product kProducts[] = {{"aten::mm", 0},    {"aten::bmm", 0},   {"aten::mv", 0},
                                 {"aten::dot", 0},   {"aten::addmm", 1}, {"aten::baddbmm", 1},
                                 {"aten::addmv", 1}, {"aten::addbmm", 1}};

thread_local int64_t counted_multiply_adds = 0;

// [… M K] times [… K N] takes M K N for each matrix: the left factor's numbers times N.
std::unique_ptr<at::ObserverContext> CountProduct(const at::RecordFunction& function) {
  for (const Product& product : kProducts) {
    if (product.name != function.name()) continue;
    const auto inputs = function.inputs();
    if (inputs.size() < product.first + 2) continue;
    const torch::Tensor& left = inputs[product.first].toTensor();
    const torch::Tensor& right = inputs[product.first + 1].toTensor();
    const int64_t columns = right.dim() >= 2 ? right.size(-1) : 1;
    counted_multiply_adds += left.numel() * columns;
  }
  return nullptr;
}

int64_t CountMultiplyAdds(const std::function<void()>& work) {
  counted_multiply_adds = 0;
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(&CountProduct)
                                                     .needsInputs(true)
                                                     .scopes({at::RecordScope::FUNCTION}));
  work();
  at::removeCallback(handle);
  return counted_multiply_adds;
}

}  // namespace

OneThread::OneThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
OneThread::~OneThread() { at::set_num_threads(before_); }

Cost MeasureCost(const std::function<void()>& work, torch::Device device, double seconds) {
  const OneThread one_thread;
  const auto timed = [&] {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    work();
    if (device.is_cuda()) torch::cuda::synchronize();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  Cost cost;
  cost.multiply_adds = CountMultiplyAdds(work);
  {
    const auto meter = std::make_shared<MemoryMeter>();
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    work();
    cost.peak_bytes = meter->peak();
  }
  std::vector<double> times;
  double total = 0;
  constexpr size_t kFewest = 5, kMost = 1000;
  while (times.size() < kMost && (times.size() < kFewest || total < seconds)) {
    times.push_back(timed());
    total += times.back();
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  cost.seconds = times[times.size() / 2];
  return cost;
}

double FittedExponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0, mean_y = 0, covariance = 0, variance = 0;
  const auto count = static_cast<double>(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    covariance += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    variance += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return covariance / variance;
}

}  // namespace nmt
