// Every option of a run, as structs with their defaults in place.
//
// Each struct has one list of fields, VisitFields(): the reader, the printer, the help text and the
// comparison of two configs are visitors over it, so a new option is one member and one line.
//
//   visit(name, member, Range or nothing, meaning)
//
// Goals: a misspelt key or a bad value is refused with file:line; the names are the field's
// standard terms. Non-goals: options looked up by string outside this folder.
#ifndef NMT_CONFIG_OPTIONS_H_
#define NMT_CONFIG_OPTIONS_H_

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {

// The values a number may have, both ends included. `above` excludes the lower end.
struct Range {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above = false;
};
constexpr Range AtLeast(double minimum) { return {.minimum = minimum}; }
constexpr Range Above(double minimum) { return {.minimum = minimum, .above = true}; }
constexpr Range Between(double minimum, double maximum) {
  return {.minimum = minimum, .maximum = maximum};
}

// EnumNames<E>: the words that a config writes for the values of E.
template <typename E>
struct EnumNames;

#define NMT_ENUM_NAMES(Type, ...)                                                                 \
  template <>                                                                                     \
  struct EnumNames<Type> {                                                                        \
    static constexpr auto values = std::to_array<std::pair<Type, std::string_view>>(__VA_ARGS__); \
  }

template <typename E>
constexpr std::string_view EnumName(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::values) {
    if (candidate == value) return name;
  }
  return "?";
}

enum class ModelType { kGru, kTransformer };
NMT_ENUM_NAMES(ModelType, {{ModelType::kGru, "gru"}, {ModelType::kTransformer, "transformer"}});

// How a query scores a key; the formulas stand in nmt/attention/score.h. kDefault: additive for the
// GRU, scaled dot product for the transformer.
enum class AttentionScore { kDefault, kAdditive, kDot, kScaledDot, kCosine, kGeneral };
NMT_ENUM_NAMES(AttentionScore, {{AttentionScore::kDefault, "default"},
                                {AttentionScore::kAdditive, "additive"},
                                {AttentionScore::kDot, "dot"},
                                {AttentionScore::kScaledDot, "scaled_dot"},
                                {AttentionScore::kCosine, "cosine"},
                                {AttentionScore::kGeneral, "general"}});

enum class TieEmbeddings { kNone, kTarget, kAll };
NMT_ENUM_NAMES(TieEmbeddings, {{TieEmbeddings::kNone, "none"},
                               {TieEmbeddings::kTarget, "target"},
                               {TieEmbeddings::kAll, "all"}});

// When the GRU decoder looks: before it reads the last target word (Bahdanau et al. 2015) or after
// (conditional GRU, Sennrich et al. 2017, Nematus, section 2).
enum class GruDecoder { kConditional, kBahdanau };
NMT_ENUM_NAMES(GruDecoder,
               {{GruDecoder::kConditional, "conditional"}, {GruDecoder::kBahdanau, "bahdanau"}});

enum class Readout { kTanh, kMaxout };
NMT_ENUM_NAMES(Readout, {{Readout::kTanh, "tanh"}, {Readout::kMaxout, "maxout"}});

enum class NormPosition { kPre, kPost };
NMT_ENUM_NAMES(NormPosition, {{NormPosition::kPre, "pre"}, {NormPosition::kPost, "post"}});

enum class Positions { kSinusoidal, kLearned };
NMT_ENUM_NAMES(Positions,
               {{Positions::kSinusoidal, "sinusoidal"}, {Positions::kLearned, "learned"}});

enum class Activation { kRelu, kGelu };
NMT_ENUM_NAMES(Activation, {{Activation::kRelu, "relu"}, {Activation::kGelu, "gelu"}});

enum class TokenizerType { kUnigram, kBpe };
NMT_ENUM_NAMES(TokenizerType, {{TokenizerType::kUnigram, "unigram"}, {TokenizerType::kBpe, "bpe"}});

// Of the matrix products while training.
enum class Precision { kFp32, kBf16 };
NMT_ENUM_NAMES(Precision, {{Precision::kFp32, "fp32"}, {Precision::kBf16, "bf16"}});

enum class Optimizer { kAdam, kAdamW };
NMT_ENUM_NAMES(Optimizer, {{Optimizer::kAdam, "adam"}, {Optimizer::kAdamW, "adamw"}});

enum class Schedule { kConstant, kInverseSqrt, kCosine, kPlateau };
NMT_ENUM_NAMES(Schedule, {{Schedule::kConstant, "constant"},
                          {Schedule::kInverseSqrt, "inverse_sqrt"},
                          {Schedule::kCosine, "cosine"},
                          {Schedule::kPlateau, "plateau"}});

