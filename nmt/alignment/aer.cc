#include "nmt/alignment/aer.h"

#include <fmt/format.h>

#include <algorithm>

namespace nmt {
namespace {

double Ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

AerCounts& AerCounts::operator+=(const AerCounts& other) {
  hypothesis += other.hypothesis;
  sure += other.sure;
  possible += other.possible;
  matched_sure += other.matched_sure;
  matched_possible += other.matched_possible;
  return *this;
}

AerCounts CountAer(const Links& hypothesis, const Links& gold) {
  const Links hypothesis_set = SortedLinks(hypothesis);
  const Links gold_set = SortedLinks(gold);
  const auto contains = [&gold_set](const Link& link) {
    return std::binary_search(gold_set.begin(), gold_set.end(), link);
  };
  AerCounts counts;
  counts.hypothesis = static_cast<int64_t>(hypothesis_set.size());
  counts.possible = static_cast<int64_t>(gold_set.size());
  counts.sure = std::count_if(gold_set.begin(), gold_set.end(),
                              [](const Link& link) { return !link.possible; });
  for (const auto& [source, target, _] : hypothesis_set) {
    const bool is_sure = contains({source, target, /*possible=*/false});
    if (is_sure) ++counts.matched_sure;
    if (is_sure || contains({source, target, /*possible=*/true})) ++counts.matched_possible;
  }
  return counts;
}

AerScore ComputeAer(const AerCounts& counts) {
  AerScore score;
  score.counts = counts;
  score.precision = Ratio(counts.matched_possible, counts.hypothesis);
  score.recall = Ratio(counts.matched_sure, counts.sure);
  const double sum = score.precision + score.recall;
  score.f_measure = sum == 0 ? 0 : 2 * score.precision * score.recall / sum;
  score.aer =
      1 - Ratio(counts.matched_sure + counts.matched_possible, counts.hypothesis + counts.sure);
  return score;
}

absl::StatusOr<AerScore> CorpusAer(const std::vector<Links>& hypotheses,
                                   const std::vector<Links>& golds) {
  if (hypotheses.size() != golds.size()) {
    return DataError(
        fmt::format("the hypothesis has links for {} sentences, but the gold links are for {}",
                    hypotheses.size(), golds.size()));
  }
  AerCounts sum;
  for (size_t i = 0; i < golds.size(); ++i) sum += CountAer(hypotheses[i], golds[i]);
  return ComputeAer(sum);
}

}  // namespace nmt
