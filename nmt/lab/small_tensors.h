// Tensors written out as rows of numbers, and read back: the lab's sums are small enough to print.
#ifndef NMT_LAB_SMALL_TENSORS_H_
#define NMT_LAB_SMALL_TENSORS_H_

#include <torch/types.h>

#include <string>
#include <vector>

namespace nmt {

using torch::Tensor;

// One sentence, one head: float64 [1 1 rows columns].
Tensor Rows(const std::vector<std::vector<double>>& rows);

// All numbers, in order.
std::vector<double> Numbers(const Tensor& x);
std::vector<float> Floats(const Tensor& x);

// The numbers of each row, for a table: "0.64", so many digits behind the point.
std::vector<std::string> Cells(const Tensor& row, int decimals);

}  // namespace nmt

#endif  // NMT_LAB_SMALL_TENSORS_H_
