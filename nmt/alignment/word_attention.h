// The attention of a corpus between words: pairs cut into pieces, their attention, their links.
//
//   auto pairs = EncodePairs(trained, sources, targets);
//   AttendInParts(trained, pairs, /*value_norms=*/false, [&](const CorpusAttention& part, size_t begin) {
//     for (size_t i = 0; i < part.pairs.size(); ++i) Use(begin + i, LinksOf(part, i, choice));
//   });
#ifndef NMT_ALIGNMENT_WORD_ATTENTION_H_
#define NMT_ALIGNMENT_WORD_ATTENTION_H_

#include <functional>
#include <string>
#include <vector>

#include "nmt/alignment/attention_record.h"
#include "nmt/alignment/extraction.h"
#include "nmt/checkpoint/run_directory.h"

namespace nmt {

// A sentence pair cut into pieces, and the words that the pieces belong to.
struct AlignedPair {
  EncodedLine source, target;
  int64_t source_words = 0, target_words = 0;
  bool both_end_in_punctuation = false;  // the last word of each side is nothing but punctuation
  bool is_cut = false;  // a side is longer than the model reads: words behind have no attention
};
// `max_length`: pieces of a side with </s>; longer sides are cut.
AlignedPair EncodePair(const Tokenizers& tokenizers, const std::string& source,
                       const std::string& target, int64_t max_length);
// As above, for all lines of a corpus; `model` sets the lengths.
std::vector<AlignedPair> EncodePairs(const TrainedModel& model,
                                     const std::vector<std::string>& sources,
                                     const std::vector<std::string>& targets);
// A line and one of its translations, with the pieces that the search found.
AlignedPair TranslatedPair(const Tokenizers& tokenizers, const std::string& source,
                           const Ids& source_ids, const Ids& target_ids);

// Every layer and head of some pairs.
struct CorpusAttention {
  std::vector<AlignedPair> pairs;
  std::vector<AttentionRecord> records;
};
// `value_norms`: a choice with them will be asked for.
CorpusAttention AttendPairs(const TrainedModel& model, std::vector<AlignedPair> pairs,
                            bool value_norms);

// The end of the part that begins at `begin`, so that its attention fits into some 64 MB (at least one
// pair): memory is bounded whatever the corpus and the lengths.
size_t PartEnd(const TrainedModel& model, const std::vector<AlignedPair>& pairs, size_t begin);

// Calls `visit(part, begin)` for the pairs from `begin` on, a part at a time.
void AttendInParts(const TrainedModel& model, const std::vector<AlignedPair>& pairs,
                   bool value_norms,
                   const std::function<void(const CorpusAttention&, size_t)>& visit);

// Words and links of sentence i under a choice.
SoftMatrix WordsOf(const CorpusAttention& attention, size_t i, const AttentionChoice& choice);
Links LinksOf(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_WORD_ATTENTION_H_
