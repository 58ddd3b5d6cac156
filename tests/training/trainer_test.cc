#include "nmt/training/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "nmt/config/printer.h"
#include "nmt/text/lines.h"
#include "nmt/training/verify_resume.h"
#include "tests/corpus/text_files.h"
#include "tests/testing.h"

namespace nmt {
namespace {

// 40 pairs: word aN becomes xN, in reverse order.
ParallelCorpus ReverseCorpus() {
  ParallelCorpus corpus;
  for (int i = 0; i < 40; ++i) {
    std::string source, target;
    for (int j = 0; j < 2 + i % 4; ++j) {
      const std::string word = std::to_string((i * 7 + j * 3) % 9);
      source += (j > 0 ? " a" : "a") + word;
      target = "x" + word + (j > 0 ? " " : "") + target;
    }
    corpus.source.push_back(source);
    corpus.target.push_back(target);
  }
  return corpus;
}

TrainingCorpora Corpora(const ParallelCorpus& train, const std::filesystem::path& folder) {
  return {TextOf(train, folder),
          {{train.source.begin(), train.source.begin() + 7},
           {train.target.begin(), train.target.begin() + 7}}};
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
      EXPECT_TRUE(TrainTokenizer(options.tokenizer, {source ? &train_.source : &train_.target},
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
      for (const char* key : {"seconds", "tokens_per_second", "peak_memory"}) record.erase(key);
      if (record.contains("validation")) record["validation"].erase("seconds");
      records.push_back(record.dump());
    }
    return records;
  }

  std::string LastWeights(const std::filesystem::path& root) {
    return Contents(*RunDirectory(root).Resolve("last") / "model.safetensors");
  }

  const std::atomic<bool> go_on_{false};
  ScratchFolder folder_;
  const ParallelCorpus train_ = ReverseCorpus();
  const TrainingCorpora corpora_ = Corpora(train_, folder_.path());
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
  Options longer = options;
  longer.training.max_updates = 4;
  Trainer second(Open(folder_ / "run", longer), corpora_, log_, go_on_);
  EXPECT_TRUE(second.Resume().ok());
  EXPECT_TRUE(second.Run().ok());
}

// A kill between the last save and the mean leaves the mean to be done.
TEST_P(TrainerOf, ResumingMakesUpForAnEndThatWasCutShort) {
  Options options = SmallOptions(GetParam());
  options.training.max_updates = 23;  // no multiple of validate_every
  options.training.average = 2;
  Trainer whole(NewRun(folder_ / "whole", options), corpora_, log_, go_on_);
  ASSERT_TRUE(whole.Run().ok());
  Trainer first(NewRun(folder_ / "cut", options), corpora_, log_, go_on_);
  ASSERT_TRUE(first.Run(/*pause_after=*/23).ok());
  const RunDirectory run(folder_ / "cut");
  std::string kept;
  for (const std::string& line : SplitLines(Contents(run.metrics()))) {
    if (line.find("averaged_checkpoints") == std::string::npos) kept += line + "\n";
  }
  folder_.Write("cut/metrics.jsonl", kept);
  std::filesystem::remove_all(run.checkpoints() / RunDirectory::AverageName(23));
  Trainer second(Open(folder_ / "cut", options), corpora_, log_, go_on_);
  ASSERT_TRUE(second.Resume().ok());
  ASSERT_TRUE(second.Run().ok());
  EXPECT_EQ(Records(folder_ / "whole"), Records(folder_ / "cut"));
  EXPECT_EQ(RunDirectory(folder_ / "whole").Resolve("best")->filename(),
            run.Resolve("best")->filename());
}

TEST_P(TrainerOf, RefusesToResumeOnAnotherText) {
  const Options options = SmallOptions(GetParam());
  Trainer first(NewRun(folder_ / "run", options), corpora_, log_, go_on_);
  ASSERT_TRUE(first.Run().ok());
  ParallelCorpus changed = train_;
  changed.target[3] += " x1";
  const TrainingCorpora other = Corpora(changed, folder_.path());
  Trainer second(Open(folder_ / "run", options), other, log_, go_on_);
  EXPECT_EQ(ExitCode(second.Resume()), 2);
}

// Case C13: all seven validation pairs are translated and scored.
TEST_P(TrainerOf, ValidatesEveryPair) {
  const TrainedModel model = NewRun(folder_ / "run", SmallOptions(GetParam()));
  Workers alone;
  for (const int64_t batch_tokens : {1, 4, 64, 4096}) {
    const auto result = Validate(model, corpora_.valid, batch_tokens, alone);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->translations.size(), 7u);
    EXPECT_NEAR(result->loss, Validate(model, corpora_.valid, 1, alone)->loss, 1e-4);
  }
}

// All that draws numbers, counts or averages, at once.
Options EverythingOn(ModelType type) {
  Options options = SmallOptions(type);
  options.tokenizer.sampling = 0.2;
  options.model.attention_dropout = 0.1;
  options.training.schedule = Schedule::kPlateau;
  options.training.patience = 2;
  options.training.average = 2;
  options.training.ema_decay = 0.9;
  options.training.word_dropout = 0.1;
  options.training.r_drop = 1;
  return options;
}

TEST_P(TrainerOf, ResumingGivesTheSameBytesWithEverythingOn) {
  const Options options = EverythingOn(GetParam());
  Trainer whole(NewRun(folder_ / "whole", options), corpora_, log_, go_on_);
  ASSERT_TRUE(whole.Run().ok());
  Trainer first(NewRun(folder_ / "parts", options), corpora_, log_, go_on_);
  ASSERT_TRUE(first.Run(/*pause_after=*/11)->interrupted);
  Trainer second(Open(folder_ / "parts", options), corpora_, log_, go_on_);
  ASSERT_TRUE(second.Resume().ok());
  ASSERT_TRUE(second.Run().ok());
  EXPECT_EQ(Records(folder_ / "whole"), Records(folder_ / "parts"));
  EXPECT_TRUE(LastWeights(folder_ / "whole") == LastWeights(folder_ / "parts"));
}

// What is saved and validated is the moving average: the same weights that a run of the average's
// own gives.
// Early in a run BLEU is 0 more than once: the later checkpoint, which has learnt more, is better.
TEST_P(TrainerOf, OfEqualBleuTheSmallerLossIsBest) {
  Options options = SmallOptions(GetParam());
  options.training.max_updates = 12;
  options.training.validate_every = 3;
  options.training.learning_rate = 1e-5;  // so small that the translations stay what they are
  Trainer trainer(NewRun(folder_ / "run", options), corpora_, log_, go_on_);
  const auto summary = trainer.Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  std::vector<double> bleu, loss;
  for (const std::string& line : Records(folder_ / "run")) {
    const auto record = nlohmann::json::parse(line);
    if (!record.contains("validation")) continue;
    bleu.push_back(record["validation"]["bleu"]);
    loss.push_back(record["validation"]["loss"]);
  }
  ASSERT_EQ(bleu.size(), 4u);
  ASSERT_EQ(bleu[0], bleu[1]);  // else this test shows nothing
  size_t best = 0;
  for (size_t i = 1; i < bleu.size(); ++i) {
    if (bleu[i] > bleu[best] || (bleu[i] == bleu[best] && loss[i] < loss[best])) best = i;
  }
  EXPECT_GT(best, 0u);
  EXPECT_EQ(summary->state.best_update, 3 * static_cast<int64_t>(best + 1));
}

TEST_P(TrainerOf, SavesTheMovingAverage) {
  Options options = SmallOptions(GetParam());
  options.training.max_updates = 1;
  Trainer plain(NewRun(folder_ / "plain", options), corpora_, log_, go_on_);
  ASSERT_TRUE(plain.Run().ok());
  options.training.ema_decay = 0.5;
  const TrainedModel model = NewRun(folder_ / "averaged", options);
  std::map<std::string, torch::Tensor> initial;
  for (const auto& parameter : model.model->named_parameters())
    initial[parameter.key()] = parameter.value().detach().clone();
  Trainer averaged(model, corpora_, log_, go_on_);
  ASSERT_TRUE(averaged.Run().ok());
  const auto weights = [&](const char* run) {
    return ReadSafetensors(*RunDirectory(folder_ / run).Resolve("last") / "model.safetensors")
        ->tensors;
  };
  const auto after = weights("plain"), mean = weights("averaged");
  for (const auto& [name, tensor] : mean) {  // decay min(0.5, 2 / 11) after update 1
    const torch::Tensor expected = initial[name] * (2.0 / 11) + after.at(name) * (9.0 / 11);
    EXPECT_TRUE(torch::allclose(tensor, expected, 1e-5, 1e-7)) << name;
  }
}

// Case C25: the newest checkpoint is cut; the one before it is found, and said.
TEST_P(TrainerOf, ResumesFromTheNewestCheckpointThatIsWhole) {
  const Options options = SmallOptions(GetParam());
  Trainer first(NewRun(folder_ / "run", options), corpora_, log_, go_on_);
  ASSERT_TRUE(first.Run().ok());
  const std::string weights = LastWeights(folder_ / "run");
  const auto records = Records(folder_ / "run");
  const std::filesystem::path last =
      *RunDirectory(folder_ / "run").Resolve("last") / "model.safetensors";
  for (const uintmax_t size : {std::filesystem::file_size(last) / 2, uintmax_t{0}}) {
    std::filesystem::resize_file(last, size);
    auto log = Log::Open(folder_ / "log");
    Trainer second(Open(folder_ / "run", options), corpora_, *log, go_on_);
    ASSERT_TRUE(second.Resume().ok());
    EXPECT_THAT(Contents(folder_ / "log"),
                testing::AllOf(testing::HasSubstr("damaged: " + last.string()),
                               testing::HasSubstr("resuming after update 16")));
    const auto best = RunDirectory(folder_ / "run").Resolve("best");
    EXPECT_TRUE(best.ok() && VerifyCheckpoint(*best).ok());
    ASSERT_TRUE(second.Run().ok());
    EXPECT_TRUE(LastWeights(folder_ / "run") == weights);
    EXPECT_EQ(Records(folder_ / "run"), records);
  }
}

// What cannot be read now may be read later: nothing is given up for it.
TEST_P(TrainerOf, DoesNotResumeFromAnOlderCheckpointWhenTheNewestCannotBeRead) {
  const Options options = SmallOptions(GetParam());
  Trainer first(NewRun(folder_ / "run", options), corpora_, log_, go_on_);
  ASSERT_TRUE(first.Run().ok());
  const RunDirectory run(folder_ / "run");
  const std::filesystem::path state = *run.Resolve("last") / "state.json";
  std::filesystem::remove(state);
  std::filesystem::create_directory(state);  // as a disk that fails: there, but not to be read
  const auto checkpoints = ListCheckpoints(run);
  Trainer second(Open(folder_ / "run", options), corpora_, log_, go_on_);
  EXPECT_THAT(std::string(second.Resume().message()),
              testing::HasSubstr("state.json: cannot read"));
  EXPECT_EQ(ListCheckpoints(run), checkpoints);
}

TEST_P(TrainerOf, VerifyResumeProvesItAndFindsABreak) {
  const Options options = EverythingOn(GetParam());
  // Models are made for the probe, the unbroken run, and both halves of the stopped and of the killed
  // one. With `break_at`, that one's generators are not what they were before the stop.
  int64_t models = 0, break_at = 0;
  const auto make_model = [&](const Options& changed, const RunDirectory& run) {
    TrainedModel model = NewRun(run.root(), changed);
    if (++models == break_at) ++model.options.seed;
    return absl::StatusOr<TrainedModel>(model);
  };
  const auto verify = [&](const char* name) {
    models = 0;
    return VerifyResume(options, corpora_, /*seconds=*/1, folder_ / name, make_model, log_, go_on_);
  };
  const auto proof = verify("good");
  ASSERT_TRUE(proof.ok()) << proof.status();
  EXPECT_EQ(models, 6);
  EXPECT_GT(proof->updates, proof->paused_at);
  EXPECT_NE(proof->paused_at % proof->killed_at, 0);
  EXPECT_GT(proof->tensors, 20);
  EXPECT_GT(proof->records, proof->updates / 3);
  for (const auto& [half, folder] :
       {std::pair<int64_t, const char*>{4, "paused/"}, {6, "killed/"}}) {
    break_at = half;
    const auto broken = verify(half == 4 ? "bad stop" : "bad kill");
    EXPECT_EQ(ExitCode(broken.status()), 1);
    EXPECT_THAT(std::string(broken.status().message()),
                testing::AllOf(testing::HasSubstr(folder), testing::HasSubstr("unbroken run")));
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

}  // namespace
}  // namespace nmt
