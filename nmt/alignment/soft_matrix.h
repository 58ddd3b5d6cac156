// The weights between the words of a sentence pair as plain numbers, without LibTorch: what soft
// measures and merges work on.
//
//   const SoftMatrix weights_TS(/*rows=*/2, /*columns=*/3, {0.7, 0.2, 0.1,  //
//                                                           0.1, 0.8, 0.1});
//   weights_TS(1, 0);                                // 0.1: target word 1 looks at source word 0
//   std::span<const float> row = weights_TS.Row(1);  // 0.1 0.8 0.1
//
// As everywhere, attention has a row for each target word, and a column for each source word and a
// last one for </s>; rows sum to 1. Of the opposite direction, _ST, the rows are source words and
// the last column is the target's </s>.
#ifndef NMT_ALIGNMENT_SOFT_MATRIX_H_
#define NMT_ALIGNMENT_SOFT_MATRIX_H_

#include <cstdint>
#include <span>
#include <vector>

namespace nmt {

class SoftMatrix {
 public:
  SoftMatrix() = default;
  // All zero.
  SoftMatrix(int64_t rows, int64_t columns);
  // Row by row. Throws std::invalid_argument, a programmer's error, when there are not
  // rows * columns values.
  SoftMatrix(int64_t rows, int64_t columns, std::vector<float> values);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  float operator()(int64_t row, int64_t column) const { return values_[Index(row, column)]; }
  float& operator()(int64_t row, int64_t column) { return values_[Index(row, column)]; }
  std::span<const float> Row(int64_t row) const {
    return std::span(values_).subspan(Index(row, 0), static_cast<size_t>(columns_));
  }
  const std::vector<float>& values() const { return values_; }  // row by row

  bool operator==(const SoftMatrix&) const = default;

 private:
  size_t Index(int64_t row, int64_t column) const {
    return static_cast<size_t>(row * columns_ + column);
  }

  int64_t rows_ = 0, columns_ = 0;
  std::vector<float> values_;
};

}  // namespace nmt

#endif  // NMT_ALIGNMENT_SOFT_MATRIX_H_
