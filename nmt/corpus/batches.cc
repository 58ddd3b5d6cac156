#include "nmt/corpus/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "nmt/text/splitmix64.h"

namespace nmt {
namespace {

constexpr int64_t kWindowBatches = 100;
constexpr size_t kQueuedBatches = 8;

// What a seed is for: numbers drawn for one purpose tell nothing about those for another.
enum Purpose : uint64_t { kOrder = 1, kSourcePieces = 2, kTargetPieces = 3 };

// Fisher and Yates; std::shuffle differs between standard libraries.
template <typename T>
void Shuffle(std::vector<T>* values, SplitMix64* random) {
  for (size_t i = values->size(); i > 1; --i) {
    std::swap((*values)[i - 1], (*values)[random->Below(i)]);
  }
}

std::vector<int64_t> Indices(size_t size) {
  std::vector<int64_t> indices(size);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

// Lengths of pairs in tokens, and how many of them fit together.
struct Batcher {
  const std::vector<int64_t>& source_lengths;
  const std::vector<int64_t>& target_lengths;
  int64_t batch_tokens;
  int64_t batch_rows = 0;  // 0: no limit

  // Of the longer side with its end token.
  int64_t Tokens(int64_t pair) const {
    return std::max(source_lengths[pair], target_lengths[pair]) + 1;
  }

  auto Lengths(int64_t pair) const {
    return std::tuple(target_lengths[pair], source_lengths[pair]);
  }

  // Cuts `pairs` in their order and appends the batches.
  void Cut(const std::vector<int64_t>& pairs, std::vector<std::vector<int64_t>>* batches) const {
    int64_t longest = 0;
    std::vector<int64_t> batch;
    for (const int64_t pair : pairs) {
      longest = std::max(longest, Tokens(pair));
      const auto rows = static_cast<int64_t>(batch.size()) + 1;
      const bool is_full = rows * longest > batch_tokens || (batch_rows > 0 && rows > batch_rows);
      if (is_full && !batch.empty()) {
        batches->push_back(std::exchange(batch, {}));
        longest = Tokens(pair);
      }
      batch.push_back(pair);
    }
    if (!batch.empty()) batches->push_back(std::move(batch));
  }
};

}  // namespace

std::vector<std::vector<int64_t>> EpochOrder(const std::vector<int64_t>& source_lengths,
                                             const std::vector<int64_t>& target_lengths,
                                             const BatchOptions& options, int64_t epoch) {
  const Batcher batcher{source_lengths, target_lengths, options.batch_tokens};
  SplitMix64 random(MixSeed({options.seed, kOrder, static_cast<uint64_t>(epoch)}));
  std::vector<int64_t> pairs = Indices(source_lengths.size());
  Shuffle(&pairs, &random);

  std::vector<std::vector<int64_t>> batches;
  for (auto begin = pairs.begin(); begin != pairs.end();) {
    auto end = begin;
    int64_t tokens = 0;
    while (end != pairs.end() && tokens < kWindowBatches * options.batch_tokens) {
      tokens += batcher.Tokens(*end++);
    }
    std::vector<int64_t> window(begin, end);
    std::stable_sort(window.begin(), window.end(),
                     [&](int64_t a, int64_t b) { return batcher.Lengths(a) < batcher.Lengths(b); });
    batcher.Cut(window, &batches);
    begin = end;
  }
  Shuffle(&batches, &random);
  return batches;
}

std::vector<std::vector<int64_t>> LengthOrder(const std::vector<int64_t>& source_lengths,
                                              const std::vector<int64_t>& target_lengths,
                                              int64_t batch_tokens, int64_t batch_rows) {
  const Batcher batcher{source_lengths, target_lengths, batch_tokens, batch_rows};
  std::vector<int64_t> pairs = Indices(source_lengths.size());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](int64_t a, int64_t b) { return batcher.Lengths(a) > batcher.Lengths(b); });
  std::vector<std::vector<int64_t>> batches;
  batcher.Cut(pairs, &batches);
  return batches;
}

