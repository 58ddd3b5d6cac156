// Products of some rows with 64 columns of a weight: the inner loop of packed_linear.h.
//
//   out[r][c] = sum_k x[r][k] panel[k][c]
//
// Numbers are in chunks of 32 bits: one of float, two of bf16, four of int8. A processor with AVX-512
// multiplies 16 columns chunk by chunk, each with a sum of its own in 32 bits, and a tile of six rows by 64
// columns has all its sums in registers. Elsewhere the same loop runs as plain arithmetic.
#ifndef NMT_MODELS_PANEL_PRODUCT_H_
#define NMT_MODELS_PANEL_PRODUCT_H_

#include <cstdint>

namespace nmt {

inline constexpr int64_t kPanelColumns = 64;

// Whether this program was compiled for a processor with such instructions.
bool HasPanelInstructions();

// x: rows of chunks, side by side. panel: for each chunk of a row, the chunks of the 64 columns. out:
// [rows 64].
struct PanelProduct {
  int64_t rows, chunks;
  const uint32_t* x;
  const uint32_t* panel;
};
void MultiplyFp32(const PanelProduct& product, float* out);
void MultiplyBf16(const PanelProduct& product, float* out);
// Bytes of x are unsigned, those of the panel signed; the sums are exact.
void MultiplyInt8(const PanelProduct& product, int32_t* out);

// The plain arithmetic, which the above are tested against.
void MultiplyFp32Plain(const PanelProduct& product, float* out);
void MultiplyBf16Plain(const PanelProduct& product, float* out);
void MultiplyInt8Plain(const PanelProduct& product, int32_t* out);

}  // namespace nmt

#endif  // NMT_MODELS_PANEL_PRODUCT_H_
