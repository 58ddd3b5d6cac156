// Which layer, head, shift and extraction read the best links off a model's attention: found on
// validation pairs with gold links, stored in the run, the default from then on.
//
//   const CorpusAttention attention = AttendPairs(trained, pairs);
//   NMT_ASSIGN_OR_RETURN(SelectedAlignment selected, SelectAlignment(attention, gold));
//   NMT_RETURN_IF_ERROR(SaveAlignmentChoice(run.alignment(), selected));
#ifndef NMT_ALIGNMENT_SELECTION_H_
#define NMT_ALIGNMENT_SELECTION_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "nmt/alignment/aer.h"
#include "nmt/alignment/attention_record.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/corpus/parallel_corpus.h"

namespace nmt {

// A sentence pair cut into pieces, and the words that the pieces belong to.
struct AlignedPair {
  EncodedLine source, target;
  int64_t source_words = 0, target_words = 0;
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

// Words and links of sentence i under a choice.
WordAttention WordsOf(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice);
Links LinksOf(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice);

struct SelectedAlignment {
  AlignmentChoice choice;
  AerScore score;  // on the pairs it was selected on
};

// Tries every layer, every head and their mean, shifts 0 to 2 and a few ways of extraction, and takes
// the least AER.
absl::StatusOr<SelectedAlignment> SelectAlignment(const CorpusAttention& attention,
                                                  const std::vector<Links>& gold);

absl::Status SaveAlignmentChoice(const std::filesystem::path& path,
                                 const SelectedAlignment& selected);
// The stored choice; where none is stored, the last layer's mean of heads with shift 0.
absl::StatusOr<AlignmentChoice> LoadAlignmentChoice(const std::filesystem::path& path,
                                                    const Seq2Seq& model);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_SELECTION_H_