BatchStream::BatchStream(Tokenizer source, Tokenizer target, const BatchOptions& options)
    : source_(std::move(source)),
      target_(std::move(target)),
      options_(options),
      queue_(kQueuedBatches) {}

absl::StatusOr<std::unique_ptr<BatchStream>> BatchStream::Open(const ParallelCorpus& corpus,
                                                               Tokenizer source, Tokenizer target,
                                                               const BatchOptions& options,
                                                               int64_t start_epoch,
                                                               int64_t start_batch) {
  std::unique_ptr<BatchStream> stream(
      new BatchStream(std::move(source), std::move(target), options));
  stream->KeepUsablePairs(corpus);
  if (stream->pairs() == 0) {
    return DataError(fmt::format(
        "no training pair is left: {} longer than data.max_length ({} pieces), {} with an empty "
        "side",
        stream->left_out_long_, options.max_length, stream->left_out_empty_));
  }
  const auto batches = static_cast<int64_t>(
      EpochOrder(stream->source_lengths_, stream->target_lengths_, options, start_epoch).size());
  if (start_batch > batches) {
    return DataError(
        fmt::format("training cannot go on at batch {} of epoch {}, which has {} batches: the "
                    "training text or the options of its batches have changed",
                    start_batch, start_epoch, batches));
  }
  stream->producer_ = std::thread(&BatchStream::Produce, stream.get(), start_epoch, start_batch);
  return stream;
}

BatchStream::~BatchStream() {
  queue_.Close();
  if (producer_.joinable()) producer_.join();
}

ExampleBatch BatchStream::Next() {
  std::optional<ExampleBatch> batch = queue_.Pop();
  if (!batch) std::rethrow_exception(failure_);  // the destructor apart, only a failure closes it
  return *std::move(batch);
}

void BatchStream::KeepUsablePairs(const ParallelCorpus& corpus) {
  for (size_t i = 0; i < corpus.source.size(); ++i) {
    const auto source_length = static_cast<int64_t>(source_.Encode(corpus.source[i]).size());
    const auto target_length = static_cast<int64_t>(target_.Encode(corpus.target[i]).size());
    if (source_length == 0 || target_length == 0) {
      ++left_out_empty_;
    } else if (std::max(source_length, target_length) > options_.max_length) {
      ++left_out_long_;
    } else {
      lines_.push_back({static_cast<int64_t>(i), corpus.source[i], corpus.target[i]});
      source_lengths_.push_back(source_length);
      target_lengths_.push_back(target_length);
    }
  }
}

Example BatchStream::MakeExample(const Line& line, int64_t epoch) const {
  const auto pieces = [&](const Tokenizer& tokenizer, const std::string& text, Purpose purpose) {
    const uint64_t seed = MixSeed(
        {options_.seed, purpose, static_cast<uint64_t>(epoch), static_cast<uint64_t>(line.index)});
    std::vector<int64_t> ids = tokenizer.Sample(text, options_.sampling, seed);
    const bool is_long = static_cast<int64_t>(ids.size()) > options_.max_length;
    return is_long ? tokenizer.Encode(text) : ids;
  };
  return {line.index, pieces(source_, line.source, kSourcePieces),
          pieces(target_, line.target, kTargetPieces)};
}

void BatchStream::Produce(int64_t epoch, int64_t batch) try {
  for (;; ++epoch, batch = 0) {
    const auto order = EpochOrder(source_lengths_, target_lengths_, options_, epoch);
    const auto batches = static_cast<int64_t>(order.size());
    for (; batch < batches; ++batch) {
      ExampleBatch made{{}, epoch, batch, /*last_in_epoch=*/batch + 1 == batches};
      for (const int64_t pair : order[batch]) {
        made.examples.push_back(MakeExample(lines_[pair], epoch));
      }
      if (!queue_.Push(std::move(made))) return;
    }
  }
} catch (...) {
  failure_ = std::current_exception();
  queue_.Close();
}

}  // namespace nmt
