// Beam search over the model interface, for any translator.
//
//   auto found = Search(*model, sources, {.beam_size = 5, .length_penalty = 1.0, .n_best = 1});
//   found[0][0].ids                      // best translation of sources[0], without </s>
//
// Rows: each sentence has beam_size rows side by side. A finished hypothesis takes its place in the
// beam, so the search of a sentence ends when all places are finished, when no live one can still
// win, or at the length limit; the rows of a finished sentence leave the batch. beam_size 1 is
// greedy search.
#ifndef NMT_DECODING_SEARCH_H_
#define NMT_DECODING_SEARCH_H_

#include <vector>

#include "nmt/models/seq2seq.h"

namespace nmt {

struct SearchOptions {
  int64_t beam_size = 5;
  double length_penalty =
      1.0;  // alpha: score = log-probability / length^alpha, length with </s>; 0: plain sum
  int64_t max_length =
      0;  // pieces with </s>; 0: 2 x source pieces + 10. Never above the model's own limit
  int64_t n_best = 1;  // at most beam_size
};

struct Hypothesis {
  Ids ids;                     // without </s>
  double log_probability = 0;  // of ids and, when finished, </s>
  double score = 0;            // under the length penalty
  bool finished = false;       // ended with </s>, not at the length limit
};

// log-probability / length^alpha
double LengthNormalized(double log_probability, int64_t length, double alpha);

// For each source (pieces without </s>, not empty) its n_best hypotheses, best first, no two with
// the same ids. Finished ones come before unfinished. Padding and <s> are never produced. Throws
// c10::Error when the model gives NaN.
std::vector<std::vector<Hypothesis>> Search(Seq2Seq& model, const std::vector<Ids>& sources,
                                            const SearchOptions& options);

}  // namespace nmt

#endif  // NMT_DECODING_SEARCH_H_
