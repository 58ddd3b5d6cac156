#include "nmt/report/attention_summary.h"

#include "nmt/text/lines.h"

namespace nmt {
namespace {

// The weight of the columns that are marked, over all rows.
WordSum MassOn(const SoftMatrix& weights_TS, const std::vector<bool>& marked) {
  WordSum mass{.sum = 0, .count = weights_TS.rows()};
  for (int64_t t = 0; t < weights_TS.rows(); ++t) {
    for (int64_t s = 0; s < weights_TS.columns(); ++s) {
      if (marked[static_cast<size_t>(s)]) mass.sum += weights_TS(t, s);
    }
  }
  return mass;
}

std::vector<bool> PunctuationOf(const std::string& source, int64_t columns) {
  std::vector<bool> marked(static_cast<size_t>(columns), false);
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

AttentionSummary::AttentionSummary(size_t models)
    : models_(models), pairs_(models == 0 ? 0 : models * (models - 1) / 2) {}

void AttentionSummary::Add(const std::vector<SoftMatrix>& forced_TS, SentenceRecord& record) {
  if (forced_TS.size() != models_.size() || forced_TS.empty() || forced_TS[0].rows() == 0) return;
  const int64_t columns = forced_TS[0].columns();
  std::vector<bool> end(static_cast<size_t>(columns), false);
  end.back() = true;
  const std::vector<bool> punctuation = PunctuationOf(record.source, columns);
  size_t pair = 0;
  for (size_t a = 0; a < models_.size(); ++a) {
    OfModel& model = models_[a];
    const WordSum entropy = RowEntropy(forced_TS[a]);
    const WordSum coverage = CoverageDeviation(forced_TS[a]);
    record.entropy.push_back(entropy.Mean());
    record.coverage.push_back(coverage.Mean());
    model.entropy += entropy;
    model.coverage += coverage;
    model.end_mass += MassOn(forced_TS[a], end);
    model.punctuation_mass += MassOn(forced_TS[a], punctuation);
    if (record.gold) {
      const AerCounts counts = CountAer(record.reference_links[a], *record.gold);
      record.aer.push_back(ComputeAer(counts).aer);
      model.aer += counts;
      model.gold_mass += GoldMass(forced_TS[a], *record.gold);
      has_gold_ = true;
    }
    for (size_t b = a + 1; b < models_.size(); ++b, ++pair) {
      const WordSum divergence = JensenShannon(forced_TS[a], forced_TS[b]);
      record.divergence.push_back(divergence.Mean());
      pairs_[pair].divergence += divergence;
      pairs_[pair].links += LinkAgreement(record.reference_links[a], record.reference_links[b]);
      pairs_[pair].rank_correlation += RankCorrelations(forced_TS[a], forced_TS[b]);
    }
  }
}

void AttentionSummary::Finish(Comparison& comparison) const {
  size_t pair = 0;
  for (size_t a = 0; a < models_.size(); ++a) {
    ModelResult& model = comparison.models[a];
    const OfModel& sums = models_[a];
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
    for (size_t b = a + 1; b < models_.size(); ++b, ++pair) {
      comparison.agreements.push_back({.model = static_cast<int64_t>(a),
                                       .other = static_cast<int64_t>(b),
                                       .link_agreement = pairs_[pair].links.Mean(),
                                       .divergence = pairs_[pair].divergence.Mean(),
                                       .rank_correlation = pairs_[pair].rank_correlation.Mean()});
    }
  }
}

}  // namespace nmt
