// The training pairs on disk: checked once, then read a chunk of lines at a time in any order, so that
// memory does not grow with the corpus.
//
//   NMT_ASSIGN_OR_RETURN(TrainingText text, TrainingText::Open(options.data.train));
//   for (const TextChunk& chunk : text.chunks()) {
//     NMT_ASSIGN_OR_RETURN(std::vector<SentencePair> pairs, text.Read(chunk));
//   }
#ifndef NMT_CORPUS_TRAINING_TEXT_H_
#define NMT_CORPUS_TRAINING_TEXT_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/config/options.h"
#include "nmt/corpus/links.h"
#include "nmt/corpus/parallel_corpus.h"

namespace nmt {

// Lines as CleanLine gives them, blank ones included.
struct SentencePair {
  int64_t index;  // among all pairs of all texts, from 0
  std::string source, target;
  Links
      links;  // between their words, where Read() is asked for them and the text has a file of them
};

// Neighbouring lines of one text.
struct TextChunk {
  size_t text;           // which of the texts
  double weight;         // of that text: how often its pairs come in an epoch
  int64_t first, pairs;  // the index of its first pair, and how many there are
  int64_t first_line;    // of that pair, in the files of the text, from 1
  off_t source_offset, target_offset, links_offset;
};

// Cheap to copy: knows where the lines are, not what they say.
class TrainingText {
 public:
  static constexpr int64_t kChunkPairs = 1000;

  // Reads all files once. Errors name the files: those of ReadParallelCorpus, and gold links that do
  // not fit their sentences. `links`: they will be read, and count for the checksum.
  static absl::StatusOr<TrainingText> Open(const TrainingFiles& files, bool links = false);

  int64_t pairs() const { return pairs_; }
  const std::vector<TextChunk>& chunks() const { return chunks_; }
  // Of all lines that are read; a resumed run must find the same.
  int64_t checksum() const { return checksum_; }

  // Errors: a file cannot be read, or has become shorter since it was opened.
  absl::StatusOr<std::vector<SentencePair>> Read(const TextChunk& chunk, bool links = false) const;

  // At most `pairs` pairs, rounded up to whole chunks that are drawn by a fixed seed, in their order:
  // the text that tokenizers are trained on. All of it when it is not larger.
  absl::StatusOr<ParallelCorpus> Sample(int64_t pairs) const;

 private:
  std::vector<ParallelFiles> texts_;
  std::vector<TextChunk> chunks_;
  int64_t pairs_ = 0;
  int64_t checksum_ = 0;
};

}  // namespace nmt

#endif  // NMT_CORPUS_TRAINING_TEXT_H_
