// One or several models as one: at each step the mean of their probabilities.
//
//   EnsembleDecoder decoder(models, sources, {.beam_size = 5, .max_steps = 100});
//   decoder.Step(tokens);
//   const NextTokens next = decoder.Best(/*count=*/5);
#ifndef NMT_DECODING_ENSEMBLE_H_
#define NMT_DECODING_ENSEMBLE_H_

#include <memory>
#include <vector>

#include "nmt/models/inference.h"

namespace nmt {

// Models that write the same target vocabulary; GRU and transformer may be mixed. Not empty.
using Ensemble = std::vector<const Inference*>;

class EnsembleDecoder {
 public:
  // `sources[m]`: the sentences as model m reads them, its own pieces; padding and end are added.
  EnsembleDecoder(const Ensemble& models, const std::vector<std::vector<Ids>>& sources,
                  const StartOptions& options);

  void Step(const Ids& tokens_R);
  void Reorder(const Ids& rows_R);

  // After a step, of its rows. Padding and <s> are never among the best; their mass is not given to
  // others.
  NextTokens Best(int64_t count) const;
  // log(1/M sum_m p_m), all tokens.
  Tensor LogProbabilities() const;
  // Of the first model, if asked for: where it looked.
  const Tensor& attention_RS() const { return steps_[0].attention_RS; }

 private:
  const Ensemble models_;
  std::vector<std::unique_ptr<StepDecoder>> decoders_;
  std::vector<StepOutput> steps_;
};

}  // namespace nmt

#endif  // NMT_DECODING_ENSEMBLE_H_
