#include "nmt/alignment/soft_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nmt/alignment/soft_merge.h"

namespace nmt {
namespace {

void Check(bool holds, std::string_view what) {
  if (!holds) throw std::invalid_argument(std::string(what));
}

// Columns of source words: the last column is </s>.
int64_t SourceWords(const SoftMatrix& weights_TS) {
  return std::max<int64_t>(weights_TS.columns() - 1, 0);
}

// p ln(p / q), 0 for p = 0.
double Term(double p, double q) { return p > 0 ? p * std::log(p / q) : 0; }

// Ranks from 1; equal values share the mean of theirs.
std::vector<double> Ranks(std::span<const float> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = (static_cast<double>(begin) + 1 + static_cast<double>(end)) / 2;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

// Words behind what a model reads have none.
bool HasAttention(std::span<const float> row) {
  return std::any_of(row.begin(), row.end(), [](float weight) { return weight != 0; });
}

}  // namespace

WordSum& WordSum::operator+=(const WordSum& other) {
  sum += other.sum;
  count += other.count;
  return *this;
}

std::optional<double> WordSum::Mean() const {
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

WordSum GoldMass(const SoftMatrix& weights_TS, const Links& gold) {
  WordSum mass;
  std::vector<bool> has_gold(static_cast<size_t>(weights_TS.rows()));
  for (const auto& [source, target, _] : SortedLinks(gold)) {
    Check(target < weights_TS.rows() && source < SourceWords(weights_TS),
          fmt::format("gold link {}-{} of a pair of {} and {} words", source, target,
                      SourceWords(weights_TS), weights_TS.rows()));
    mass.sum += weights_TS(target, source);
    has_gold[static_cast<size_t>(target)] = true;
  }
  mass.count = std::count(has_gold.begin(), has_gold.end(), true);
  return mass;
}

WordSum RowEntropy(const SoftMatrix& weights_TS) {
  WordSum entropy;
  for (int64_t t = 0; t < weights_TS.rows(); ++t) {
    const std::span<const float> row = weights_TS.Row(t);
    if (!HasAttention(row)) continue;
    ++entropy.count;
    for (const float weight : row) entropy.sum -= Term(weight, 1);
  }
  return entropy;
}

WordSum CoverageDeviation(const SoftMatrix& weights_TS) {
  WordSum deviation{.count = SourceWords(weights_TS)};
  for (int64_t s = 0; s < SourceWords(weights_TS); ++s) {
    double received = 0;
    for (int64_t t = 0; t < weights_TS.rows(); ++t) received += weights_TS(t, s);
    deviation.sum += std::abs(1 - received);
  }
  return deviation;
}

WordSum LinkAgreement(const Links& a, const Links& b) {
  const auto unmarked = [](Links links) {
    for (Link& link : links) link.possible = false;
    return SortedLinks(std::move(links));
  };
  const Links first = unmarked(a), second = unmarked(b);
  Links both;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(both));
  return {2 * static_cast<double>(both.size()), static_cast<int64_t>(first.size() + second.size())};
}

WordSum DirectionAgreement(const SoftMatrix& forward_TS, const SoftMatrix& backward_ST) {
  const SoftMatrix product_TS = ProductMerge(forward_TS, backward_ST);
  WordSum agreement{.count = std::min(product_TS.rows(), product_TS.columns())};
  for (int64_t t = 0; t < product_TS.rows(); ++t) {
    for (const float product : product_TS.Row(t)) agreement.sum += product;
  }
  return agreement;
}

WordSum JensenShannon(const SoftMatrix& p_TS, const SoftMatrix& q_TS) {
  Check(p_TS.rows() == q_TS.rows() && p_TS.columns() == q_TS.columns(),
        fmt::format("a divergence of {} x {} from {} x {}", p_TS.rows(), p_TS.columns(),
                    q_TS.rows(), q_TS.columns()));
  WordSum divergence;
  for (int64_t t = 0; t < p_TS.rows(); ++t) {
    if (!HasAttention(p_TS.Row(t)) || !HasAttention(q_TS.Row(t))) continue;
    ++divergence.count;
    for (int64_t s = 0; s < p_TS.columns(); ++s) {
      const double p = p_TS(t, s), q = q_TS(t, s), middle = (p + q) / 2;
      divergence.sum += (Term(p, middle) + Term(q, middle)) / 2;
    }
  }
  return divergence;
}

std::optional<double> RankCorrelation(std::span<const float> a, std::span<const float> b) {
  Check(a.size() == b.size(),
        fmt::format("a rank correlation of {} with {} weights", a.size(), b.size()));
  const std::vector<double> ranks_a = Ranks(a), ranks_b = Ranks(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double product = 0, square_a = 0, square_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double from_a = ranks_a[i] - mean, from_b = ranks_b[i] - mean;
    product += from_a * from_b;
    square_a += from_a * from_a;
    square_b += from_b * from_b;
  }
  if (square_a == 0 || square_b == 0) return std::nullopt;
  return product / std::sqrt(square_a * square_b);
}

}  // namespace nmt