// What gradients travel as between the workers of one training.
enum class GradientCompression { kNone, kBf16 };
NMT_ENUM_NAMES(GradientCompression,
               {{GradientCompression::kNone, "none"}, {GradientCompression::kBf16, "bf16"}});

// A parallel text: line i of `source` translates line i of `target`. Paths are relative to the
// config file.
struct ParallelFiles {
  std::string source;
  std::string target;
  std::string alignment;  // gold word links (Pharaoh), optional

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("source", source, "file of source sentences, one a line");
    visit("target", target, "file of target sentences, one a line");
    visit("alignment", alignment, "file of gold word links, `s-t` pairs counted from 0 (optional)");
  }
};

// One or more parallel texts, file i of each list belonging to text i.
struct TrainingFiles {
  std::vector<std::string> source, target, alignment;
  std::vector<double> weight;

  // The texts one by one.
  std::vector<ParallelFiles> Texts() const {
    std::vector<ParallelFiles> texts;
    for (size_t i = 0; i < source.size(); ++i)
      texts.push_back({source[i], target[i], i < alignment.size() ? alignment[i] : ""});
    return texts;
  }
  // How often a pair of text i comes in an epoch, on average.
  double Weight(size_t i) const { return i < weight.size() ? weight[i] : 1; }

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("source", source, "file of source sentences, one a line, or a list of such files");
    visit("target", target, "file of target sentences, or a list as long as that of the sources");
    visit("alignment", alignment,
          "file of gold word links, `s-t` pairs counted from 0, or a list (optional)");
    visit("weight", weight, {.minimum = 0, .maximum = 1000, .above = true},
          "how often a pair of each file comes in an epoch: 2 is twice, 0.5 a fresh half of the "
          "pairs in each epoch; [] is 1 for all");
  }
};

struct DataOptions {
  std::string source_language = "src";
  std::string target_language = "tgt";
  int64_t max_length = 128;
  int64_t shuffle_buffer = 500000;
  TrainingFiles train;
  ParallelFiles valid, test;

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("source_language", source_language, "name of the source language, for reports");
    visit("target_language", target_language, "name of the target language, for reports");
    visit("max_length", max_length, Between(1, 4096),
          "training pairs with more pieces than this on a side are left out, with one notice");
    visit("shuffle_buffer", shuffle_buffer, AtLeast(1000),
          "pairs in memory at a time. A smaller corpus is shuffled as a whole; a larger one is "
          "read in "
          "pieces of 1,000 lines in random order, as many as fit, which are shuffled together");
    visit("train", train, "training pairs");
    visit("valid", valid, "validation pairs: choose checkpoints, stop early, select the attention");
    visit("test", test, "test pairs (optional): checked before training, never trained on");
  }
};

struct TokenizerOptions {
  TokenizerType type = TokenizerType::kUnigram;
  int64_t vocab_size = 8000;
  bool shared = true;
  bool lowercase = false;
  bool byte_fallback = false;
  double sampling = 0;

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("type", type, "subword model: unigram (Kudo 2018) or BPE (Sennrich et al. 2016)");
    visit("vocab_size", vocab_size, Between(8, 200000),
          "pieces; shrinks with a notice when the corpus cannot fill it");
    visit("shared", shared, "one subword model for both sides");
    visit("lowercase", lowercase, "lower-case both sides before anything else");
    visit("byte_fallback", byte_fallback,
          "spell characters without a piece as UTF-8 bytes, which takes 256 pieces; else they are "
          "<unk>");
    visit("sampling", sampling, Between(0, 1),
          "subword regularisation of the training text: unigram smoothing alpha, or BPE dropout; "
          "0 is off");
  }
};

struct ModelOptions {
  ModelType type = ModelType::kTransformer;
  AttentionScore attention = AttentionScore::kDefault;
  int64_t embedding_size = 256;
  int64_t hidden_size = 256;
  int64_t encoder_layers = 2;
  int64_t decoder_layers = 2;
  double dropout = 0.1;
  TieEmbeddings tie_embeddings = TieEmbeddings::kTarget;
  // GRU
  GruDecoder decoder = GruDecoder::kConditional;
  Readout readout = Readout::kTanh;
  int64_t encoder_hidden_size = 0;
  int64_t attention_size = 0;
  int64_t readout_size = 0;
  // Transformer
  int64_t heads = 4;
  int64_t feed_forward_size = 1024;
  double attention_dropout = 0;
  NormPosition norm = NormPosition::kPre;
  Positions positions = Positions::kSinusoidal;
  Activation activation = Activation::kRelu;
  int64_t max_positions = 512;

