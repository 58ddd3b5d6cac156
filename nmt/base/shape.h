// Shapes in the code's own letters: B batch, S source length, T target length, D model, H heads, K
// head size, A attention size, V vocabulary, L layers.
//
//   CheckShape(query_BTD, "B T D", {{"D", model_size}}, "query");
#ifndef NMT_BASE_SHAPE_H_
#define NMT_BASE_SHAPE_H_

#include <torch/types.h>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace nmt {

// Checks the number of dimensions of `tensor` against the letters in `letters` (separated by
// blanks; a number stands for itself) and the size of each letter that `sizes` binds. A letter that
// occurs twice must have one size. A programmer's error, so it throws; the message holds `name`,
// the letters and the shape found.
void CheckShape(const torch::Tensor& tensor, std::string_view letters,
                std::initializer_list<std::pair<std::string_view, int64_t>> sizes,
                std::string_view name);

}  // namespace nmt

#endif  // NMT_BASE_SHAPE_H_
