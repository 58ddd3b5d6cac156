// The attention of sentence pairs, and how pieces become words.
//
//   auto records = ForcedAttention(*model, sources, targets, /*value_norms=*/false, {});
//   SoftMatrix weights_TS = ToWords(records[0], choice.attention, source_words, 5, target_words, 6);
//   Links links = ExtractLinks(weights_TS, choice);                    // extraction.h
//
// The attention of a translation is that of teacher forcing with the translation as target: Step
// equals Forward, so it is what the search saw, and the search need not keep it.
#ifndef NMT_ALIGNMENT_ATTENTION_RECORD_H_
#define NMT_ALIGNMENT_ATTENTION_RECORD_H_

#include <string>
#include <vector>

#include "nmt/alignment/soft_matrix.h"
#include "nmt/decoding/forced.h"

namespace nmt {

// Every layer and head for one pair: row t is the look before target piece t was predicted,
// the last row that before </s>; the last column is the source's </s>. Rows sum to 1.
struct AttentionRecord {
  Tensor weights_LHTS;     // float32 on the CPU, T and S with </s>
  Tensor value_norms_LHS;  // how much there is to take of each source piece, see DecoderOutput; or
                           // undefined
};

// Pieces without <s> and </s>; a pair with an empty source gives undefined tensors.
std::vector<AttentionRecord> ForcedAttention(Seq2Seq& model, const std::vector<Ids>& sources,
                                             const std::vector<Ids>& targets, bool value_norms,
                                             const ForcedOptions& options);

inline constexpr int64_t kAverage = -1;  // over all heads

// Which weights are looked at.
struct AttentionChoice {
  int64_t layer = 0;  // decoder layer, from 0
  int64_t head = kAverage;
  // Target piece t takes row t + shift. 0: the look before it was predicted. 1: the look when it
  // had just been read, as the next one was predicted. In which of them a decoder looks at the word
  // is a matter of what it learnt.
  int64_t shift = 0;
  // Each weight times the norm of what it weighs, |a f(x)|, in each head; rows are scaled to 1 again
  // (Kobayashi et al. 2020).
  bool value_norms = false;

  bool operator==(const AttentionChoice&) const = default;
};

// Weights between pieces, as the model has them: a row for each target piece and a last one for </s>, a
// column for each source piece and a last one for </s>. Rows sum to 1.
SoftMatrix ToPieces(const AttentionRecord& record, const AttentionChoice& choice);

// Weights between words, as soft_matrix.h has them: source pieces of a word are added, target pieces
// averaged, so rows still sum to 1. `source_words[i]`: the word of source piece i, below
// source_word_count; likewise the target.
SoftMatrix ToWords(const AttentionRecord& record, const AttentionChoice& choice,
                   const std::vector<int64_t>& source_words, int64_t source_word_count,
                   const std::vector<int64_t>& target_words, int64_t target_word_count);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_ATTENTION_RECORD_H_
