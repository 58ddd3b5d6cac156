#include "nmt/corpus/batch_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "nmt/corpus/draws.h"

namespace nmt {
namespace {

constexpr size_t kQueuedBatches = 8;  // of one worker

std::vector<int32_t> Narrow(const std::vector<int64_t>& ids) { return {ids.begin(), ids.end()}; }

// Every piece of a word with every piece of a word that is linked to it.
Links PieceLinks(const Links& links, const std::vector<int64_t>& source_words,
                 const std::vector<int64_t>& target_words) {
  Links pieces;
  for (const Link& link : links) {
    for (size_t s = 0; s < source_words.size(); ++s) {
      if (source_words[s] != link.source) continue;
      for (size_t t = 0; t < target_words.size(); ++t) {
        if (target_words[t] == link.target)
          pieces.push_back({static_cast<int64_t>(s), static_cast<int64_t>(t)});
      }
    }
  }
  return pieces;
}

}  // namespace

BatchStream::BatchStream(const TrainingText& text, Tokenizer source, Tokenizer target,
                         const BatchOptions& options)
    : text_(text),
      source_(std::move(source)),
      target_(std::move(target)),
      options_(options),
      queue_(kQueuedBatches * static_cast<size_t>(options.workers)) {}

absl::StatusOr<std::unique_ptr<BatchStream>> BatchStream::Open(const TrainingText& text,
                                                               Tokenizer source, Tokenizer target,
                                                               const BatchOptions& options,
                                                               const BatchPosition& start) {
  std::unique_ptr<BatchStream> stream(
      new BatchStream(text, std::move(source), std::move(target), options));
  const auto changed = [&] {
    return DataError(fmt::format(
        "training cannot go on at batch {} of block {} of epoch {}, which does not exist: the "
        "training text or the options of its batches have changed",
        start.batch, start.block, start.epoch));
  };
  if (start.block >= static_cast<int64_t>(stream->EpochBlocks(start.epoch).size()))
    return changed();
  NMT_ASSIGN_OR_RETURN(Block block, stream->NextBlock({start.epoch, start.block, 0}));
  stream->first_counts_ = block.counts;
  int64_t batch = 0;
  if (start.batch > 0) {
    const auto batches = static_cast<int64_t>(block.order.size());
    if (block.position.block != start.block || start.batch > batches) return changed();
    batch = start.batch;
    if (batch == batches) {
      NMT_ASSIGN_OR_RETURN(block, stream->NextBlock({start.epoch, start.block + 1, 0}));
      batch = 0;
    }
  }
  stream->producer_ =
      std::thread([stream = stream.get(), block = std::move(block), batch]() mutable {
        try {
          stream->failure_ = stream->Produce(std::move(block), batch);
        } catch (const std::exception& error) {
          stream->failure_ = DataError(fmt::format("cannot make batches: {}", error.what()));
        }
        stream->queue_.Close();
      });
  return stream;
}

BatchStream::~BatchStream() {
  queue_.Close();
  if (producer_.joinable()) producer_.join();
}

absl::StatusOr<ExampleBatch> BatchStream::Next() {
  std::optional<ExampleBatch> batch = queue_.Pop();
  if (!batch) return failure_;  // the destructor apart, only a failure closes it
  return *std::move(batch);
}

std::vector<std::vector<BatchStream::Use>> BatchStream::EpochBlocks(int64_t epoch) const {
  std::vector<Use> uses;
  for (size_t chunk = 0; chunk < text_.chunks().size(); ++chunk) {
    const double weight = text_.chunks()[chunk].weight;
    const auto whole = static_cast<int64_t>(std::floor(weight));
    for (int64_t repeat = 0; repeat < whole; ++repeat) uses.push_back({chunk, repeat, 1});
    const double share = weight - static_cast<double>(whole);
    if (share > 0) uses.push_back({chunk, whole, share});
  }
  SplitMix64 random(MixSeed({options_.seed, kDrawChunks, static_cast<uint64_t>(epoch)}));
  Shuffle(&uses, &random);
  std::vector<std::vector<Use>> blocks;
  int64_t room = 0;
  for (const Use& use : uses) {
    const int64_t pairs = text_.chunks()[use.chunk].pairs;
    if (pairs > room) {
      blocks.emplace_back();
      room = options_.shuffle_buffer;
    }
    room -= pairs;
    blocks.back().push_back(use);
  }
  // In the order of the file: its pairs are shuffled anyway.
  for (std::vector<Use>& block : blocks) {
    std::sort(block.begin(), block.end(), [](const Use& a, const Use& b) {
      return std::pair(a.repeat, a.chunk) < std::pair(b.repeat, b.chunk);
    });
  }
  return blocks;
}

absl::StatusOr<BatchStream::Block> BatchStream::ReadBlock(const BatchPosition& position,
                                                          const std::vector<Use>& uses) const {
  Block block{.position = position, .lines = {}, .order = {}, .counts = {}};
  for (const Use& use : uses) {
    NMT_ASSIGN_OR_RETURN(std::vector<SentencePair> pairs,
                         text_.Read(text_.chunks()[use.chunk], options_.links));
    for (SentencePair& pair : pairs) {
      SplitMix64 random(MixSeed({options_.seed, kDrawPairs, static_cast<uint64_t>(position.epoch),
                                 static_cast<uint64_t>(pair.index)}));
      if (use.share < 1 && random.Uniform() >= use.share) continue;
      ++block.counts.read;
      Line line{pair.index,
                use.repeat,
                Narrow(source_.Encode(pair.source)),
                Narrow(target_.Encode(pair.target)),
                {},
                {},
                std::move(pair.links)};
      const size_t longest = std::max(line.source.size(), line.target.size());
      if (line.source.empty() || line.target.empty()) {
        ++block.counts.empty;
      } else if (static_cast<int64_t>(longest) > options_.max_length) {
        ++block.counts.too_long;
      } else {
        if (options_.sampling > 0 || !line.links.empty()) {
          line.source_text = std::move(pair.source);
          line.target_text = std::move(pair.target);
        }
        block.lines.push_back(std::move(line));
      }
    }
  }
  block.order = Order(block);
  return block;
}

std::vector<std::vector<int64_t>> BatchStream::Order(const Block& block) const {
  std::vector<int64_t> source_lengths, target_lengths;
  for (const Line& line : block.lines) {
    source_lengths.push_back(static_cast<int64_t>(line.source.size()));
    target_lengths.push_back(static_cast<int64_t>(line.target.size()));
  }
  BatchOptions options = options_;
  if (block.position.block > 0)
    options.seed =
        MixSeed({options_.seed, kDrawOrder, static_cast<uint64_t>(block.position.block)});
  return EpochOrder(source_lengths, target_lengths, options, block.position.epoch);
}

bool BatchStream::EachEpochIsOneBlock() const {
  double pairs = 0;
  for (const TextChunk& chunk : text_.chunks()) {
    if (chunk.weight != std::floor(chunk.weight)) return false;
    pairs += chunk.weight * static_cast<double>(chunk.pairs);
  }
  return pairs <= static_cast<double>(options_.shuffle_buffer);
}

absl::StatusOr<BatchStream::Block> BatchStream::NextBlock(BatchPosition position) const {
  PairCounts passed;
  // Of a small text of a weight below 1 the draw may take no pair at all, many times in a row.
  constexpr int kMostEmptyEpochs = 10000;
  for (int i = 0; i < kMostEmptyEpochs; ++i, position = {position.epoch + 1, 0, 0}) {
    const bool is_whole = position.block == 0;
    const std::vector<std::vector<Use>> blocks = EpochBlocks(position.epoch);
    for (; position.block < static_cast<int64_t>(blocks.size()); ++position.block) {
      NMT_ASSIGN_OR_RETURN(Block block, ReadBlock(position, blocks[position.block]));
      passed.read += block.counts.read;
      passed.too_long += block.counts.too_long;
      passed.empty += block.counts.empty;
      if (block.lines.empty()) continue;
      block.counts = passed;
      return block;
    }
    // The rest of an epoch may hold no pair that is usable; a whole one must.
    if (is_whole && passed.read > 0) break;
    passed = {};
  }
  return DataError(fmt::format(
      "no training pair is left: {} longer than data.max_length ({} pieces), {} with an empty side",
      passed.too_long, options_.max_length, passed.empty));
}

EncodedLine BatchStream::Pieces(const Line& line, int64_t epoch, bool is_source) const {
  const Tokenizer& tokenizer = is_source ? source_ : target_;
  const std::string& text = is_source ? line.source_text : line.target_text;
  const std::vector<int32_t>& usual = is_source ? line.source : line.target;
  const bool words = !line.links.empty();
  if (options_.sampling > 0) {
    const uint64_t seed =
        MixSeed({options_.seed, is_source ? kDrawSourcePieces : kDrawTargetPieces,
                 static_cast<uint64_t>(epoch),
                 static_cast<uint64_t>(line.repeat * text_.pairs() + line.index)});
    EncodedLine sampled = words ? tokenizer.SampleWithWords(text, options_.sampling, seed)
                                : EncodedLine{tokenizer.Sample(text, options_.sampling, seed), {}};
    if (static_cast<int64_t>(sampled.ids.size()) <= options_.max_length) return sampled;
  }
  return words ? tokenizer.EncodeWithWords(text) : EncodedLine{{usual.begin(), usual.end()}, {}};
}

Example BatchStream::MakeExample(const Line& line, int64_t epoch) const {
  EncodedLine source = Pieces(line, epoch, /*is_source=*/true),
              target = Pieces(line, epoch, /*is_source=*/false);
  Links links = PieceLinks(line.links, source.words, target.words);
  return {line.index, std::move(source.ids), std::move(target.ids), std::move(links)};
}

ExampleBatch BatchStream::MakeBatch(const Block& block, int64_t batch, int64_t passed) const {
  ExampleBatch made{{}, block.position, block.position};
  made.position.batch = batch;
  made.next.batch = batch + 1;
  made.is_own = passed % options_.workers == options_.worker;
  if (!made.is_own) return made;
  for (const int64_t line : block.order[static_cast<size_t>(batch)])
    made.examples.push_back(
        MakeExample(block.lines[static_cast<size_t>(line)], block.position.epoch));
  return made;
}

absl::Status BatchStream::Produce(Block block, int64_t batch) {
  const bool stays = EachEpochIsOneBlock();
  for (int64_t passed = 0;; batch = 0) {
    const auto last = static_cast<int64_t>(block.order.size()) - 1;
    for (; batch < last; ++batch) {
      if (!queue_.Push(MakeBatch(block, batch, passed++))) return absl::OkStatus();
    }
    // Whether the last batch ends the epoch is known when the next block is.
    ExampleBatch made = MakeBatch(block, last, passed++);
    if (stays) {
      block.position = {block.position.epoch + 1, 0, 0};
      block.order = Order(block);
    } else {
      BatchPosition next = block.position;
      ++next.block;
      block = {};  // one block in memory at a time
      NMT_ASSIGN_OR_RETURN(block, NextBlock(next));
    }
    made.next = block.position;
    if (made.last_in_epoch()) passed = 0;
    if (!queue_.Push(std::move(made))) return absl::OkStatus();
  }
}

}  // namespace nmt
