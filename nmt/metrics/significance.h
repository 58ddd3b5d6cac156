// How far to trust a score, and whether one system is better than another or only luckier with these
// sentences: the score is computed again for many other samples of them. As sacreBLEU 2.6.0 defines
// it, for any metric whose statistics of sentences add up.
//
//   NMT_ASSIGN_OR_RETURN(const auto system, CountBleuPerSentence(hypotheses, references));
//   NMT_ASSIGN_OR_RETURN(const auto baseline, CountBleuPerSentence(others, references));
//   const auto score = [](const BleuStatistics& sum) { return ComputeBleu(sum).score; };
//   ScoreInterval interval = EstimateInterval(BootstrapScores(system, score));   // 31.34 +- 1.52
//   PairedTest test = PairedBootstrap(system, baseline, score);                  // p_value 0.15
//
// With d the difference of the two scores on the test set, and d_r that of sample r of R:
//
//   p = (1 + number of r with t_r > |d|) / (1 + R)
//
//   paired bootstrap (Koehn, 2004; Riezler and Maxwell, 2005):
//       a sample draws as many sentences as there are, with replacement, the same for both systems;
//       t_r = |d_r| - mean of all |d_r|, which moves the differences to where they would lie if there
//       was none. Of a clear difference only the side of d is counted so: p is half of a two-sided one
//   paired approximate randomisation (Riezler and Maxwell, 2005):
//       a sample changes a sentence's two outputs with each other, or not, by a coin;
//       t_r = |d_r|
//
//   permutation of seeds (Fisher's exact test of two means; Clark et al., 2011, on why)
//       what differs between runs of one system is the luck of the seed. A sample shares the scores of
//       all runs anew between the two systems, as many to each as it has; t_r = |d_r|
//
// Equal seeds give equal samples on every machine. docs/metrics.md says how to read a p-value.
#ifndef NMT_METRICS_SIGNIFICANCE_H_
#define NMT_METRICS_SIGNIFICANCE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nmt/text/splitmix64.h"

namespace nmt {

struct BootstrapOptions {
  int64_t resamples = 1000;
  uint64_t seed = 12345;
};

struct RandomizationOptions {
  int64_t trials = 10000;
  uint64_t seed = 12345;
};

// "mean +- half_width" holds 95% of the scores of the samples.
struct ScoreInterval {
  double mean = 0;
  double half_width = 0;
};

struct PairedTest {
  double difference = 0;  // the system's score minus the baseline's
  double p_value = 1;
  // Of each sample; in approximate randomisation of the two systems with changed sentences.
  std::vector<double> system_scores, baseline_scores;
  std::vector<double> differences;
};

// The mean of the scores, and half the distance between those that 1 in 40 lies below and above.
ScoreInterval EstimateInterval(std::vector<double> scores);

// The p-value above. 1 where no sample differs from another: two systems of equal output show no
// difference. (sacreBLEU says 1 / (1 + R) there.)
double PValue(double difference, const std::vector<double>& statistics);

// The result of a test from the scores of its samples.
PairedTest BootstrapTest(double difference, std::vector<double> system_scores,
                         std::vector<double> baseline_scores);
PairedTest RandomizationTest(double difference, std::vector<double> system_scores,
                             std::vector<double> baseline_scores);

// Whether the mean scores of two systems, each trained with several seeds, differ by more than the luck of
// the seeds. Every way to share the scores is a sample, the one that was found among them, so
//
//   p = number of ways r with |d_r| >= |d| / number of ways
//
// exactly. Three runs of each have 20 ways, and p is at least 2/20. Where there are more than 200,000 ways,
// 10,000 of them are drawn. Without runs on a side p is 1.
PairedTest SeedPermutation(const std::vector<double>& system, const std::vector<double>& baseline);

template <typename Statistics>
Statistics Sum(const std::vector<Statistics>& sentences) {
  Statistics sum;
  for (const Statistics& sentence : sentences) sum += sentence;
  return sum;
}

// The scores of samples of the sentences. Equal seeds and numbers of sentences draw the same ones.
// `score` makes a number of summed statistics.
template <typename Statistics, typename Score>
std::vector<double> BootstrapScores(const std::vector<Statistics>& sentences, const Score& score,
                                    const BootstrapOptions& options = {}) {
  SplitMix64 random(options.seed);
  std::vector<double> scores;
  scores.reserve(options.resamples);
  for (int64_t r = 0; r < options.resamples; ++r) {
    Statistics sum;
    for (size_t i = 0; i < sentences.size(); ++i) sum += sentences[random.Below(sentences.size())];
    scores.push_back(score(sum));
  }
  return scores;
}

// Of as many sentences of one system as of the other, in the same order.
template <typename Statistics, typename Score>
PairedTest PairedBootstrap(const std::vector<Statistics>& system,
                           const std::vector<Statistics>& baseline, const Score& score,
                           const BootstrapOptions& options = {}) {
  return BootstrapTest(score(Sum(system)) - score(Sum(baseline)),
                       BootstrapScores(system, score, options),
                       BootstrapScores(baseline, score, options));
}

// Of as many sentences of one system as of the other, in the same order.
template <typename Statistics, typename Score>
PairedTest ApproximateRandomization(const std::vector<Statistics>& system,
                                    const std::vector<Statistics>& baseline, const Score& score,
                                    const RandomizationOptions& options = {}) {
  // What changing a sentence adds to the system's sum, and takes from the baseline's. Sentences with
  // equal statistics need no coin.
  std::vector<Statistics> changes;
  for (size_t i = 0; i < system.size(); ++i) {
    if (system[i] == baseline[i]) continue;
    changes.push_back(baseline[i]);
    changes.back() -= system[i];
  }
  const Statistics system_sum = Sum(system);
  const Statistics baseline_sum = Sum(baseline);
  SplitMix64 random(options.seed);
  std::vector<double> system_scores, baseline_scores;
  for (int64_t r = 0; r < options.trials; ++r) {
    Statistics change;
    for (size_t first = 0; first < changes.size(); first += 64) {
      uint64_t coins = random.Next();
      if (changes.size() - first < 64) coins &= (uint64_t{1} << (changes.size() - first)) - 1;
      for (; coins != 0; coins &= coins - 1) change += changes[first + std::countr_zero(coins)];
    }
    Statistics changed_system = system_sum;
    Statistics changed_baseline = baseline_sum;
    system_scores.push_back(score(changed_system += change));
    baseline_scores.push_back(score(changed_baseline -= change));
  }
  return RandomizationTest(score(system_sum) - score(baseline_sum), std::move(system_scores),
                           std::move(baseline_scores));
}

}  // namespace nmt

#endif  // NMT_METRICS_SIGNIFICANCE_H_
