// Sums over rows of floats at the width of the processor. The compiler may not reorder a float sum by
// itself; these keep one partial sum a lane, which fixes the order for good.
//
//   const float score = DotRow(query, key, head_size) * scale;
#ifndef NMT_BASE_VECTOR_ROW_H_
#define NMT_BASE_VECTOR_ROW_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "nmt/base/vector_math.h"

namespace nmt {

inline constexpr int64_t kRowLanes = 16;
using RowVector = float __attribute__((vector_size(kRowLanes * sizeof(float))));

inline RowVector LoadRow(const float* x) {
  RowVector v;
  std::memcpy(&v, x, sizeof(v));
  return v;
}
inline void StoreRow(RowVector v, float* x) { std::memcpy(x, &v, sizeof(v)); }

inline float SumLanes(RowVector v) {
  const auto eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
                    __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// sum_i a_i b_i
inline float DotRow(const float* a, const float* b, int64_t n) {
  RowVector sum{};
  int64_t i = 0;
  for (; i + kRowLanes <= n; i += kRowLanes) sum += LoadRow(a + i) * LoadRow(b + i);
  float total = SumLanes(sum);
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

inline float SumRow(const float* a, int64_t n) {
  RowVector sum{};
  int64_t i = 0;
  for (; i + kRowLanes <= n; i += kRowLanes) sum += LoadRow(a + i);
  float total = SumLanes(sum);
  for (; i < n; ++i) total += a[i];
  return total;
}

// The largest of n >= 1 numbers; NaN anywhere need not be seen.
inline float MaxRow(const float* a, int64_t n) {
  float lanes[kRowLanes];
  std::fill(lanes, lanes + kRowLanes, a[0]);
  int64_t i = 0;
  for (; i + kRowLanes <= n; i += kRowLanes) {
    for (int64_t lane = 0; lane < kRowLanes; ++lane)
      lanes[lane] = a[i + lane] > lanes[lane] ? a[i + lane] : lanes[lane];
  }
  float largest = *std::max_element(lanes, lanes + kRowLanes);
  for (; i < n; ++i) largest = std::max(largest, a[i]);
  return largest;
}

// The smallest, likewise.
inline float MinRow(const float* a, int64_t n) {
  float lanes[kRowLanes];
  std::fill(lanes, lanes + kRowLanes, a[0]);
  int64_t i = 0;
  for (; i + kRowLanes <= n; i += kRowLanes) {
    for (int64_t lane = 0; lane < kRowLanes; ++lane)
      lanes[lane] = a[i + lane] < lanes[lane] ? a[i + lane] : lanes[lane];
  }
  float smallest = *std::min_element(lanes, lanes + kRowLanes);
  for (; i < n; ++i) smallest = std::min(smallest, a[i]);
  return smallest;
}

// y += factor x
inline void AddScaledRow(float factor, const float* x, float* y, int64_t n) {
  int64_t i = 0;
  for (; i + kRowLanes <= n; i += kRowLanes)
    StoreRow(LoadRow(y + i) + factor * LoadRow(x + i), y + i);
  for (; i < n; ++i) y[i] += factor * x[i];
}

// sum_i e^(x_i - shift); the terms replace the x_i if `keep`.
template <bool keep>
[[gnu::noinline]] float ExpRow(std::conditional_t<keep, float*, const float*> x, float shift,
                               int64_t n) {
  float lanes[kRowLanes] = {};
  int64_t i = 0;
  for (; i + kRowLanes <= n; i += kRowLanes) {
    for (int64_t lane = 0; lane < kRowLanes; ++lane) {
      const float e = FastExp(x[i + lane] - shift);
      if constexpr (keep) x[i + lane] = e;
      lanes[lane] += e;
    }
  }
  for (; i < n; ++i) {
    const float e = FastExp(x[i] - shift);
    if constexpr (keep) x[i] = e;
    lanes[0] += e;
  }
  return SumRow(lanes, kRowLanes);
}

}  // namespace nmt

#endif  // NMT_BASE_VECTOR_ROW_H_
