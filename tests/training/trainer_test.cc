#include "nmt/training/trainer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "nmt/config/printer.h"
#include "nmt/text/lines.h"
#include "tests/testing.h"

namespace nmt {
namespace {

// 40 pairs: word aN becomes xN, in reverse order.
TrainingCorpora ReverseCorpora() {
  TrainingCorpora corpora;
  for (int i = 0; i < 40; ++i) {
    std::string source, target;
    for (int j = 0; j < 2 + i % 4; ++j) {
      const std::string word = std::to_string((i * 7 + j * 3) % 9);
      source += (j > 0 ? " a" : "a") + word;
      target = "x" + word + (j > 0 ? " " : "") + target;
    }
    corpora.train.source.push_back(source);
    corpora.train.target.push_back(target);
  }
  corpora.valid.source = {corpora.train.source.begin(), corpora.train.source.begin() + 7};
  corpora.valid.target = {corpora.train.target.begin(), corpora.train.target.begin() + 7};
  return corpora;
}

Options SmallOptions(ModelType type) {
  Options options;
  options.seed = 3;
  options.tokenizer = {.vocab_size = 40, .shared = false};
  options.model = {.type = type,
                   .embedding_size = 16,
                   .hidden_size = 16,
                   .encoder_layers = 1,
                   .decoder_layers = 1,
                   .dropout = 0.2};
  options.model.heads = 2;
  options.model.feed_forward_size = 32;
  options.training = {.batch_tokens = 40,
                      .accumulate = 2,
                      .learning_rate = 5e-3,
                      .warmup_updates = 5,
                      .max_updates = 24,
                      .log_every = 3,
                      .validate_every = 8};
  return options;
}

class TrainerOf : public testing::TestWithParam<ModelType> {
 protected:
  void SetUp() override { at::set_num_threads(1); }

  TrainedModel NewRun(const std::filesystem::path& root, const Options& options) {
    const RunDirectory run(root);
    std::filesystem::create_directories(run.checkpoints());
    std::filesystem::create_directories(run.translations());
    for (const bool source : {true, false}) {
      EXPECT_TRUE(TrainTokenizer(options.tokenizer,
                                 {source ? &corpora_.train.source : &corpora_.train.target},
                                 run.tokenizer(false, source))
                      .ok());
    }
    return Open(root, options);
  }

  TrainedModel Open(const std::filesystem::path& root, const Options& options) {
    auto tokenizers = LoadTokenizers(RunDirectory(root), options.tokenizer);
    EXPECT_TRUE(tokenizers.ok()) << tokenizers.status();
    auto model =
        MakeModel(options.model, {tokenizers->source.vocab_size(), tokenizers->target.vocab_size()},
                  static_cast<uint64_t>(options.seed));
    return {root, options, *tokenizers, model, {}, {}};
  }

  // metrics.jsonl without what a clock measured.
  std::vector<std::string> Records(const std::filesystem::path& root) {
    std::vector<std::string> records;
    for (const std::string& line : SplitLines(Contents(RunDirectory(root).metrics()))) {
      auto record = nlohmann::json::parse(line);
      for (const char* key : {"seconds", "tokens_per_second"}) record.erase(key);
      if (record.contains("validation")) record["validation"].erase("seconds");
      records.push_back(record.dump());
    }
    return records;
  }

  std::string LastWeights(const std::filesystem::path& root) {
    return Contents(*RunDirectory(root).Resolve("last") / "model.safetensors");
  }

