// What a piece of tensor code costs: time, multiply-adds of its matrix products, and memory.
//
//   Cost cost = MeasureCost([&] { AdditiveScore(query, key, v); }, torch::kCPU);
#ifndef NMT_LAB_COST_H_
#define NMT_LAB_COST_H_

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace nmt {

struct Cost {
  double seconds = 0;         // median of several calls, after one that does not count
  int64_t multiply_adds = 0;  // of one call, counted from the shapes that the products really had
  int64_t peak_bytes = 0;     // most memory that one call held at a time, above what was there
};

// LibTorch works on one thread until the end of the scope. Sharing small sums among threads costs
// more than it saves, and one thread gives the same digits on every machine.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_;
};

// `work` runs several times on `device`, about `seconds` long in all; on the CPU on one thread,
// whose times another program beside it disturbs less.
Cost MeasureCost(const std::function<void()>& work, torch::Device device, double seconds = 0.3);

// The exponent b of y = a x^b: the slope of the least-squares line through the logarithms.
double FittedExponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace nmt

#endif  // NMT_LAB_COST_H_
