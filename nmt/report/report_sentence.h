// One sentence of the report: its texts, scores, links and attention.
//
//   record.attention.push_back({.model = 0, .target = AttentionTarget::kReference, .choice = 0,
//                               .weights = Quantize(weights_TS)});
//
// Lists have one entry a model, in the order of Comparison::models; missing entries are shown as absent.
#ifndef NMT_REPORT_REPORT_SENTENCE_H_
#define NMT_REPORT_REPORT_SENTENCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nmt/alignment/soft_matrix.h"
#include "nmt/corpus/links.h"

namespace nmt {

// Weights of 8 bits: byte b stands for b / 255, at most 0.002 off. A row's bytes need not sum to 255.
struct QuantizedWeights {
  int64_t rows = 0, columns = 0;  // target words; source words and </s>
  std::string bytes;              // row by row

  bool operator==(const QuantizedWeights&) const = default;
};
QuantizedWeights Quantize(const SoftMatrix& weights_TS);

// "AAECAw==": base64 with padding (RFC 4648, section 4), as browsers' atob() reads it.
std::string Base64(std::string_view bytes);

// Which text the model was forced through.
enum class AttentionTarget {
  kReference,    // one text for all models: what divergence and AER are about
  kTranslation,  // its own: what the search saw
};

struct SentenceAttention {
  int64_t model = 0;
  AttentionTarget target = AttentionTarget::kReference;
  int64_t choice = 0;  // index into the model's ModelAlignment::choices
  QuantizedWeights weights;
};

struct SentenceRecord {
  int64_t line = 0;  // in the source file, from 1
  std::string source, reference;
  std::vector<std::string> translations;
  std::vector<std::optional<double>> bleu, chrf, ter;  // of this sentence alone
  // Of the model's alignment_choice, forced through the reference: AER 0 to 1, entropy in nats a
  // target word, coverage deviation a source word.
  std::vector<std::optional<double>> aer, entropy, coverage;
  // Jensen-Shannon, in nats a target word, an entry for each of Comparison::agreements; empty where
  // nothing could be compared.
  std::vector<std::optional<double>> divergence;
  std::optional<Links> gold;             // between source and reference
  std::vector<Links> reference_links;    // the model's, between source and reference
  std::vector<Links> translation_links;  // between source and its translation
  std::vector<SentenceAttention> attention;
};

// Keeps the attention that fits into `budget` bytes of JSON, and gives the number of matrices that were
// left out. Every model's first choice comes first, for the sentences on which the models diverge most;
// then the second choices, and so on.
int64_t LimitAttention(std::vector<SentenceRecord>& sentences, int64_t budget = 32'000'000);

}  // namespace nmt

#endif  // NMT_REPORT_REPORT_SENTENCE_H_
