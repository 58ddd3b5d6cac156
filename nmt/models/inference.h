// A trained model made ready for decoding: what a search asks, as fast as this machine can say it.
//
//   const auto inference = MakeInference(model);
//   auto decoder = inference->Start(MakeSourceBatch(sources), {.beam_size = 5, .max_steps = 100});
//   const Tensor hidden_RD = decoder->Step(tokens).hidden_RD;    // tokens: one a row, <s> at first
//   const NextTokens next = inference->output().Best(hidden_RD, 5, {SpecialIds::kPad});
//   decoder->Reorder(rows);                                      // beams fork, move and end
//
// The plain form is Encode, Start, Step and Reorder of Seq2Seq, which every model has and which runs on
// every device; the fast forms say the same to rounding (a test holds them to it).
#ifndef NMT_MODELS_INFERENCE_H_
#define NMT_MODELS_INFERENCE_H_

#include <memory>
#include <vector>

#include "nmt/models/output_layer.h"
#include "nmt/models/seq2seq.h"

namespace nmt {

// The decoder of one search. At first one row for each of the N sentences; later as many as there are
// hypotheses, those of a sentence side by side.
class StepDecoder {
 public:
  virtual ~StepDecoder() = default;

  // Feeds each row its last token (<s> at first); gives the vectors that the output layer takes.
  virtual StepOutput Step(const Ids& tokens_R) = 0;

  // Row r becomes what row `rows_R[r]` was, and belongs to its sentence; at most beam_size rows a
  // sentence, which keep their order. A sentence without a row has left.
  virtual void Reorder(const Ids& rows_R) = 0;
};

struct StartOptions {
  int64_t beam_size = 1;   // no sentence has more rows
  int64_t max_steps = 0;   // no step comes after so many
  bool attention = false;  // whether steps give it
};

class Inference {
 public:
  virtual ~Inference() = default;

  // Encodes N sources, which lie on the CPU, and starts a row for each.
  virtual std::unique_ptr<StepDecoder> Start(const SourceBatch& source,
                                             const StartOptions& options) const = 0;

  const OutputLayer& output() const { return output_; }
  int64_t max_length() const { return model_->max_length(); }

 protected:
  Inference(std::shared_ptr<Seq2Seq> model, InferencePrecision precision)
      : model_(std::move(model)),
        output_(model_->OutputWeight_VD(), model_->OutputBias_V(), precision) {}

  const std::shared_ptr<Seq2Seq> model_;

 private:
  const OutputLayer output_;
};

// The fastest form for the model's device and options. The weights must not change while it lives: some
// are copied. May be used by several threads at once. `precision`, where CanChoosePrecision, is that of
// the products of the whole transformer, or of the GRU's decoder; LogProbabilities() stays in fp32.
std::unique_ptr<Inference> MakeInference(std::shared_ptr<Seq2Seq> model,
                                         InferencePrecision precision = InferencePrecision::kFp32);

// Whether the model has a fast form here, whose products can be of any precision.
bool CanChoosePrecision(const Seq2Seq& model);

// Through Seq2Seq alone.
std::unique_ptr<Inference> MakePlainInference(std::shared_ptr<Seq2Seq> model);

}  // namespace nmt

#endif  // NMT_MODELS_INFERENCE_H_
