// y = x W^T + b for the few rows of a decoding step: the weight is laid out once for the processor, and
// a product costs no more than its multiplications.
//
//   const PackedLinear query(weight_OI, bias_O, InferencePrecision::kFp32);
//   const Tensor y_RO = query.Forward(x_RI);
//
// A general product of LibTorch first rearranges its factors, which pays for thousands of rows and
// takes longer than the product itself for five. CPU; x, b and y in float32. The plain twin:
// functional::linear.
//
//   fp32   as it is
//   bf16   x and W rounded to bf16, sums in fp32
//   int8   W rounded to 255 steps of its largest number in each output, x to 255 of its largest in each
//          row; sums are exact
#ifndef NMT_MODELS_PACKED_LINEAR_H_
#define NMT_MODELS_PACKED_LINEAR_H_

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "nmt/models/panel_product.h"

namespace nmt {

using torch::Tensor;

enum class InferencePrecision { kFp32, kBf16, kInt8 };

class PackedLinear {
 public:
  PackedLinear() = default;
  // `bias_O` may be undefined: 0.
  PackedLinear(const Tensor& weight_OI, const Tensor& bias_O, InferencePrecision precision);

  int64_t inputs() const { return inputs_; }
  int64_t outputs() const { return outputs_; }

  Tensor Forward(const Tensor& x_RI) const;

  // The same on rows that lie side by side. `add`: y += x W^T + b.
  void Forward(int64_t rows, const float* x, float* y, bool add) const;

  // Rows of x in the precision of the product. In fp32 it points to them, so they must outlive it.
  struct Input {
    const uint32_t* chunks = nullptr;  // panel_product.h
    std::vector<uint32_t> rounded;     // bf16, int8: what `chunks` points to
    std::vector<float> scales;         // int8: of each row
  };
  Input Prepare(int64_t rows, const float* x) const;

  // The panel_width(panel) outputs from panel * kPanelColumns on, of at most kRowBlock rows, from `first` on: the panel
  // stays in the cache while all rows pass it. Rows of y lie y_stride apart.
  static constexpr int64_t kRowBlock = 48;
  int64_t panels() const { return (outputs_ + kPanelColumns - 1) / kPanelColumns; }
  int64_t panel_width(int64_t panel) const;
  void ForwardPanel(int64_t panel, const Input& input, int64_t first, int64_t rows, float* y,
                    int64_t y_stride, bool add) const;

 private:
  InferencePrecision precision_ = InferencePrecision::kFp32;
  int64_t inputs_ = 0, outputs_ = 0, chunks_ = 0;  // chunks: of an input row
  std::vector<uint32_t> weight_;                   // of each panel, as panel_product.h wants it
  std::vector<float> bias_;
  std::vector<float> scales_;         // int8: of each output
  std::vector<int32_t> column_sums_;  // int8: of each output, the sum of its bytes
};

}  // namespace nmt

#endif  // NMT_MODELS_PACKED_LINEAR_H_
