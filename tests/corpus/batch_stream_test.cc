#include "nmt/corpus/batch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/corpus/text_files.h"
#include "tests/testing.h"
#include "tests/text/trained_tokenizer.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

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

bool Equal(const ExampleBatch& a, const ExampleBatch& b) {
  return a.position == b.position && a.next == b.next &&
         std::equal(a.examples.begin(), a.examples.end(), b.examples.begin(), b.examples.end(),
                    [](const Example& x, const Example& y) {
                      return x.index == y.index && x.source == y.source && x.target == y.target;
                    });
}

class BatchStreamTest : public testing::Test {
 protected:
  TrainingText Text(const ParallelCorpus& corpus) { return TextOf(corpus, folder_.path()); }

  std::unique_ptr<BatchStream> OpenStream(const ParallelCorpus& corpus, const Tokenizer& tokenizer,
                                          const BatchOptions& options,
                                          const BatchPosition& start = {}) {
    auto stream = BatchStream::Open(Text(corpus), tokenizer, tokenizer, options, start);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return *std::move(stream);
  }

  // All batches of the epochs before `epochs`.
  std::vector<ExampleBatch> Epochs(BatchStream& stream, int64_t epochs) {
    std::vector<ExampleBatch> batches;
    do {
      auto batch = stream.Next();
      EXPECT_TRUE(batch.ok()) << batch.status();
      batches.push_back(*std::move(batch));
    } while (batches.back().next.epoch < epochs);
    return batches;
  }

  ScratchFolder folder_;
};

TEST_F(BatchStreamTest, GivesEveryPairOnceInEachEpoch) {
  const ParallelCorpus corpus = Numbered(7);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  for (const int64_t batch_tokens : {4, 20, 64, 4096}) {
    const auto stream = OpenStream(corpus, tokenizer, {.batch_tokens = batch_tokens});
    EXPECT_EQ(stream->first_counts().read, 7);
    BatchPosition expected;
    std::map<std::pair<int64_t, int64_t>, int> seen;  // by epoch and index
    for (const ExampleBatch& batch : Epochs(*stream, 3)) {
      EXPECT_EQ(batch.position, expected);
      expected = batch.next;
      for (const Example& example : batch.examples) {
        ++seen[{batch.position.epoch, example.index}];
        EXPECT_EQ(tokenizer.Decode(example.source), corpus.source[example.index]);
        EXPECT_EQ(tokenizer.Decode(example.target), corpus.target[example.index]);
      }
    }
    EXPECT_EQ(seen.size(), 21u);
    for (const auto& [place, times] : seen) EXPECT_EQ(times, 1) << place.second;
  }
}

// Several blocks an epoch; from the start and from the middle of an epoch.
TEST_F(BatchStreamTest, WorkersMakeTheBatchesOfOneOrderInTurn) {
  const ParallelCorpus corpus = Numbered(2100);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  BatchOptions options{.batch_tokens = 2000, .shuffle_buffer = 1000, .sampling = 0.1};
  const auto two_epochs = Epochs(*OpenStream(corpus, tokenizer, options), 2);
  for (const BatchPosition& start : {BatchPosition{}, two_epochs[two_epochs.size() / 3].next}) {
    const std::vector<ExampleBatch> all =
        Epochs(*OpenStream(corpus, tokenizer, options, start), start.epoch + 2);
    options.workers = 3;
    for (options.worker = 0; options.worker < 3; ++options.worker) {
      const auto some = Epochs(*OpenStream(corpus, tokenizer, options, start), start.epoch + 2);
      ASSERT_EQ(some.size(), all.size());
      int64_t passed = 0;  // in this epoch
      for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(some[i].is_own, passed % 3 == options.worker);
        if (some[i].is_own) {
          EXPECT_TRUE(Equal(some[i], all[i]));
        } else {
          EXPECT_EQ(some[i].next, all[i].next);
          EXPECT_THAT(some[i].examples, SizeIs(0));
        }
        passed = all[i].last_in_epoch() ? 0 : passed + 1;
      }
    }
    options.worker = 0;
    options.workers = 1;
  }
}

TEST_F(BatchStreamTest, AOneLineCorpusHasOneBatchAnEpoch) {
  const ParallelCorpus corpus = Numbered(1);
  const auto stream = OpenStream(corpus, TrainedOnBoth(corpus), {});
  for (int64_t epoch = 0; epoch < 5; ++epoch) {
    const auto batch = stream->Next();
    ASSERT_TRUE(batch.ok());
    EXPECT_EQ(batch->position.epoch, epoch);
    EXPECT_TRUE(batch->last_in_epoch());
    EXPECT_THAT(batch->examples, SizeIs(1));
  }
}

