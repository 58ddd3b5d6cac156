#include "nmt/corpus/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "nmt/text/splitmix64.h"
#include "tests/text/trained_tokenizer.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Lengths = std::vector<int64_t>;
using Batches = std::vector<std::vector<int64_t>>;

Lengths RandomLengths(size_t size, uint64_t seed) {
  SplitMix64 random(seed);
  Lengths lengths(size);
  for (int64_t& length : lengths) length = 1 + static_cast<int64_t>(random.Below(50));
  return lengths;
}

Lengths Sorted(const Batches& batches) {
  Lengths all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  std::sort(all.begin(), all.end());
  return all;
}

Lengths UpTo(size_t size) {
  Lengths all(size);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int64_t PaddedTokens(const std::vector<int64_t>& batch, const Lengths& source,
                     const Lengths& target) {
  int64_t longest = 0;
  for (const int64_t i : batch) longest = std::max({longest, source[i] + 1, target[i] + 1});
  return longest * static_cast<int64_t>(batch.size());
}

TEST(EpochOrder, HoldsEveryPairOnceInBatchesOfTheAllowedSize) {
  const Lengths source = RandomLengths(5000, 1);
  const Lengths target = RandomLengths(5000, 2);
  const Batches order = EpochOrder(source, target, {.batch_tokens = 400}, 0);
  EXPECT_EQ(Sorted(order), UpTo(5000));
  for (const auto& batch : order) {
    EXPECT_FALSE(batch.empty());
    EXPECT_LE(PaddedTokens(batch, source, target), 400);
  }
}

TEST(EpochOrder, SevenPairsAreSevenPairsForAnyBatchSize) {
  const Lengths lengths(7, 3);
  for (const int64_t rows : {1, 4, 7, 64}) {
    EXPECT_EQ(Sorted(EpochOrder(lengths, lengths, {.batch_tokens = 4 * rows}, 0)), UpTo(7));
  }
  EXPECT_THAT(EpochOrder(lengths, lengths, {.batch_tokens = 4 * 4}, 0), SizeIs(2));
  EXPECT_THAT(EpochOrder({3}, {3}, {.batch_tokens = 4096}, 0), ElementsAre(ElementsAre(0)));
}

TEST(EpochOrder, APairThatIsTooLongIsABatchOfItsOwn) {
  const Lengths source = {5, 100, 5, 5};
  const Batches order = EpochOrder(source, {5, 5, 5, 5}, {.batch_tokens = 20}, 0);
  EXPECT_EQ(Sorted(order), UpTo(4));
  EXPECT_THAT(order, ::testing::Contains(ElementsAre(1)));
}

TEST(EpochOrder, IsTheSameForTheSameSeedAndEpochOnly) {
  const Lengths lengths = RandomLengths(1000, 3);
  const auto order = [&](uint64_t seed, int64_t epoch) {
    return EpochOrder(lengths, lengths, {.batch_tokens = 200, .seed = seed}, epoch);
  };
  EXPECT_EQ(order(1, 0), order(1, 0));
  EXPECT_NE(order(1, 0), order(1, 1));
  EXPECT_NE(order(1, 0), order(2, 0));
}

// From tests/golden/epoch_order.py, which follows the definition in Python.
TEST(EpochOrder, IsTheSameOnEveryMachine) {
  const Lengths source = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
  const Lengths target = {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5};
  EXPECT_EQ(EpochOrder(source, target, {.batch_tokens = 24, .seed = 7}, 3),
            (Batches{{6, 2, 0, 8}, {11, 1}, {3, 9}, {4, 10}, {7, 5}}));
}

TEST(EpochOrder, PutsPairsOfLikeLengthTogether) {
  const Lengths source = RandomLengths(5000, 4);
  const BatchOptions options{.batch_tokens = 400};
  int64_t padded = 0;
  for (const auto& batch : EpochOrder(source, source, options, 0)) {
    padded += PaddedTokens(batch, source, source);
  }
  const int64_t tokens = std::accumulate(source.begin(), source.end(), int64_t{5000});
  EXPECT_LT(static_cast<double>(padded), 1.1 * static_cast<double>(tokens));
}

TEST(EpochOrder, DoesNotGoFromShortToLong) {
  const Lengths lengths = RandomLengths(5000, 5);
  const Batches order = EpochOrder(lengths, lengths, {.batch_tokens = 400}, 0);
  size_t falls = 0;
  for (size_t i = 1; i < order.size(); ++i)
    falls += lengths[order[i][0]] < lengths[order[i - 1][0]];
  EXPECT_GT(falls, order.size() / 3);
}

TEST(LengthOrder, GoesFromLongToShortAndHoldsEveryPairOnce) {
  const Lengths source = RandomLengths(500, 6);
  const Lengths target = RandomLengths(500, 7);
  const Batches order = LengthOrder(source, target, /*batch_tokens=*/400, /*batch_rows=*/10);
  EXPECT_EQ(Sorted(order), UpTo(500));
  for (const auto& batch : order) {
    EXPECT_LE(batch.size(), 10u);
    EXPECT_LE(PaddedTokens(batch, source, target), 400);
  }
  EXPECT_EQ(target[order.front().front()], 50);
  EXPECT_EQ(target[order.back().back()], 1);
  EXPECT_THAT(LengthOrder({}, {}, 400), SizeIs(0));
}

TEST(LengthOrder, FillsEachBatch) {
  const Lengths source = RandomLengths(500, 6);
  const Lengths target = RandomLengths(500, 7);
  const Batches order = LengthOrder(source, target, /*batch_tokens=*/400);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    std::vector<int64_t> with_next = order[i];
    with_next.push_back(order[i + 1].front());
    EXPECT_GT(PaddedTokens(with_next, source, target), 400);
  }
}

