// Which sentence pairs stand in a batch together, and in which order the batches come.
//
//   for (const std::vector<int64_t>& batch : EpochOrder(source_lengths, target_lengths, options, epoch)) ...
//
// A pure function of the arguments, on any machine.
#ifndef NMT_CORPUS_BATCH_ORDER_H_
#define NMT_CORPUS_BATCH_ORDER_H_

#include <cstdint>
#include <vector>

namespace nmt {

struct BatchOptions {
  int64_t batch_tokens = 4096;      // tokens of the longer side, end token and padding included
  int64_t max_length = 128;         // pieces of a side, without the end token
  int64_t shuffle_buffer = 500000;  // pairs in memory
  double sampling = 0;              // of subwords, see Tokenizer::Sample; 0 is off
  bool links = false;               // Example::links are wanted
  int64_t worker = 0, workers = 1;  // the share of the batches that is made, see BatchStream
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

}  // namespace nmt

#endif  // NMT_CORPUS_BATCH_ORDER_H_
