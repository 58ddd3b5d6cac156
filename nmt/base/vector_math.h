// exp and tanh as straight-line code that the compiler turns into vector instructions: a loop over
// them runs at the width of the processor, which a call into the C library does not.
//
//   for (int64_t i = 0; i < n; ++i) y[i] = FastExp(x[i]);
//
// In float they err by less than 2e-7 of the result (a test walks the whole range); in double they
// are the C library's, so that the same kernel can be checked in float64.
#ifndef NMT_BASE_VECTOR_MATH_H_
#define NMT_BASE_VECTOR_MATH_H_

#include <bit>
#include <cmath>
#include <cstdint>

namespace nmt {

// e^x = 2^n e^r with n = round(x / ln 2), |r| <= ln 2 / 2; e^r by its Taylor polynomial of degree 7.
// Below -87.3, where e^x leaves the normal numbers, 0; above 88.3, the largest value of the format.
inline float FastExp(float x) {
  constexpr float kLowest = -87.3f, kHighest = 88.3f;
  constexpr float kLog2E = 1.44269504f;
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;  // ln 2 in two parts
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer
  const float bounded = x < kLowest ? kLowest : (x > kHighest ? kHighest : x);
  const float shifted = bounded * kLog2E + kRound;
  const float n = shifted - kRound;
  const float r = (bounded - n * kLn2High) - n * kLn2Low;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const int32_t exponent = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kRound);
  const float power = std::bit_cast<float>((exponent + 127) << 23);
  return x < kLowest ? 0.0f : p * power;
}
inline double FastExp(double x) { return std::exp(x); }

// sigma(x) = 1 / (1 + e^-x)
template <typename Real>
Real FastSigmoid(Real x) {
  return Real(1) / (Real(1) + FastExp(-x));
}

// tanh(x) = (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x; near 0, where the difference would
// cancel, the odd polynomial x - x^3/3 + 2x^5/15 - 17x^7/315.
inline float FastTanh(float x) {
  const float size = std::abs(x);
  const float e = FastExp(-2 * size);
  const float far = (1 - e) / (1 + e);
  const float s = size * size;
  const float near =
      size * (1 + s * (-1.0f / 3 + s * (2.0f / 15 + s * (-17.0f / 315 + s * (62.0f / 2835)))));
  return std::copysign(size < 0.2f ? near : far, x);
}
inline double FastTanh(double x) { return std::tanh(x); }

// bf16 is the upper half of a float's bits; rounded to the nearest, ties to even.
inline float FloatOfBf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
inline uint16_t Bf16OfFloat(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// Numbers as they lie in memory: of the format itself, or the bits of bf16.
inline float Load(float x) { return x; }
inline double Load(double x) { return x; }
inline float Load(uint16_t bits) { return FloatOfBf16(bits); }
inline void Store(float x, float& out) { out = x; }
inline void Store(double x, double& out) { out = x; }
inline void Store(float x, uint16_t& out) { out = Bf16OfFloat(x); }

}  // namespace nmt

#endif  // NMT_BASE_VECTOR_MATH_H_
