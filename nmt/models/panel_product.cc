#include "nmt/models/panel_product.h"

#include <algorithm>
#include <bit>

#include "nmt/base/vector_math.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace nmt {
namespace {

#if defined(__AVX512F__)
constexpr int64_t kTileRows = 6;
constexpr int64_t kVectors = kPanelColumns / 16;

// What one instruction does to 16 sums: each gets the product of a chunk of x with its column's.
struct Fp32Sums {
  using Sums = __m512;
  static Sums Zero() { return _mm512_setzero_ps(); }
  static Sums Add(Sums sums, __m512i x, __m512i w) {
    return _mm512_fmadd_ps(_mm512_castsi512_ps(x), _mm512_castsi512_ps(w), sums);
  }
  static void Store(float* out, Sums sums) { _mm512_storeu_ps(out, sums); }
};
#if defined(__AVX512BF16__)
struct Bf16Sums : Fp32Sums {
  static Sums Add(Sums sums, __m512i x, __m512i w) {
    return _mm512_dpbf16_ps(sums, reinterpret_cast<__m512bh>(x), reinterpret_cast<__m512bh>(w));
  }
};
#endif
#if defined(__AVX512VNNI__)
struct Int8Sums {
  using Sums = __m512i;
  static Sums Zero() { return _mm512_setzero_si512(); }
  static Sums Add(Sums sums, __m512i x, __m512i w) { return _mm512_dpbusd_epi32(sums, x, w); }
  static void Store(int32_t* out, Sums sums) { _mm512_storeu_si512(out, sums); }
};
#endif

// Unrolled, or GCC keeps the sums in memory.
template <typename Kind, int64_t rows, typename Out>
void Tile(int64_t chunks, const uint32_t* x, const uint32_t* panel, Out* out) {
  typename Kind::Sums sums[rows][kVectors];
#pragma GCC unroll 8
  for (int64_t row = 0; row < rows; ++row)
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v) sums[row][v] = Kind::Zero();
#pragma GCC unroll 1
  for (int64_t k = 0; k < chunks; ++k) {
    __m512i w[kVectors];
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v)
      w[v] = _mm512_loadu_si512(panel + k * kPanelColumns + v * 16);
#pragma GCC unroll 8
    for (int64_t row = 0; row < rows; ++row) {
      const __m512i chunk = _mm512_set1_epi32(static_cast<int32_t>(x[row * chunks + k]));
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) sums[row][v] = Kind::Add(sums[row][v], chunk, w[v]);
    }
  }
#pragma GCC unroll 8
  for (int64_t row = 0; row < rows; ++row)
#pragma GCC unroll 8
    for (int64_t v = 0; v < kVectors; ++v)
      Kind::Store(out + row * kPanelColumns + v * 16, sums[row][v]);
}

template <typename Kind, typename Out>
void Multiply(const PanelProduct& product, Out* out) {
  const auto [rows, chunks, x, panel] = product;
  for (int64_t row = 0; row < rows; row += kTileRows) {
    const uint32_t* its_x = x + row * chunks;
    Out* its_out = out + row * kPanelColumns;
    switch (std::min(kTileRows, rows - row)) {
      case 1:
        Tile<Kind, 1>(chunks, its_x, panel, its_out);
        break;
      case 2:
        Tile<Kind, 2>(chunks, its_x, panel, its_out);
        break;
      case 3:
        Tile<Kind, 3>(chunks, its_x, panel, its_out);
        break;
      case 4:
        Tile<Kind, 4>(chunks, its_x, panel, its_out);
        break;
      case 5:
        Tile<Kind, 5>(chunks, its_x, panel, its_out);
        break;
      default:
        Tile<Kind, 6>(chunks, its_x, panel, its_out);
    }
  }
}
#endif

template <typename Out, typename ChunkProduct>
void MultiplyPlain(const PanelProduct& product, Out* out, const ChunkProduct& of_chunks) {
  const auto [rows, chunks, x, panel] = product;
  std::fill(out, out + rows * kPanelColumns, Out(0));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = 0; k < chunks; ++k) {
      for (int64_t c = 0; c < kPanelColumns; ++c)
        out[row * kPanelColumns + c] +=
            of_chunks(x[row * chunks + k], panel[k * kPanelColumns + c]);
    }
  }
}

}  // namespace

bool HasPanelInstructions() {
#if defined(__AVX512F__)
  return true;
#else
  return false;
#endif
}

void MultiplyFp32Plain(const PanelProduct& product, float* out) {
  MultiplyPlain(product, out, [](uint32_t a, uint32_t b) {
    return std::bit_cast<float>(a) * std::bit_cast<float>(b);
  });
}

void MultiplyBf16Plain(const PanelProduct& product, float* out) {
  MultiplyPlain(product, out, [](uint32_t a, uint32_t b) {
    const auto low = [](uint32_t chunk) { return FloatOfBf16(static_cast<uint16_t>(chunk)); };
    return low(a) * low(b) + low(a >> 16) * low(b >> 16);
  });
}

void MultiplyInt8Plain(const PanelProduct& product, int32_t* out) {
  MultiplyPlain(product, out, [](uint32_t a, uint32_t b) {
    int32_t sum = 0;
    for (int shift = 0; shift < 32; shift += 8)
      sum += static_cast<uint8_t>(a >> shift) * static_cast<int8_t>(b >> shift);
    return sum;
  });
}

void MultiplyFp32(const PanelProduct& product, float* out) {
#if defined(__AVX512F__)
  Multiply<Fp32Sums>(product, out);
#else
  MultiplyFp32Plain(product, out);
#endif
}

void MultiplyBf16(const PanelProduct& product, float* out) {
#if defined(__AVX512BF16__)
  Multiply<Bf16Sums>(product, out);
#else
  MultiplyBf16Plain(product, out);
#endif
}

void MultiplyInt8(const PanelProduct& product, int32_t* out) {
#if defined(__AVX512VNNI__)
  Multiply<Int8Sums>(product, out);
#else
  MultiplyInt8Plain(product, out);
#endif
}

}  // namespace nmt
