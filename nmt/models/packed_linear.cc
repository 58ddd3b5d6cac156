#include "nmt/models/packed_linear.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstring>

#include "nmt/base/vector_row.h"

namespace nmt {
namespace {

// Multiplications below which a second thread costs more than it saves.
constexpr int64_t kParallelWork = int64_t{1} << 19;

// Bytes of x are unsigned for the processor: what is added to them comes off the sums again.
constexpr int32_t kInt8Offset = 128;

int64_t NumbersInChunk(InferencePrecision precision) {
  switch (precision) {
    case InferencePrecision::kBf16:
      return 2;
    case InferencePrecision::kInt8:
      return 4;
    default:
      return 1;
  }
}

// As bf16 numbers.
[[gnu::noinline]] void RoundToBf16(const float* x, int64_t count, uint16_t* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = Bf16OfFloat(x[i]);
}

// As bytes round(x / scale) + offset; gives the scale, of which the largest number has 127. Rounded to the
// nearest by adding and taking away 1.5 * 2^23, as in vector_math.h.
[[gnu::noinline]] float RoundToInt8(const float* x, int64_t count, int32_t offset, uint8_t* out) {
  constexpr float kRound = 12582912.0f;
  const float largest = std::max(MaxRow(x, count), -MinRow(x, count));
  const float inverse = largest > 0 ? 127 / largest : 0;
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<uint8_t>(static_cast<int32_t>(x[i] * inverse + kRound - kRound) + offset);
  return largest / 127 + 0 * SumRow(x, count);  // NaN must stay NaN
}

// From products of bytes to the numbers that they stand for.
[[gnu::noinline]] void ScaleProducts(const int32_t* __restrict products,
                                     const int32_t* __restrict column_sums,
                                     const float* __restrict scales, float row_scale, int64_t count,
                                     float* __restrict out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(products[i] - kInt8Offset * column_sums[i]) * row_scale * scales[i];
  }
}

// y = a + b
[[gnu::noinline]] void SumOfRows(const float* __restrict a, const float* __restrict b,
                                 int64_t count, float* __restrict y) {
  for (int64_t i = 0; i < count; ++i) y[i] = a[i] + b[i];
}

// y += a + b
[[gnu::noinline]] void AddTwoRows(const float* __restrict a, const float* __restrict b,
                                  int64_t count, float* __restrict y) {
  for (int64_t i = 0; i < count; ++i) y[i] += a[i] + b[i];
}

}  // namespace

PackedLinear::PackedLinear(const Tensor& weight_OI, const Tensor& bias_O,
                           InferencePrecision precision)
    : precision_(precision), inputs_(weight_OI.size(1)), outputs_(weight_OI.size(0)) {
  const torch::NoGradGuard no_grad;
  const Tensor weight = weight_OI.detach().to(torch::kFloat32).contiguous();
  bias_.resize(static_cast<size_t>(outputs_));
  if (bias_O.defined()) {
    const Tensor bias = bias_O.detach().to(torch::kFloat32).contiguous();
    std::copy_n(bias.const_data_ptr<float>(), outputs_, bias_.begin());
  }
  const int64_t numbers = NumbersInChunk(precision);
  chunks_ = (inputs_ + numbers - 1) / numbers;
  weight_.resize(static_cast<size_t>(panels() * chunks_ * kPanelColumns));
  std::vector<uint32_t> row_chunks(static_cast<size_t>(chunks_));
  for (int64_t o = 0; o < outputs_; ++o) {
    const float* row = weight.const_data_ptr<float>() + o * inputs_;
    if (precision == InferencePrecision::kFp32) {
      std::memcpy(row_chunks.data(), row, static_cast<size_t>(inputs_) * sizeof(float));
    } else if (precision == InferencePrecision::kBf16) {
      RoundToBf16(row, inputs_, reinterpret_cast<uint16_t*>(row_chunks.data()));
    } else {
      auto* bytes = reinterpret_cast<uint8_t*>(row_chunks.data());
      scales_.push_back(RoundToInt8(row, inputs_, /*offset=*/0, bytes));
      int32_t sum = 0;
      for (int64_t i = 0; i < inputs_; ++i) sum += static_cast<int8_t>(bytes[i]);
      column_sums_.push_back(sum);
    }
    uint32_t* place =
        weight_.data() + o / kPanelColumns * chunks_ * kPanelColumns + o % kPanelColumns;
    for (size_t k = 0; k < row_chunks.size(); ++k) place[k * kPanelColumns] = row_chunks[k];
  }
}