// w0 a b / v0 c d, w1 a b / v1 c d, ...
ParallelCorpus Numbered(int pairs) {
  ParallelCorpus corpus;
  for (int i = 0; i < pairs; ++i) {
    corpus.source.push_back("w" + std::to_string(i) + " a b");
    corpus.target.push_back("v" + std::to_string(i) + " c d");
  }
  return corpus;
}

Tokenizer TrainedOnBoth(const ParallelCorpus& corpus,
                        TokenizerType type = TokenizerType::kUnigram) {
  std::vector<std::string> lines = corpus.source;
  lines.insert(lines.end(), corpus.target.begin(), corpus.target.end());
  TokenizerOptions options;
  options.type = type;
  return TrainedOn(lines, options);
}

std::unique_ptr<BatchStream> OpenStream(const ParallelCorpus& corpus, const Tokenizer& tokenizer,
                                        const BatchOptions& options, int64_t epoch = 0,
                                        int64_t batch = 0) {
  auto stream = BatchStream::Open(corpus, tokenizer, tokenizer, options, epoch, batch);
  EXPECT_TRUE(stream.ok()) << stream.status();
  return *std::move(stream);
}

bool Equal(const ExampleBatch& a, const ExampleBatch& b) {
  return a.epoch == b.epoch && a.index == b.index && a.last_in_epoch == b.last_in_epoch &&
         std::equal(a.examples.begin(), a.examples.end(), b.examples.begin(), b.examples.end(),
                    [](const Example& x, const Example& y) {
                      return x.index == y.index && x.source == y.source && x.target == y.target;
                    });
}

TEST(BatchStream, GivesEveryPairOnceInEachEpoch) {
  const ParallelCorpus corpus = Numbered(7);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  for (const int64_t batch_tokens : {4, 20, 64, 4096}) {
    const auto stream = OpenStream(corpus, tokenizer, {.batch_tokens = batch_tokens});
    EXPECT_EQ(stream->pairs(), 7);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      std::map<int64_t, int> seen;
      for (int64_t index = 0;; ++index) {
        const ExampleBatch batch = stream->Next();
        ASSERT_EQ(batch.epoch, epoch);
        ASSERT_EQ(batch.index, index);
        for (const Example& example : batch.examples) {
          ++seen[example.index];
          EXPECT_EQ(tokenizer.Decode(example.source), corpus.source[example.index]);
          EXPECT_EQ(tokenizer.Decode(example.target), corpus.target[example.index]);
        }
        if (batch.last_in_epoch) break;
      }
      EXPECT_EQ(seen.size(), 7u);
      for (const auto& [index, times] : seen) EXPECT_EQ(times, 1) << index;
    }
  }
}

TEST(BatchStream, AOneLineCorpusHasOneBatchAnEpoch) {
  const ParallelCorpus corpus = Numbered(1);
  const auto stream = OpenStream(corpus, TrainedOnBoth(corpus), {});
  for (int64_t epoch = 0; epoch < 5; ++epoch) {
    const ExampleBatch batch = stream->Next();
    EXPECT_EQ(batch.epoch, epoch);
    EXPECT_TRUE(batch.last_in_epoch);
    EXPECT_THAT(batch.examples, SizeIs(1));
  }
}

TEST(BatchStream, ResumingInsideAnEpochGivesWhatTheUnbrokenStreamGives) {
  const ParallelCorpus corpus = Numbered(40);
  for (const TokenizerType type : {TokenizerType::kUnigram, TokenizerType::kBpe}) {
    const Tokenizer tokenizer = TrainedOnBoth(corpus, type);
    const BatchOptions options{.batch_tokens = 40, .sampling = 0.3, .seed = 9};
    const auto unbroken = OpenStream(corpus, tokenizer, options);
    std::vector<ExampleBatch> batches;
    while (batches.empty() || batches.back().epoch < 3) batches.push_back(unbroken->Next());
    for (size_t i = 0; i + 3 < batches.size(); i += 5) {
      const auto resumed =
          OpenStream(corpus, tokenizer, options, batches[i].epoch, batches[i].index);
      for (size_t j = i; j < i + 3; ++j) EXPECT_TRUE(Equal(resumed->Next(), batches[j]));
    }
  }
}

