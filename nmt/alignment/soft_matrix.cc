#include "nmt/alignment/soft_matrix.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace nmt {

SoftMatrix::SoftMatrix(int64_t rows, int64_t columns)
    : SoftMatrix(rows, columns, std::vector<float>(static_cast<size_t>(rows * columns))) {}

SoftMatrix::SoftMatrix(int64_t rows, int64_t columns, std::vector<float> values)
    : rows_(rows), columns_(columns), values_(std::move(values)) {
  if (static_cast<int64_t>(values_.size()) != rows * columns) {
    throw std::invalid_argument(
        fmt::format("a matrix of {} x {} was given {} values", rows, columns, values_.size()));
  }
}

}  // namespace nmt
