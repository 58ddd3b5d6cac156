// The one interface of all translators. Search, alignment, scoring and training know this and
// nothing of the architectures behind it.
//
//   auto model = MakeModel(options, {source_vocab_size, target_vocab_size}, seed);
//   DecoderOutput output = model->Forward(batch, {.attention = true});   // all steps at once
//   Encoded encoded = model->Encode(batch.source);                      // or step by step:
//   DecoderState state = model->Start(encoded, /*beam_size=*/5);
//   StepOutput step = model->Step(tokens_R, state);
//
// Step gives what Forward gives at the same position: a test holds both models to it.
#ifndef NMT_MODELS_SEQ2SEQ_H_
#define NMT_MODELS_SEQ2SEQ_H_

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <vector>

#include "nmt/attention/dropout.h"
#include "nmt/config/options.h"
#include "nmt/models/batch.h"

namespace nmt {

// What the encoder says of N sentences.
struct Encoded {
  Tensor memory_NSD;  // one vector a source piece
  Tensor mask_N11S;   // true on real pieces (nmt/attention/mask.h)
  Tensor summary_ND;  // one vector a sentence; undefined where the model has none
};

// What one decoder remembers between two steps. A value: copying it forks the search. There are R =
// N x beam rows, those of a sentence side by side; `memory` has one entry a sentence, since the
// beams of a sentence look at the same words.
struct DecoderState {
  std::vector<Tensor> rows;    // each [R ...]
  std::vector<Tensor> memory;  // each [N ...]
  Tensor mask_N11S;
  int64_t position = 0;  // steps taken
};

struct ForwardOptions {
  bool attention = false;            // keep the attention weights
  bool value_norms = false;          // and how long the values are that they weigh
  bool self_attention = false;       // and the weights of each side among itself
  DropoutStream* dropout = nullptr;  // null: evaluation
};

// Attention weights are those of the cross-attention, before dropout. Row t is the look that the
// decoder took before it predicted target_output[t].
struct DecoderOutput {
  Tensor hidden_BTD;       // Logits() turns it into scores of the vocabulary
  Tensor attention_BLHTS;  // undefined unless asked for
  // |f(x_s)|, x_s the source piece and f all that its weight multiplies in a layer and head: a weight says
  // how much of it is taken, the norm how much there is (Kobayashi et al. 2020, section 3.1). Likewise.
  Tensor value_norms_BLHS;
  // A transformer's, L the layers of each side; undefined where the model has none.
  Tensor encoder_attention_BLHSS, decoder_attention_BLHTT;
};

struct StepOutput {
  Tensor hidden_RD;     // as in DecoderOutput
  Tensor attention_RS;  // of the last layer, the mean of its heads; undefined unless asked for
};

// Numbers that training may change; a shared one counts once.
int64_t CountParameters(const torch::nn::Module& module);

class Seq2Seq : public torch::nn::Module {
 public:
  virtual Encoded Encode(const SourceBatch& source, DropoutStream* dropout) = 0;
  Encoded Encode(const SourceBatch& source) { return Encode(source, nullptr); }

  // Teacher forcing, all target positions.
  virtual DecoderOutput Forward(const Batch& batch, const ForwardOptions& options) = 0;

  // A state before the first token, with `beam_size` rows a sentence.
  virtual DecoderState Start(const Encoded& encoded, int64_t beam_size) = 0;

  // Feeds each row its last token (<s> at first) and advances the state.
  virtual StepOutput Step(const Tensor& tokens_R, DecoderState& state, bool attention) = 0;
  StepOutput Step(const Tensor& tokens_R, DecoderState& state) {
    return Step(tokens_R, state, /*attention=*/false);
  }

  // Row r becomes what row `rows_R[r]` was. `sentences_N`, if given, names the sentences that stay;
  // the rows of the others must be gone from rows_R.
  void Reorder(DecoderState& state, const Tensor& rows_R, const Tensor& sentences_N = {}) const;

  // logits_…V of hidden vectors …D.
  Tensor Logits(const Tensor& hidden) const;

  // The output layer: logits = hidden weight^T + bias. Tied to the target embedding where the
  // config says so.
  virtual Tensor OutputWeight_VD() const = 0;
  virtual Tensor OutputBias_V() const = 0;

  virtual int64_t attention_layers() const = 0;
  virtual int64_t attention_heads() const = 0;
  // Longest input that the model can read and longest output that it can write, end tokens
  // included.
  virtual int64_t max_length() const = 0;

  int64_t ParameterCount() const { return CountParameters(*this); }
  torch::Device device() const { return OutputWeight_VD().device(); }
};

struct VocabularySizes {
  int64_t source = 0;
  int64_t target = 0;
};

// The model that `options` describes, with parameters drawn from `seed`
// (nmt/models/initialization.h).
std::shared_ptr<Seq2Seq> MakeModel(const ModelOptions& options, const VocabularySizes& sizes,
                                   uint64_t seed);

}  // namespace nmt

#endif  // NMT_MODELS_SEQ2SEQ_H_
