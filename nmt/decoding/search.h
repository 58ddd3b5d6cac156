// Search over the model interface, for any translator or ensemble of them.
//
//   const auto model = MakeInference(network);
//   auto found = Search({model.get()}, {{source_ids}}, {.beam_size = 5, .n_best = 1});
//   found[0][0].ids                      // best translation of the first source, without </s>
//
// Beam search. Each hypothesis that still grows is a row of the batch; those that ended leave it, with
// all others of their sentence once it is done. A finished hypothesis keeps its place in the beam, so
// the search of a sentence ends when all places are finished, when no live one can still win, or at the
// length limit. beam_size 1 is greedy search.
//
// Sampling. Each row draws its next token from the model's distribution, sharpened and cut as
// SamplingOptions say; the draws are a function of the seed and the sentence's number alone.
#ifndef NMT_DECODING_SEARCH_H_
#define NMT_DECODING_SEARCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "nmt/decoding/ensemble.h"

namespace nmt {

// A number of pieces with </s> as a function of the source's number of pieces without: factor x source +
// constant, rounded down.
struct LengthRule {
  double factor = 0;
  int64_t constant = 0;
  int64_t Of(int64_t source_pieces) const {
    return static_cast<int64_t>(factor * static_cast<double>(source_pieces)) + constant;
  }
};

// What a sum of log-probabilities is divided by; length with </s>.
//   kAverage  length^alpha
//   kGnmt     ((5 + length) / 6)^alpha        Wu et al. 2016, equation 14
enum class LengthPenalty { kAverage, kGnmt };

struct SamplingOptions {
  double temperature = 1;  // above 0: probabilities are taken to the power of 1/temperature
  int64_t top_k = 0;       // only the so many most probable tokens; 0: all
  double top_p = 1;        // only the fewest most probable tokens whose mass is at least this
  uint64_t seed = 1;
};

struct SearchOptions {
  int64_t beam_size = 5;
  int64_t n_best = 1;  // at most beam_size
  LengthPenalty length_penalty_kind = LengthPenalty::kAverage;
  double length_penalty = 1.0;   // alpha; 0: plain sum
  double coverage_penalty = 0;   // beta, see CoverageScore
  LengthRule min_length;         // </s> is not produced before
  LengthRule max_length{2, 10};  // never above the model's own limit
  int64_t no_repeat_ngram = 0;   // no n pieces twice in a translation; 0: no such limit
  // Of hypotheses that continue the same one, the k-th best (from 0) is taken for k times this worse
  // when the beam is filled, so that the beam keeps more beginnings (Li et al. 2016, "A Simple, Fast
  // Diverse Decoding Algorithm for Neural Generation"). Scores are not touched.
  double diversity = 0;
  std::optional<SamplingOptions> sampling;  // in place of beam search: beam_size draws
};

// One sentence to translate.
struct SearchInput {
  std::vector<Ids> sources;  // as each model of the ensemble reads it; not empty, without </s>
  Ids prefix;                // the translation begins with these pieces
  uint64_t number = 0;       // of the sentence in the text: what its draws are drawn for
};

struct Hypothesis {
  Ids ids;                     // without </s>
  double log_probability = 0;  // of ids and, when finished, </s>: the model's own
  double score = 0;            // under the length and coverage penalties
  bool finished = false;       // ended with </s>, not at the length limit
};

// log-probability / penalty(length), see LengthPenalty.
double LengthNormalized(double log_probability, int64_t length, LengthPenalty kind, double alpha);

// beta sum_s log(min(1, sum_t a_ts)) over the source's pieces without </s> (Wu et al. 2016, equation
// 15), added to the normalised score; `coverage` holds sum_t a_ts.
double CoverageScore(const std::vector<float>& coverage, double beta);

// For each input its n_best hypotheses, best score first, no two with the same ids; those cut at the
// length limit only where none is finished. Fewer where there are no more. Padding and <s> are never produced. Throws
// c10::Error when the model gives NaN. A hypothesis at the length limit has max_length pieces without
// </s>, a finished one at most that many with it.
std::vector<std::vector<Hypothesis>> Search(const Ensemble& models,
                                            const std::vector<SearchInput>& inputs,
                                            const SearchOptions& options);

}  // namespace nmt

#endif  // NMT_DECODING_SEARCH_H_