TEST(BatchStream, ResumingAtTheEndOfAnEpochBeginsTheNext) {
  const ParallelCorpus corpus = Numbered(3);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  const ExampleBatch batch = OpenStream(corpus, tokenizer, {}, /*epoch=*/4, /*batch=*/1)->Next();
  EXPECT_EQ(batch.epoch, 5);
  EXPECT_EQ(batch.index, 0);
  const auto beyond = BatchStream::Open(corpus, tokenizer, tokenizer, {}, 4, 2);
  EXPECT_EQ(ExitCode(beyond.status()), 1);
  EXPECT_THAT(std::string(beyond.status().message()), HasSubstr("have changed"));
}

TEST(BatchStream, SamplingGivesFreshPiecesOfTheSameTextInEachEpoch) {
  const ParallelCorpus corpus = Numbered(20);
  const Tokenizer tokenizer = TrainedOnBoth(corpus, TokenizerType::kBpe);
  const auto stream = OpenStream(corpus, tokenizer, {.sampling = 0.5});
  const ExampleBatch first = stream->Next();
  const ExampleBatch second = stream->Next();
  ASSERT_TRUE(first.last_in_epoch);
  std::map<int64_t, std::vector<int64_t>> pieces;
  for (const Example& example : first.examples) pieces[example.index] = example.source;
  int changed = 0;
  for (const Example& example : second.examples) {
    EXPECT_EQ(tokenizer.Decode(example.source), corpus.source[example.index]);
    EXPECT_EQ(tokenizer.Decode(example.target), corpus.target[example.index]);
    changed += pieces[example.index] != example.source;
  }
  EXPECT_GT(changed, 5);
}

TEST(BatchStream, SamplingNeverMakesASideLongerThanTheLimit) {
  const ParallelCorpus corpus = Numbered(20);
  const Tokenizer tokenizer = TrainedOnBoth(corpus, TokenizerType::kBpe);
  int64_t longest = 0;
  for (const auto* lines : {&corpus.source, &corpus.target}) {
    for (const std::string& line : *lines) {
      longest = std::max(longest, static_cast<int64_t>(tokenizer.Encode(line).size()));
    }
  }
  const auto stream = OpenStream(corpus, tokenizer, {.max_length = longest, .sampling = 1});
  EXPECT_EQ(stream->pairs(), 20);
  for (const Example& example : stream->Next().examples) {
    EXPECT_LE(static_cast<int64_t>(example.source.size()), longest);
    EXPECT_LE(static_cast<int64_t>(example.target.size()), longest);
  }
}

TEST(BatchStream, LeavesOutEmptyAndLongPairsAndCountsThem) {
  ParallelCorpus corpus = Numbered(5);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  corpus.source[1] = "";
  corpus.target[2] = " \u3000";
  corpus.target[4] = "c d c d c d c d c d c d c d c d c d c d c d c d";
  const auto stream = OpenStream(corpus, tokenizer, {.max_length = 20});
  EXPECT_EQ(stream->pairs(), 2);
  EXPECT_EQ(stream->left_out_empty(), 2);
  EXPECT_EQ(stream->left_out_long(), 1);
  std::vector<int64_t> indices;
  for (const Example& example : stream->Next().examples) indices.push_back(example.index);
  EXPECT_THAT(indices, ::testing::UnorderedElementsAre(0, 3));
}

TEST(BatchStream, KeepsAPairOfExactlyTheLongestLength) {
  const ParallelCorpus corpus = Numbered(1);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  const auto length = static_cast<int64_t>(std::max(tokenizer.Encode(corpus.source[0]).size(),
                                                    tokenizer.Encode(corpus.target[0]).size()));
  EXPECT_EQ(OpenStream(corpus, tokenizer, {.max_length = length})->pairs(), 1);
  EXPECT_FALSE(
      BatchStream::Open(corpus, tokenizer, tokenizer, {.max_length = length - 1}, 0, 0).ok());
}

TEST(BatchStream, RefusesACorpusOfWhichNothingIsLeft) {
  ParallelCorpus corpus = Numbered(3);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  corpus.target[0] = "";
  const auto stream = BatchStream::Open(corpus, tokenizer, tokenizer, {.max_length = 1}, 0, 0);
  EXPECT_EQ(ExitCode(stream.status()), 1);
  EXPECT_EQ(std::string(stream.status().message()),
            "no training pair is left: 2 longer than data.max_length (1 pieces), 1 with an empty "
            "side");
}

TEST(BatchStream, EndsAtAnyMomentAlsoWhileTheQueueIsFull) {
  const ParallelCorpus corpus = Numbered(50);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  for (const int taken : {0, 1, 20}) {
    for (const int milliseconds : {0, 1, 30}) {
      const auto stream = OpenStream(corpus, tokenizer, {.batch_tokens = 8});
      for (int i = 0; i < taken; ++i) stream->Next();
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
  }
}

}  // namespace
}  // namespace nmt