int64_t PackedLinear::panel_width(int64_t panel) const {
  return std::min(kPanelColumns, outputs_ - panel * kPanelColumns);
}

PackedLinear::Input PackedLinear::Prepare(int64_t rows, const float* x) const {
  Input input;
  if (precision_ == InferencePrecision::kFp32) {
    input.chunks = reinterpret_cast<const uint32_t*>(x);
    return input;
  }
  input.rounded.resize(static_cast<size_t>(rows * chunks_));
  for (int64_t row = 0; row < rows; ++row) {
    uint32_t* place = input.rounded.data() + row * chunks_;
    if (precision_ == InferencePrecision::kBf16) {
      RoundToBf16(x + row * inputs_, inputs_, reinterpret_cast<uint16_t*>(place));
    } else {
      input.scales.push_back(
          RoundToInt8(x + row * inputs_, inputs_, kInt8Offset, reinterpret_cast<uint8_t*>(place)));
    }
  }
  input.chunks = input.rounded.data();
  return input;
}

void PackedLinear::ForwardPanel(int64_t panel, const Input& input, int64_t first, int64_t rows,
                                float* y, int64_t y_stride, bool add) const {
  const int64_t width = panel_width(panel);
  const PanelProduct product{rows, chunks_, input.chunks + first * chunks_,
                             weight_.data() + panel * chunks_ * kPanelColumns};
  alignas(64) float sums[kRowBlock * kPanelColumns];
  if (precision_ == InferencePrecision::kFp32) {
    MultiplyFp32(product, sums);
  } else if (precision_ == InferencePrecision::kBf16) {
    MultiplyBf16(product, sums);
  } else {
    alignas(64) int32_t products[kRowBlock * kPanelColumns];
    MultiplyInt8(product, products);
    for (int64_t row = 0; row < rows; ++row) {
      ScaleProducts(products + row * kPanelColumns, column_sums_.data() + panel * kPanelColumns,
                    scales_.data() + panel * kPanelColumns,
                    input.scales[static_cast<size_t>(first + row)], width,
                    sums + row * kPanelColumns);
    }
  }
  const float* bias = bias_.data() + panel * kPanelColumns;
  for (int64_t row = 0; row < rows; ++row) {
    if (add) {
      AddTwoRows(sums + row * kPanelColumns, bias, width, y + row * y_stride);
    } else {
      SumOfRows(sums + row * kPanelColumns, bias, width, y + row * y_stride);
    }
  }
}

void PackedLinear::Forward(int64_t rows, const float* x, float* y, bool add) const {
  const Input input = Prepare(rows, x);
  const int64_t grain = rows * inputs_ * outputs_ < kParallelWork ? panels() : 1;
  at::parallel_for(0, panels(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
      for (int64_t first = 0; first < rows; first += kRowBlock) {
        ForwardPanel(panel, input, first, std::min(kRowBlock, rows - first),
                     y + first * outputs_ + panel * kPanelColumns, outputs_, add);
      }
    }
  });
}

Tensor PackedLinear::Forward(const Tensor& x_RI) const {
  TORCH_CHECK(x_RI.dim() == 2 && x_RI.size(1) == inputs_, "expected [R ", inputs_, "], got ",
              x_RI.sizes());
  const Tensor x = x_RI.contiguous(), y = torch::empty({x_RI.size(0), outputs_});
  Forward(x.size(0), x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), /*add=*/false);
  return y;
}

}  // namespace nmt
