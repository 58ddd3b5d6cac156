#include "nmt/report/attention_summary.h"

#include <algorithm>

#include "nmt/text/lines.h"

namespace nmt {
namespace {

// The weight of the columns that are marked, over all rows.
WordSum MassOn(const SoftMatrix& weights_TS, const std::vector<bool>& marked) {
  WordSum mass;
  for (int64_t t = 0; t < weights_TS.rows(); ++t) {
    const auto row = weights_TS.Row(t);
    if (std::all_of(row.begin(), row.end(), [](float weight) { return weight == 0; })) continue;
    ++mass.count;
    for (int64_t s = 0; s < weights_TS.columns(); ++s) {
      if (marked[static_cast<size_t>(s)]) mass.sum += weights_TS(t, s);
    }
  }
  return mass;
}

std::vector<bool> PunctuationOf(const std::string& source, size_t columns) {
  std::vector<bool> marked(columns, false);
  const std::vector<WordSpan> words = WordSpans(source);
  for (size_t s = 0; s < words.size() && s < marked.size(); ++s) {
    marked[s] = IsPunctuation(
        std::string_view(source).substr(words[s].begin, words[s].end - words[s].begin));
  }
  return marked;
}

WordSum RankCorrelations(const SoftMatrix& a_TS, const SoftMatrix& b_TS) {
  WordSum sum;
  for (int64_t t = 0; t < a_TS.rows(); ++t) {
    if (const auto correlation = RankCorrelation(a_TS.Row(t), b_TS.Row(t))) {
      sum += {.sum = *correlation, .count = 1};
    }
  }
  return sum;
}

}  // namespace

AttentionSummary::Pairs AttentionSummary::AllPairs(size_t models) {
  Pairs pairs;
  for (size_t a = 0; a < models; ++a) {
    for (size_t b = a + 1; b < models; ++b) pairs.emplace_back(a, b);
  }
  return pairs;
}

AttentionSummary::AttentionSummary(size_t models, Pairs pairs) : models_(models) {
  for (const auto& [a, b] : pairs) pairs_.push_back({.a = a, .b = b});
}

void AttentionSummary::Add(const std::vector<SoftMatrix>& forced_TS, SentenceRecord& record) {
  if (forced_TS.size() != models_.size() || forced_TS.empty()) return;
  record.divergence.assign(pairs_.size(), std::nullopt);
  if (forced_TS[0].rows() == 0 || forced_TS[0].columns() < 2) return;
  const auto columns = static_cast<size_t>(forced_TS[0].columns());
  std::vector<bool> end(columns, false);
  end.back() = true;
  const std::vector<bool> punctuation = PunctuationOf(record.source, columns);
  const bool has_punctuation =
      std::find(punctuation.begin(), punctuation.end(), true) != punctuation.end();
  for (size_t m = 0; m < models_.size(); ++m) {
    OfModel& model = models_[m];
    const WordSum entropy = RowEntropy(forced_TS[m]);
    const WordSum coverage = CoverageDeviation(forced_TS[m]);
    record.entropy.push_back(entropy.Mean());
    record.coverage.push_back(coverage.Mean());
    model.entropy += entropy;
    model.coverage += coverage;
    model.end_mass += MassOn(forced_TS[m], end);
    if (has_punctuation) model.punctuation_mass += MassOn(forced_TS[m], punctuation);
    if (!record.gold) continue;
    const AerCounts counts = CountAer(record.reference_links[m], *record.gold);
    // Of a sentence without gold links there is no rate; the corpus counts it as nmt aer does.
    record.aer.push_back(record.gold->empty() ? std::nullopt
                                              : std::optional(ComputeAer(counts).aer));
    model.aer += counts;
    model.gold_mass += GoldMass(forced_TS[m], *record.gold);
    has_gold_ = true;
  }
  for (size_t p = 0; p < pairs_.size(); ++p) {
    OfPair& pair = pairs_[p];
    const auto &a_TS = forced_TS[pair.a], &b_TS = forced_TS[pair.b];
    const WordSum divergence = JensenShannon(a_TS, b_TS);
    record.divergence[p] = divergence.Mean();
    pair.divergence += divergence;
    pair.links += LinkAgreement(record.reference_links[pair.a], record.reference_links[pair.b]);
    pair.rank_correlation += RankCorrelations(a_TS, b_TS);
  }
}

void AttentionSummary::Finish(Comparison& comparison) const {
  for (size_t m = 0; m < models_.size(); ++m) {
    ModelResult& model = comparison.models[m];
    const OfModel& sums = models_[m];
    model.alignment.entropy = sums.entropy.Mean();
    model.alignment.coverage_deviation = sums.coverage.Mean();
    model.alignment.end_mass = sums.end_mass.Mean();
    model.alignment.punctuation_mass = sums.punctuation_mass.Mean();
    if (has_gold_) {
      const AerScore score = ComputeAer(sums.aer);
      model.aer = score.aer;
      model.aer_precision = score.precision;
      model.aer_recall = score.recall;
      model.alignment.gold_mass = sums.gold_mass.Mean();
    }
  }
  for (const OfPair& pair : pairs_) {
    comparison.agreements.push_back({.model = static_cast<int64_t>(pair.a),
                                     .other = static_cast<int64_t>(pair.b),
                                     .link_agreement = pair.links.Mean(),
                                     .divergence = pair.divergence.Mean(),
                                     .rank_correlation = pair.rank_correlation.Mean()});
  }
}

}  // namespace nmt
