#include "nmt/base/shape.h"

#include <torch/torch.h>

#include <charconv>
#include <map>
#include <string>

namespace nmt {

void CheckShape(const torch::Tensor& tensor, std::string_view letters,
                std::initializer_list<std::pair<std::string_view, int64_t>> sizes,
                std::string_view name) {
  std::map<std::string_view, int64_t> bound(sizes.begin(), sizes.end());
  bool agrees = tensor.defined();
  int64_t dimension = 0;
  for (size_t begin = 0; agrees && begin < letters.size(); ++dimension) {
    const size_t end = std::min(letters.find(' ', begin), letters.size());
    const std::string_view letter = letters.substr(begin, end - begin);
    begin = end + 1;
    if (dimension >= tensor.dim()) {
      agrees = false;
      break;
    }
    int64_t expected = tensor.size(dimension);
    if (std::from_chars(letter.data(), letter.data() + letter.size(), expected).ec != std::errc()) {
      expected = bound.emplace(letter, expected).first->second;
    }
    agrees = tensor.size(dimension) == expected;
  }
  if (agrees && dimension == tensor.dim()) return;
  std::string expected;
  for (const auto& [letter, size] : sizes) {
    expected.append(" ").append(letter).append("=").append(std::to_string(size));
  }
  TORCH_CHECK(false, name, ": expected shape [", letters, "]", expected.empty() ? "" : " with",
              expected, ", found ",
              tensor.defined() ? c10::str(tensor.sizes()) : std::string("no tensor"));
}

}  // namespace nmt
