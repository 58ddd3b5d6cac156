#include "nmt/alignment/soft_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace nmt {

SoftMatrix ProductMerge(const SoftMatrix& forward_TS, const SoftMatrix& backward_ST) {
  const int64_t T = forward_TS.rows(), S = backward_ST.rows();
  if (forward_TS.columns() != S + 1 || backward_ST.columns() != T + 1) {
    throw std::invalid_argument(
        fmt::format("a merge of {} x {} with {} x {}: expected T x (S + 1) and S x (T + 1)", T,
                    forward_TS.columns(), S, backward_ST.columns()));
  }
  SoftMatrix product_TS(T, S);
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t s = 0; s < S; ++s) product_TS(t, s) = forward_TS(t, s) * backward_ST(s, t);
  }
  return product_TS;
}

Links LinksAbove(const SoftMatrix& product_TS, double threshold) {
  if (!(threshold > 0)) {
    throw std::invalid_argument(fmt::format("a threshold of {}: expected one above 0", threshold));
  }
  Links links;
  for (int64_t t = 0; t < product_TS.rows(); ++t) {
    for (int64_t s = 0; s < product_TS.columns(); ++s) {
      if (product_TS(t, s) >= threshold) links.push_back({s, t});
    }
  }
  return SortedLinks(std::move(links));
}

Links LinksOfLargest(const SoftMatrix& product_TS) {
  Links links;
  for (int64_t t = 0; t < product_TS.rows(); ++t) {
    const auto row = product_TS.Row(t);
    const auto largest = std::max_element(row.begin(), row.end());
    if (largest != row.end() && *largest > 0) links.push_back({largest - row.begin(), t});
  }
  return SortedLinks(std::move(links));
}

}  // namespace nmt
