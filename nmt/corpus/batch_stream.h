// The endless stream of batches that training reads.
//
//   NMT_ASSIGN_OR_RETURN(std::unique_ptr<BatchStream> batches,
//                        BatchStream::Open(text, source, target, options, /*start=*/{}));
//   for (;;) {
//     NMT_ASSIGN_OR_RETURN(ExampleBatch batch, batches->Next());
//     state.position = batch.next;          // where a resumed run goes on
//   }
//
// An epoch is a pass over the text: its chunks (TrainingText::kChunkPairs lines each) in random order,
// cut into blocks of at most options.shuffle_buffer pairs. A block is held in memory, shuffled and
// cut into batches (batch_order.h). A text that fits is one block, shuffled as a whole. In one epoch a
// pair of a text of weight w comes floor(w) times, and once more with probability w - floor(w).
//
// Of several workers, each reads the same stream; of the batches since the start, or since the epoch began,
// it makes the worker-th of every `workers` and passes over the others, which are its fellows'.
//
// Everything here is a pure function of (text, options, position): a run that resumes sees what it
// would have seen without the break, on any machine.
#ifndef NMT_CORPUS_BATCH_STREAM_H_
#define NMT_CORPUS_BATCH_STREAM_H_

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "nmt/base/bounded_queue.h"
#include "nmt/base/status.h"
#include "nmt/corpus/batch_order.h"
#include "nmt/corpus/training_text.h"
#include "nmt/text/tokenizer.h"

namespace nmt {

// A sentence pair as piece ids, without begin and end ids.
struct Example {
  int64_t index;  // of its lines in the text, from 0
  std::vector<int64_t> source, target;
  Links links;  // between pieces of the two sides, if options ask for them
};

// All from 0.
struct BatchPosition {
  int64_t epoch = 0;
  int64_t block = 0;  // within the epoch
  int64_t batch = 0;  // within the block
  bool operator==(const BatchPosition&) const = default;
};

struct ExampleBatch {
  std::vector<Example> examples;
  BatchPosition position, next;
  bool is_own = true;  // else another worker's: examples is empty
  bool last_in_epoch() const { return next.epoch != position.epoch; }
};

// What became of the pairs of the first block.
struct PairCounts {
  int64_t read = 0;
  int64_t too_long = 0;  // a side has more than max_length pieces
  int64_t empty = 0;     // a side has none
};

// One thread of its own reads and tokenises ahead, as far as a short queue allows; a block is tokenised
// as a whole, for its lengths, when the one before has been cut. A text of one block is tokenised once.
//
// With sampling a line gets fresh pieces each time, a pure function of (seed, epoch, line, side).
// Batches are cut by the lengths without sampling, so a batch can then hold somewhat more than
// batch_tokens; a side that would come out longer than max_length keeps its usual pieces.
class BatchStream {
 public:
  // Errors: no pair is left after leaving out the empty and the long ones; there is no batch at
  // `start` (the number of batches of its block: the next block's first).
  static absl::StatusOr<std::unique_ptr<BatchStream>> Open(const TrainingText& text,
                                                           Tokenizer source, Tokenizer target,
                                                           const BatchOptions& options,
                                                           const BatchPosition& start);

  // Waits for nothing but the batch or block being made; safe at any moment.
  ~BatchStream();

  // Waits until the next batch is ready. Errors: a file cannot be read any more.
  absl::StatusOr<ExampleBatch> Next();

  const PairCounts& first_counts() const { return first_counts_; }

 private:
  // A chunk's part in an epoch.
  struct Use {
    size_t chunk;
    int64_t repeat;  // how often it came before in the epoch
    double share;    // of its pairs that are taken
  };
  struct Line {
    int64_t index, repeat;
    std::vector<int32_t> source, target;   // pieces without sampling
    std::string source_text, target_text;  // only for sampling and for links
    Links links;                           // between words
  };
  struct Block {
    BatchPosition position;  // of its first batch
    std::vector<Line> lines;
    std::vector<std::vector<int64_t>> order;
    PairCounts counts;
  };

  BatchStream(const TrainingText& text, Tokenizer source, Tokenizer target,
              const BatchOptions& options);
  std::vector<std::vector<Use>> EpochBlocks(int64_t epoch) const;
  absl::StatusOr<Block> ReadBlock(const BatchPosition& position,
                                  const std::vector<Use>& uses) const;
  std::vector<std::vector<int64_t>> Order(const Block& block) const;
  // Whether all epochs have the same pairs, in one block that can stay in memory.
  bool EachEpochIsOneBlock() const;
  // The first block that holds a pair, from `position` on.
  absl::StatusOr<Block> NextBlock(BatchPosition position) const;
  absl::Status Produce(Block block, int64_t batch);
  // The batch, of which `passed` came before in this epoch and process.
  ExampleBatch MakeBatch(const Block& block, int64_t batch, int64_t passed) const;
  Example MakeExample(const Line& line, int64_t epoch) const;
  // With the words that its pieces belong to if the line has links.
  EncodedLine Pieces(const Line& line, int64_t epoch, bool is_source) const;

  const TrainingText text_;
  const Tokenizer source_, target_;
  const BatchOptions options_;
  PairCounts first_counts_;
  BoundedQueue<ExampleBatch> queue_;
  absl::Status failure_;  // of the producer; set before the queue is closed
  std::thread producer_;
};

}  // namespace nmt

#endif  // NMT_CORPUS_BATCH_STREAM_H_