// Five chunks, of which two fit into memory: three blocks an epoch.
TEST_F(BatchStreamTest, ATextThatIsLargerThanTheBufferComesInBlocksOfMixedChunks) {
  const ParallelCorpus corpus = Numbered(4500);
  const Tokenizer tokenizer = TrainedOnBoth(Numbered(50));
  const auto stream = OpenStream(corpus, tokenizer, {.batch_tokens = 2000, .shuffle_buffer = 2100});
  const std::vector<ExampleBatch> batches = Epochs(*stream, 2);
  std::map<int64_t, std::map<int64_t, int>> seen;                   // epoch, index
  std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> chunks;  // epoch and block: chunks
  for (const ExampleBatch& batch : batches) {
    for (const Example& example : batch.examples) {
      ++seen[batch.position.epoch][example.index];
      chunks[{batch.position.epoch, batch.position.block}].insert(example.index / 1000);
    }
  }
  for (const int64_t epoch : {0, 1}) {
    EXPECT_EQ(seen[epoch].size(), 4500u);
    for (const auto& [index, times] : seen[epoch]) ASSERT_EQ(times, 1) << index;
  }
  for (const auto& [block, found] : chunks) EXPECT_LE(found.size(), 2u);
  EXPECT_EQ(chunks.size(), 6u);  // three blocks in each epoch
  // The halves of a text that is sorted by topic come mixed: another set of chunks in each epoch.
  EXPECT_NE((chunks[{0, 0}]), (chunks[{1, 0}]));
}

TEST_F(BatchStreamTest, ResumingAnywhereGivesWhatTheUnbrokenStreamGives) {
  const ParallelCorpus corpus = Numbered(2040);
  for (const TokenizerType type : {TokenizerType::kUnigram, TokenizerType::kBpe}) {
    const Tokenizer tokenizer = TrainedOnBoth(Numbered(50), type);
    const BatchOptions options{
        .batch_tokens = 2000, .shuffle_buffer = 1000, .sampling = 0.3, .seed = 9};
    const auto unbroken = OpenStream(corpus, tokenizer, options);
    const std::vector<ExampleBatch> batches = Epochs(*unbroken, 2);
    EXPECT_GT(batches.size(), 12u);
    for (size_t i = 0; i + 3 < batches.size(); ++i) {
      const auto resumed = OpenStream(corpus, tokenizer, options, batches[i].next);
      for (size_t j = i + 1; j < i + 3; ++j) {
        const auto batch = resumed->Next();
        ASSERT_TRUE(batch.ok()) << batch.status();
        EXPECT_TRUE(Equal(*batch, batches[j]));
      }
    }
  }
}

TEST_F(BatchStreamTest, ResumingAtTheEndOfAnEpochBeginsTheNext) {
  const ParallelCorpus corpus = Numbered(3);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  const auto batch =
      OpenStream(corpus, tokenizer, {}, {.epoch = 4, .block = 0, .batch = 1})->Next();
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->position, (BatchPosition{.epoch = 5, .block = 0, .batch = 0}));
  for (const BatchPosition& start : {BatchPosition{4, 0, 2}, BatchPosition{4, 1, 0}}) {
    const auto beyond = BatchStream::Open(Text(corpus), tokenizer, tokenizer, {}, start);
    EXPECT_EQ(ExitCode(beyond.status()), 1);
    EXPECT_THAT(std::string(beyond.status().message()), HasSubstr("have changed"));
  }
}