  const TrainingCorpora corpora_ = ReverseCorpora();
  const std::atomic<bool> go_on_{false};
  ScratchFolder folder_;
  Log log_;
};

// Promise 3, case C24: 2N updates equal N + resume + N bit for bit, mid-epoch, with dropout and
// accumulation.
TEST_P(TrainerOf, ResumingGivesTheBytesOfTheUninterruptedRun) {
  const Options options = SmallOptions(GetParam());
  Trainer whole(NewRun(folder_ / "whole", options), corpora_, log_, go_on_);
  ASSERT_TRUE(whole.Run().ok());

  Options half = options;
  half.training.max_updates = 8;
  Trainer first(NewRun(folder_ / "parts", half), corpora_, log_, go_on_);
  ASSERT_TRUE(first.Run().ok());
  Trainer second(Open(folder_ / "parts", options), corpora_, log_, go_on_);
  ASSERT_TRUE(second.Resume().ok());
  ASSERT_TRUE(second.Run().ok());

  EXPECT_EQ(Records(folder_ / "whole"), Records(folder_ / "parts"));
  EXPECT_TRUE(LastWeights(folder_ / "whole") == LastWeights(folder_ / "parts"));
}

TEST_P(TrainerOf, LearnsToReverse) {
  Options options = SmallOptions(GetParam());
  options.model.dropout = 0;
  options.training.label_smoothing = 0;
  options.training.accumulate = 1;
  options.training.batch_tokens = 100;
  // A rate that falls to 0: at a constant one the last update may be a bad one by chance.
  options.training.schedule = Schedule::kCosine;
  options.training.max_updates = options.training.validate_every = 500;
  Trainer trainer(NewRun(folder_ / "run", options), corpora_, log_, go_on_);
  const auto summary = trainer.Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_GT(summary->state.best_score, 90);
}

// The mean is over the last validations' checkpoints, whether or not the run was stopped in between.
TEST_P(TrainerOf, AStopBetweenValidationsChangesNothing) {
  Options options = SmallOptions(GetParam());
  options.training.average = 2;
  Trainer whole(NewRun(folder_ / "whole", options), corpora_, log_, go_on_);
  ASSERT_TRUE(whole.Run().ok());

  std::atomic<bool> stop{false};
  const std::filesystem::path root = folder_ / "stopped";
  Trainer first(NewRun(root, options), corpora_, log_, stop);
  std::thread watcher([&] {  // stops after the first record, that is before the first validation
    for (int i = 0; i < 60000 && Contents(RunDirectory(root).metrics()).empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    stop = true;
  });
  const auto summary = first.Run();
  watcher.join();
  ASSERT_TRUE(summary.ok()) << summary.status();
  ASSERT_TRUE(summary->interrupted);
  EXPECT_LT(summary->state.update, options.training.max_updates);
  Trainer second(Open(root, options), corpora_, log_, go_on_);
  ASSERT_TRUE(second.Resume().ok());
  ASSERT_TRUE(second.Run().ok());
  EXPECT_EQ(Records(folder_ / "whole"), Records(root));
  EXPECT_TRUE(LastWeights(folder_ / "whole") == LastWeights(root));
}

TEST_P(TrainerOf, AStopBeforeAnyRecordCanBeResumed) {
  Options options = SmallOptions(GetParam());
  options.training.max_updates = 2;
  Trainer first(NewRun(folder_ / "run", options), corpora_, log_, go_on_);
  ASSERT_TRUE(first.Run().ok());
  std::filesystem::remove(RunDirectory(folder_ / "run").metrics());
  Trainer second(Open(folder_ / "run", options), corpora_, log_, go_on_);
  EXPECT_TRUE(second.Resume().ok());
}

TEST_P(TrainerOf, RefusesToResumeOnAnotherText) {
  const Options options = SmallOptions(GetParam());
  Trainer first(NewRun(folder_ / "run", options), corpora_, log_, go_on_);
  ASSERT_TRUE(first.Run().ok());
  TrainingCorpora other = corpora_;
  other.train.target[3] += " x1";
  Trainer second(Open(folder_ / "run", options), other, log_, go_on_);
  EXPECT_EQ(ExitCode(second.Resume()), 2);
}

// Case C13: all seven validation pairs are translated and scored.
TEST_P(TrainerOf, ValidatesEveryPair) {
  const TrainedModel model = NewRun(folder_ / "run", SmallOptions(GetParam()));
  for (const int64_t batch_tokens : {1, 4, 64, 4096}) {
    const auto result = Validate(model, corpora_.valid, batch_tokens);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->translations.size(), 7u);
    EXPECT_NEAR(result->loss, Validate(model, corpora_.valid, 1)->loss, 1e-4);
  }
}

// Promise 9: three updates without a finite loss end the run, and nothing of them is saved.
TEST_P(TrainerOf, StopsWhenTheLossStaysNan) {
  TrainedModel model = NewRun(folder_ / "run", SmallOptions(GetParam()));
  {
    torch::NoGradGuard no_grad;
    model.model->named_parameters()["embeddings.target"].fill_(
        std::numeric_limits<float>::quiet_NaN());
  }
  Trainer trainer(std::move(model), corpora_, log_, go_on_);
  const auto summary = trainer.Run();
  EXPECT_EQ(ExitCode(summary.status()), 1);
  EXPECT_FALSE(RunDirectory(folder_ / "run").Resolve("last").ok());
}

INSTANTIATE_TEST_SUITE_P(, TrainerOf, testing::Values(ModelType::kGru, ModelType::kTransformer),
                         [](const auto& info) { return std::string(EnumName(info.param)); });

std::shared_ptr<Seq2Seq> TinyModel() {
  ModelOptions options{.type = ModelType::kGru, .embedding_size = 8, .hidden_size = 8};
  options.dropout = 0;
  return MakeModel(options, {20, 20}, 1);
}

// Case C23: accumulation divides by the tokens of the window, so it equals the large batch.
TEST(TrainingStep, AccumulationEqualsTheLargeBatch) {
  at::set_num_threads(1);
  const std::vector<Ids> sources = {{5, 6, 7, 8, 9, 10, 11}, {12}},
                         targets = {{4, 5, 6, 7, 8, 9}, {13}};
  std::vector<std::shared_ptr<Seq2Seq>> models;
  for (const bool together : {true, false}) {
    models.push_back(TinyModel());
    Adam adam(*models.back(), {});
    std::vector<Batch> batches = {MakeBatch(sources, targets)};
    if (!together)
      batches = {MakeBatch({sources[0]}, {targets[0]}), MakeBatch({sources[1]}, {targets[1]})};
    const UpdateResult result =
        TrainingStep(*models.back(), adam, batches, {.label_smoothing = 0.1});
    EXPECT_EQ(result.target_tokens, 9);
  }
  for (const auto& parameter : models[0]->named_parameters()) {
    const torch::Tensor other = models[1]->named_parameters()[parameter.key()].grad();
    EXPECT_TRUE(torch::allclose(parameter.value().grad(), other, 1e-4, 1e-6)) << parameter.key();
  }
}

// Promise 9: NaN is found at once and does not reach the weights.
TEST(TrainingStep, SkipsAnUpdateThatIsNotFinite) {
  auto model = TinyModel();
  Adam adam(*model, {});
  {
    torch::NoGradGuard no_grad;
    model->named_parameters()["embeddings.source"][5][0] = std::numeric_limits<float>::infinity();
  }
  const torch::Tensor before = model->named_parameters()["embeddings.target"].clone();
  const UpdateResult result =
      TrainingStep(*model, adam, {MakeBatch({{5}}, {{6}})}, {.learning_rate = 0.1});
  EXPECT_TRUE(result.skipped);
  EXPECT_TRUE(model->named_parameters()["embeddings.target"].equal(before));
}

}  // namespace
}  // namespace nmt