  // The sizes that follow another one unless they are named.
  int64_t EncoderSize() const {
    return encoder_hidden_size > 0 ? encoder_hidden_size : hidden_size;
  }
  int64_t AttentionSize() const { return attention_size > 0 ? attention_size : hidden_size; }
  int64_t ReadoutSize() const { return readout_size > 0 ? readout_size : embedding_size; }

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("type", type, "which translator");
    visit("attention", attention,
          "how a query scores a key (default: additive for gru, scaled_dot for transformer)");
    visit(
        "embedding_size", embedding_size, Between(1, 65536),
        "size of a token's vector; a transformer's equals hidden_size, and does so when not named");
    visit(
        "hidden_size", hidden_size, Between(1, 65536),
        "transformer: model size D; GRU: size of the decoder state and of each encoder direction");
    visit("encoder_layers", encoder_layers, Between(1, 64), "layers of the encoder");
    visit("decoder_layers", decoder_layers, Between(1, 64),
          "layers of the decoder (GRU: 1, also when not named)");
    visit("dropout", dropout, Between(0, 0.95), "share of the activations set to 0 in training");
    visit("tie_embeddings", tie_embeddings,
          "share weights: target embedding and output layer, or these and the source embedding");
    visit("decoder", decoder,
          "GRU: attend before (bahdanau) or after (conditional) reading the last target token");
    visit("readout", readout, "GRU: the layer between state and vocabulary");
    visit("encoder_hidden_size", encoder_hidden_size, Between(0, 65536),
          "GRU: size of each encoder direction; 0 takes hidden_size");
    visit("attention_size", attention_size, Between(0, 65536),
          "GRU: size A of projected query and keys; 0 takes hidden_size");
    visit("readout_size", readout_size, Between(0, 65536),
          "GRU: what the output layer reads; 0 takes embedding_size, which tied embeddings need");
    visit("heads", heads, Between(1, 1024), "transformer: attention heads; divides hidden_size");
    visit("feed_forward_size", feed_forward_size, Between(1, 1048576),
          "transformer: inner size of the feed-forward layer");
    visit("attention_dropout", attention_dropout, Between(0, 0.95),
          "transformer: dropout of the attention weights in training");
    visit(
        "norm", norm,
        "transformer: layer norm before each block (pre) or after (post, as Vaswani et al. 2017)");
    visit("positions", positions, "transformer: position encoding");
    visit("activation", activation, "transformer: of the feed-forward layer");
    visit("max_positions", max_positions, Between(2, 65536),
          "learned positions: size of their table, so the longest sequence in pieces, <s> and </s> "
          "included");
  }
};

// Guided alignment: training pulls attention towards given word links (Chen et al. 2016; Garg et al. 2019).
struct GuidedAlignmentOptions {
  double weight = 0;
  int64_t layer = 0;
  int64_t head = 1;

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("weight", weight, Between(0, 100),
          "the loss is that of the text plus this x the cross-entropy from the links of "
          "data.train.alignment to the attention; 0 is off");
    visit("layer", layer, Between(0, 64),
          "decoder layer that is guided, from 1; 0: the one before the last, or the only one");
    visit("head", head, Between(0, 1024),
          "transformer: head that is guided, from 1; 0: the mean of all");
  }
};