// One text twice in each epoch, a fresh quarter of another.
TEST_F(BatchStreamTest, TakesPairsAsOftenAsTheWeightOfTheirTextSays) {
  const ParallelCorpus corpus = Numbered(800);
  const Tokenizer tokenizer = TrainedOnBoth(Numbered(50));
  TextOf(corpus, folder_.path());
  const std::string source = (folder_ / "train.source").string();
  const std::string target = (folder_ / "train.target").string();
  const auto text = TrainingText::Open({.source = {source, source},
                                        .target = {target, target},
                                        .alignment = {},
                                        .weight = {2, 0.25}});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->pairs(), 1600);
  auto stream = BatchStream::Open(*text, tokenizer, tokenizer, {.sampling = 0.2}, {});
  ASSERT_TRUE(stream.ok()) << stream.status();
  std::map<int64_t, std::map<int64_t, int>> times;
  for (const ExampleBatch& batch : Epochs(**stream, 8)) {
    for (const Example& example : batch.examples) ++times[example.index][batch.position.epoch];
  }
  int64_t drawn = 0;
  for (int64_t index = 0; index < 1600; ++index) {
    for (int64_t epoch = 0; epoch < 8; ++epoch) {
      if (index < 800) {
        EXPECT_EQ(times[index][epoch], 2);
      } else {
        EXPECT_LE(times[index][epoch], 1);
        drawn += times[index][epoch];
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(drawn), 0.25 * 800 * 8, 4 * std::sqrt(0.25 * 0.75 * 6400));
}

TEST_F(BatchStreamTest, ATextOfWhichAnEpochOftenTakesNothingGoesOn) {
  const ParallelCorpus corpus = Numbered(1);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  TextOf(corpus, folder_.path());
  const auto text = TrainingText::Open({.source = {(folder_ / "train.source").string()},
                                        .target = {(folder_ / "train.target").string()},
                                        .alignment = {},
                                        .weight = {0.3}});
  ASSERT_TRUE(text.ok());
  auto stream = BatchStream::Open(*text, tokenizer, tokenizer, {}, {});
  ASSERT_TRUE(stream.ok()) << stream.status();
  int64_t epoch = -1;
  for (int i = 0; i < 10; ++i) {
    const auto batch = (*stream)->Next();
    ASSERT_TRUE(batch.ok()) << batch.status();
    EXPECT_GT(batch->position.epoch, epoch);
    epoch = batch->position.epoch;
  }
  EXPECT_GT(epoch, 12);  // most epochs took nothing
}

TEST_F(BatchStreamTest, SamplingGivesFreshPiecesOfTheSameTextInEachEpoch) {
  const ParallelCorpus corpus = Numbered(20);
  const Tokenizer tokenizer = TrainedOnBoth(corpus, TokenizerType::kBpe);
  const auto stream = OpenStream(corpus, tokenizer, {.sampling = 0.5});
  const ExampleBatch first = *stream->Next();
  const ExampleBatch second = *stream->Next();
  ASSERT_TRUE(first.last_in_epoch());
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

// Word 0 is linked to word 2, word 2 to word 0, in every fresh segmentation.
TEST_F(BatchStreamTest, LinksJoinAllPiecesOfTheLinkedWords) {
  const ParallelCorpus corpus = Numbered(30);
  const Tokenizer tokenizer = TrainedOnBoth(corpus, TokenizerType::kBpe);
  TrainingFiles files{.source = {(folder_ / "l.source").string()},
                      .target = {(folder_ / "l.target").string()},
                      .alignment = {(folder_ / "l.links").string()}};
  std::ofstream source(files.source[0]), target(files.target[0]), links(files.alignment[0]);
  for (size_t i = 0; i < corpus.source.size(); ++i) {
    source << corpus.source[i] << "\n";
    target << corpus.target[i] << "\n";
    links << (i == 7 ? "" : "0-2 2-0") << "\n";
  }
  for (std::ofstream* file : {&source, &target, &links}) file->close();
  const auto text = TrainingText::Open(files);
  ASSERT_TRUE(text.ok()) << text.status();
  for (const double sampling : {0.0, 0.5}) {
    auto stream = BatchStream::Open(*text, tokenizer, tokenizer,
                                    {.sampling = sampling, .links = true}, /*start=*/{});
    ASSERT_TRUE(stream.ok()) << stream.status();
    std::set<size_t> sizes;
    for (const ExampleBatch& batch : Epochs(**stream, 3)) {
      for (const Example& example : batch.examples) {
        if (example.index == 7) {
          EXPECT_TRUE(example.links.empty());
          continue;
        }
        const std::vector<int64_t> source_words = tokenizer.DecodeWithWords(example.source).words,
                                   target_words = tokenizer.DecodeWithWords(example.target).words;
        Links expected;
        for (size_t s = 0; s < source_words.size(); ++s) {
          for (size_t t = 0; t < target_words.size(); ++t) {
            if (source_words[s] + target_words[t] == 2 && source_words[s] != 1)
              expected.push_back({static_cast<int64_t>(s), static_cast<int64_t>(t)});
          }
        }
        EXPECT_EQ(SortedLinks(example.links), expected);
        sizes.insert(example.links.size());
      }
    }
    EXPECT_GT(sizes.size(), sampling > 0 ? 1u : 0u);
  }
  // Nobody asked for them.
  auto plain = BatchStream::Open(*text, tokenizer, tokenizer, {}, /*start=*/{});
  EXPECT_TRUE((*plain)->Next()->examples[0].links.empty());
}

TEST_F(BatchStreamTest, SamplingNeverMakesASideLongerThanTheLimit) {
  const ParallelCorpus corpus = Numbered(20);
  const Tokenizer tokenizer = TrainedOnBoth(corpus, TokenizerType::kBpe);
  int64_t longest = 0;
  for (const auto* lines : {&corpus.source, &corpus.target}) {
    for (const std::string& line : *lines) {
      longest = std::max(longest, static_cast<int64_t>(tokenizer.Encode(line).size()));
    }
  }
  const auto stream = OpenStream(corpus, tokenizer, {.max_length = longest, .sampling = 1});
  const ExampleBatch batch = *stream->Next();
  EXPECT_THAT(batch.examples, SizeIs(20));
  for (const Example& example : batch.examples) {
    EXPECT_LE(static_cast<int64_t>(example.source.size()), longest);
    EXPECT_LE(static_cast<int64_t>(example.target.size()), longest);
  }
}

TEST_F(BatchStreamTest, LeavesOutEmptyAndLongPairsAndCountsThem) {
  ParallelCorpus corpus = Numbered(5);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  corpus.source[1] = "";
  corpus.target[2] = " \u3000";
  corpus.target[4] = "c d c d c d c d c d c d c d c d c d c d c d c d";
  const auto stream = OpenStream(corpus, tokenizer, {.max_length = 20});
  EXPECT_EQ(stream->first_counts().read, 5);
  EXPECT_EQ(stream->first_counts().empty, 2);
  EXPECT_EQ(stream->first_counts().too_long, 1);
  std::vector<int64_t> indices;
  const ExampleBatch batch = *stream->Next();
  for (const Example& example : batch.examples) indices.push_back(example.index);
  EXPECT_THAT(indices, ::testing::UnorderedElementsAre(0, 3));
}

TEST_F(BatchStreamTest, KeepsAPairOfExactlyTheLongestLength) {
  const ParallelCorpus corpus = Numbered(1);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  const auto length = static_cast<int64_t>(std::max(tokenizer.Encode(corpus.source[0]).size(),
                                                    tokenizer.Encode(corpus.target[0]).size()));
  EXPECT_TRUE(OpenStream(corpus, tokenizer, {.max_length = length})->Next().ok());
  EXPECT_FALSE(
      BatchStream::Open(Text(corpus), tokenizer, tokenizer, {.max_length = length - 1}, {}).ok());
}

TEST_F(BatchStreamTest, RefusesACorpusOfWhichNothingIsLeft) {
  ParallelCorpus corpus = Numbered(3);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  corpus.target[0] = "";
  const auto stream = BatchStream::Open(Text(corpus), tokenizer, tokenizer, {.max_length = 1}, {});
  EXPECT_EQ(ExitCode(stream.status()), 1);
  EXPECT_EQ(std::string(stream.status().message()),
            "no training pair is left: 2 longer than data.max_length (1 pieces), 1 with an empty "
            "side");
}

TEST_F(BatchStreamTest, SaysSoWhenTheTextIsCutWhileItIsRead) {
  const ParallelCorpus corpus = Numbered(30);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  const TrainingText text = Text(corpus);
  std::filesystem::resize_file(folder_ / "train.target", 10);
  const auto stream = BatchStream::Open(text, tokenizer, tokenizer, {}, {});
  EXPECT_EQ(ExitCode(stream.status()), 1);
  EXPECT_THAT(std::string(stream.status().message()),
              HasSubstr("train.target: has become shorter"));
}

TEST_F(BatchStreamTest, EndsAtAnyMomentAlsoWhileTheQueueIsFull) {
  const ParallelCorpus corpus = Numbered(50);
  const Tokenizer tokenizer = TrainedOnBoth(corpus);
  for (const int taken : {0, 1, 20}) {
    for (const int milliseconds : {0, 1, 30}) {
      const auto stream = OpenStream(corpus, tokenizer, {.batch_tokens = 8});
      for (int i = 0; i < taken; ++i) EXPECT_TRUE(stream->Next().ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
  }
}

}  // namespace
}  // namespace nmt
