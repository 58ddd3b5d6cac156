// Batches of sentence pairs: their order, and the endless stream of them that training reads.
//
//   NMT_ASSIGN_OR_RETURN(std::unique_ptr<BatchStream> batches,
//                        BatchStream::Open(corpus, source, target, options, /*start_epoch=*/0,
//                                          /*start_batch=*/0));
//   for (ExampleBatch batch = batches->Next(); batch.epoch < 10; batch = batches->Next()) ...
//
// Everything here is a pure function of (corpus, options, epoch): a run that resumes at the next
// batch of its epoch sees what it would have seen without the break, on any machine.
#ifndef NMT_CORPUS_BATCHES_H_
#define NMT_CORPUS_BATCHES_H_

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nmt/base/bounded_queue.h"
#include "nmt/base/status.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/text/tokenizer.h"

namespace nmt {

// A sentence pair as piece ids, without begin and end ids.
struct Example {
  int64_t index;  // of its lines in the corpus, from 0
  std::vector<int64_t> source, target;
};

struct ExampleBatch {
  std::vector<Example> examples;
  int64_t epoch;  // from 0
  int64_t index;  // of the batch within the epoch, from 0
  bool last_in_epoch;
};

struct BatchOptions {
  int64_t batch_tokens = 4096;  // tokens of the longer side, end token and padding included
  int64_t max_length = 128;     // pieces of a side, without the end token
  double sampling = 0;          // of subwords, see Tokenizer::Sample; 0 is off
  uint64_t seed = 1;
};

// The batches of one epoch, as indices into the lengths (in pieces). The pairs are shuffled and cut
// into windows of about 100 batches; each window is sorted by (target, source) length and cut into
// batches with rows x (longest side + 1) <= batch_tokens, where one pair that is longer is a batch
// of its own; then the batches are shuffled. No pair is left out.
std::vector<std::vector<int64_t>> EpochOrder(const std::vector<int64_t>& source_lengths,
                                             const std::vector<int64_t>& target_lengths,
                                             const BatchOptions& options, int64_t epoch);

// Batches in length order, longest first, for validation and translation (which has no
// target_lengths: give source_lengths twice); at most `batch_rows` pairs in each unless 0.
std::vector<std::vector<int64_t>> LengthOrder(const std::vector<int64_t>& source_lengths,
                                              const std::vector<int64_t>& target_lengths,
                                              int64_t batch_tokens, int64_t batch_rows = 0);

// The batches of epoch 0, 1, 2, ... without end. One thread of its own tokenises them ahead, as far
// as a short queue allows; memory holds the text, not its ids.
//
// With sampling a line gets fresh pieces in each epoch, a pure function of (seed, epoch, line,
// side). Batches are cut by the lengths without sampling, so a batch can then hold somewhat more
// than batch_tokens; a side that would come out longer than max_length keeps its usual pieces.
class BatchStream {
 public:
  // Begins at batch `start_batch` of epoch `start_epoch` (the number of batches of the epoch:
  // at the next one). Needs `corpus` during the call only. Errors: no pair is left after leaving
  // out the empty and the long ones; the epoch has fewer batches than `start_batch`.
  static absl::StatusOr<std::unique_ptr<BatchStream>> Open(const ParallelCorpus& corpus,
                                                           Tokenizer source, Tokenizer target,
                                                           const BatchOptions& options,
                                                           int64_t start_epoch,
                                                           int64_t start_batch);

  // Waits for nothing but the batch being made; safe at any moment.
  ~BatchStream();

  // Waits until the next batch is ready. Throws what the tokenising thread threw.
  ExampleBatch Next();

  // Pairs in each epoch, and the pairs that are in none: with a side longer than max_length, or
  // with a side without pieces.
  int64_t pairs() const { return static_cast<int64_t>(lines_.size()); }
  int64_t left_out_long() const { return left_out_long_; }
  int64_t left_out_empty() const { return left_out_empty_; }

 private:
  struct Line {
    int64_t index;
    std::string source, target;
  };

  BatchStream(Tokenizer source, Tokenizer target, const BatchOptions& options);
  void KeepUsablePairs(const ParallelCorpus& corpus);
  void Produce(int64_t epoch, int64_t batch);
  Example MakeExample(const Line& line, int64_t epoch) const;

  const Tokenizer source_, target_;
  const BatchOptions options_;
  std::vector<Line> lines_;  // the used pairs
  std::vector<int64_t> source_lengths_, target_lengths_;
  int64_t left_out_long_ = 0, left_out_empty_ = 0;
  BoundedQueue<ExampleBatch> queue_;
  std::exception_ptr failure_;  // of the producer; set before the queue is closed
  std::thread producer_;
};

}  // namespace nmt

#endif  // NMT_CORPUS_BATCHES_H_