struct TrainingOptions {
  int64_t batch_tokens = 4096;
  int64_t accumulate = 1;
  Optimizer optimizer = Optimizer::kAdam;
  double learning_rate = 1e-3;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.98;
  double weight_decay = 0;
  Schedule schedule = Schedule::kInverseSqrt;
  int64_t warmup_updates = 1000;
  double label_smoothing = 0.1;
  double clip_norm = 1;
  int64_t max_updates = 10000;
  int64_t max_epochs = 0;
  double max_minutes = 0;
  int64_t log_every = 50;
  int64_t validate_every = 500;
  int64_t patience = 0;
  int64_t average = 0;
  double ema_decay = 0;
  double word_dropout = 0;
  double r_drop = 0;
  GradientCompression gradient_compression = GradientCompression::kNone;
  GuidedAlignmentOptions alignment;
  std::string warm_start;
  std::vector<std::string> freeze;
  int64_t keep_last = 2;
  int64_t keep_best = 1;
  bool tensorboard = true;

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("batch_tokens", batch_tokens, Between(1, 10000000),
          "tokens of the longer side in a batch, padding included");
    visit("accumulate", accumulate, Between(1, 100000),
          "batches in one update; of several workers, batches of each");
    visit("optimizer", optimizer,
          "Adam (Kingma and Ba 2015) or AdamW (Loshchilov and Hutter 2019)");
    visit("learning_rate", learning_rate, Above(0),
          "highest learning rate, reached after the warm-up");
    visit("adam_beta1", adam_beta1, Between(0, 0.9999), "decay of the first moment");
    visit("adam_beta2", adam_beta2, Between(0, 0.99999), "decay of the second moment");
    visit("weight_decay", weight_decay, Between(0, 1),
          "adamw: decoupled decay a unit of learning rate");
    visit("schedule", schedule, "learning rate after the warm-up");
    visit("warmup_updates", warmup_updates, AtLeast(0),
          "updates over which the learning rate rises from 0");
    visit("label_smoothing", label_smoothing, Between(0, 0.9),
          "probability mass spread over the whole vocabulary, padding excepted");
    visit("clip_norm", clip_norm, AtLeast(0),
          "gradients with a larger norm are scaled down to it; 0 is off");
    visit("max_updates", max_updates, AtLeast(1), "training ends after this many updates");
    visit("max_epochs", max_epochs, AtLeast(0), "... or passes over the corpus; 0: no limit");
    visit("max_minutes", max_minutes, AtLeast(0),
          "... or minutes, validation included; 0: no limit");
    visit("log_every", log_every, AtLeast(1), "updates between two records in metrics.jsonl");
    visit("validate_every", validate_every, AtLeast(1), "updates between two validations");
    visit("patience", patience, AtLeast(0),
          "validations without a better score before training ends (plateau: before the rate is "
          "halved); 0: off");
    visit("average", average, Between(0, 1000),
          "the mean of this many last checkpoints becomes the best weights when its validation "
          "BLEU is "
          "not lower; 0 and 1 are off");
    visit(
        "ema_decay", ema_decay, Between(0, 0.999999),
        "decay of an exponential moving average of the weights, as 0.999; what is validated, saved "
        "and translated with is then the average. 0 is off");
    visit("word_dropout", word_dropout, Between(0, 0.9),
          "share of the source and target input tokens that training replaces by <unk>");
    visit("r_drop", r_drop, Between(0, 100),
          "R-Drop (Liang et al. 2021): weight of the divergence between two passes with different "
          "dropout; doubles the work of an update. 0 is off");
    visit("gradient_compression", gradient_compression,
          "several workers: what gradients travel as; bf16 is half of the bytes");
    visit("alignment", alignment, "guided alignment");
    visit("warm_start", warm_start,
          "run directory whose best weights and vocabularies this run begins with (optional)");
    visit("freeze", freeze,
          "parameters that are not trained: names, where * stands for any letters, as "
          "\"embeddings.*\"; `nmt info RUN --parameters` lists them");
    visit("keep_last", keep_last, Between(1, 100000),
          "newest checkpoints of validations that are kept (at least `average` of them are)");
    visit("keep_best", keep_best, Between(1, 100000), "best checkpoints that are kept");
    visit("tensorboard", tensorboard, "write the metrics for TensorBoard too, in tensorboard/");
  }
};

struct TranslationOptions {
  int64_t beam_size = 5;
  double length_penalty = 1.0;
  int64_t max_length = 0;
  int64_t max_source_length = 512;
  int64_t batch_size = 64;

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("beam_size", beam_size, Between(1, 1000), "hypotheses kept a sentence; 1 is greedy");
    visit("length_penalty", length_penalty, Between(0, 10),
          "scores are log-probabilities divided by length^this; 0: plain sum");
    visit("max_length", max_length, Between(0, 65536),
          "longest output in pieces, end token included; 0: 2 x source pieces + 10");
    visit(
        "max_source_length", max_source_length, Between(2, 65536),
        "longest input in pieces, end token included; longer lines are cut there, with a warning");
    visit("batch_size", batch_size, Between(1, 100000), "sentences translated together");
  }
};

struct Options {
  std::string run_dir;
  int64_t seed = 1;
  int64_t threads = 0;
  std::string device = "auto";
  Precision precision = Precision::kFp32;
  DataOptions data;
  TokenizerOptions tokenizer;
  ModelOptions model;
  TrainingOptions training;
  TranslationOptions translation;

  template <typename Visitor>
  void VisitFields(Visitor& visit) {
    visit("run_dir", run_dir, "folder that takes everything the run makes");
    visit("seed", seed, Between(0, 4294967295),
          "of initialisation, data order, dropout and sampling");
    visit("threads", threads, Between(0, 1024),
          "CPU threads, shared out among the workers of a machine; 0: all cores. Results depend on "
          "it "
          "in the last digits");
    visit("device", device, "auto, cpu, cuda or cuda:N");
    visit("precision", precision,
          "of the matrix products in training; weights, moments and sums stay in fp32");
    visit("data", data, "the corpora");
    visit("tokenizer", tokenizer, "subwords, trained from the training text");
    visit("model", model, "the network");
    visit("training", training, "the optimisation");
    visit("translation", translation,
          "defaults of nmt translate; validation is greedy, whatever beam_size says");
  }
};

}  // namespace nmt

#endif  // NMT_CONFIG_OPTIONS_H_
