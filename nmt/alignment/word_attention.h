// The attention of a corpus between words: pairs cut into pieces, their attention, their links.
//
//   auto pairs = EncodePairs(trained, sources, targets);
//   AttendInParts(trained, pairs, [&](const CorpusAttention& part, size_t begin) {
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

// Every layer and head of some pairs: about 4 L H T S bytes a pair, so take a corpus in parts.
struct CorpusAttention {
  std::vector<AlignedPair> pairs;
  std::vector<AttentionRecord> records;
};
CorpusAttention AttendPairs(const TrainedModel& model, std::vector<AlignedPair> pairs);

// Calls `visit(part, begin)` for the pairs from `begin` on, some hundred at a time.
void AttendInParts(const TrainedModel& model, const std::vector<AlignedPair>& pairs,
                   const std::function<void(const CorpusAttention&, size_t)>& visit);

// Words and links of sentence i under a choice.
SoftMatrix WordsOf(const CorpusAttention& attention, size_t i, const AttentionChoice& choice);
Links LinksOf(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_WORD_ATTENTION_H_
