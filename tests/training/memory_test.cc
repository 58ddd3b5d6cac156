// Promise 10: memory is flat over a long run. NMT_MEMORY_BATCHES=10000 build/bin/nmt_training_test
// --gtest_filter='*Memory*' is the long form of what `make test` runs shortened.
#include <gtest/gtest.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "nmt/text/splitmix64.h"
#include "nmt/training/training_step.h"

namespace nmt {
namespace {

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

class MemoryOf : public testing::TestWithParam<ModelType> {};

TEST_P(MemoryOf, IsFlatOverBatchesOfRandomLengths) {
  const char* wanted = std::getenv("NMT_MEMORY_BATCHES");
  const int64_t batches = wanted == nullptr ? 900 : std::atoll(wanted);
  at::set_num_threads(1);
  ModelOptions options{.type = GetParam(), .embedding_size = 16, .hidden_size = 16};
  options.encoder_layers = options.decoder_layers = 1;
  options.heads = 2;
  options.feed_forward_size = 32;
  const auto model = MakeModel(options, {50, 50}, /*seed=*/1);
  Adam adam(*model, {});
  SplitMix64 random(7);
  const auto sentence = [&] {
    Ids ids(1 + random.Below(60));
    for (int64_t& id : ids) id = 4 + static_cast<int64_t>(random.Below(46));
    return ids;
  };
  // The largest of the first third, of the last third: what is freed late must not count.
  int64_t early = 0, late = 0;
  for (int64_t update = 1; update <= batches; ++update) {
    std::vector<Ids> sources, targets;
    for (uint64_t row = 1 + random.Below(8); row > 0; --row) {
      sources.push_back(sentence());
      targets.push_back(sentence());
    }
    const UpdateResult result =
        TrainingStep(*model, adam, {MakeBatch(sources, targets)},
                     {.learning_rate = 1e-3, .clip_norm = 1, .seed = 1, .update = update});
    ASSERT_FALSE(result.skipped);
    if (update <= batches / 3) early = std::max(early, ResidentBytes());
    if (update > batches - batches / 3) late = std::max(late, ResidentBytes());
  }
  // One float leaked a token would be 4 bytes x 270 tokens x 600 batches = 0.6 MB, one tensor of the
  // smallest size a batch 0.1 MB; the allocator's own spread is below 2 MB.
  EXPECT_LT(late - early, 3 << 20) << "from " << early << " to " << late << " bytes";
}

INSTANTIATE_TEST_SUITE_P(, MemoryOf, testing::Values(ModelType::kGru, ModelType::kTransformer),
                         [](const auto& info) { return std::string(EnumName(info.param)); });

}  // namespace
}  // namespace nmt
