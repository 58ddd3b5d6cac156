#include "nmt/corpus/batch_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "nmt/corpus/draws.h"

namespace nmt {
namespace {

constexpr int64_t kWindowBatches = 100;

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
  SplitMix64 random(MixSeed({options.seed, kDrawOrder, static_cast<uint64_t>(epoch)}));
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

}  // namespace nmt
