#include "nmt/checkpoint/run_directory.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <torch/torch.h>

#include <cmath>
#include <csignal>
#include <limits>

#include "tests/testing.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const ModelOptions kGru{.type = ModelType::kGru, .embedding_size = 6, .hidden_size = 6};

class Checkpoints : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(run_.checkpoints()); }

  absl::Status Save(int64_t update, double score = -1) {
    return SaveCheckpoint(run_, RunDirectory::CheckpointName(update), *model_, {},
                          {.update = update, .score = score, .best_score = 41.25}, "v1");
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const fs::path& path : ListCheckpoints(run_)) names.push_back(path.filename());
    return names;
  }
  std::string LoadMessage(const ModelOptions& options, int64_t vocabulary,
                          const std::string& checksum) {
    auto other = MakeModel(options, {vocabulary, vocabulary}, 2);
    return std::string(
        LoadWeights(run_.checkpoints() / "update-00000007", *other, checksum).message());
  }

  ScratchFolder folder_;
  RunDirectory run_{folder_.path()};
  std::shared_ptr<Seq2Seq> model_ = MakeModel(kGru, {10, 10}, /*seed=*/1);
};

TEST_F(Checkpoints, GiveBackWeightsAndState) {
  ASSERT_TRUE(Save(7).ok());
  ASSERT_TRUE(run_.Point("last", "update-00000007").ok());
  const auto checkpoint = run_.Resolve("last");
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  auto other = MakeModel(kGru, {10, 10}, /*seed=*/2);
  ASSERT_TRUE(LoadWeights(*checkpoint, *other, "v1").ok());
  for (const auto& parameter : model_->named_parameters()) {
    EXPECT_TRUE(other->named_parameters()[parameter.key()].equal(parameter.value()))
        << parameter.key();
  }
  const auto state = LoadTrainingState(*checkpoint);
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(state->update, 7);
  EXPECT_EQ(state->best_score, 41.25);
}

TEST_F(Checkpoints, OfPlainFilesOnlyAreRead) {
  ASSERT_TRUE(Save(7).ok());
  EXPECT_TRUE(run_.CheckPlain().ok());
  const fs::path weights = run_.checkpoints() / "update-00000007/model.safetensors";
  fs::rename(weights, folder_.path() / "elsewhere");
  fs::create_symlink(folder_.path() / "elsewhere", weights);
  EXPECT_THAT(std::string(run_.CheckPlain().message()),
              AllOf(HasSubstr("model.safetensors"), HasSubstr("is a link")));
  fs::remove(weights);
  EXPECT_TRUE(run_.CheckPlain().ok());
  ASSERT_EQ(mkfifo(run_.alignment().c_str(), 0600), 0);
  EXPECT_THAT(std::string(run_.CheckPlain().message()), HasSubstr("alignment.json"));
  fs::remove(run_.alignment());
  fs::create_directory_symlink(folder_.path(), folder_.path() / "as_link");
  EXPECT_TRUE(RunDirectory(folder_.path() / "as_link").CheckPlain().ok())
      << "the run itself may be a link";
}

TEST_F(Checkpoints, AreRefusedWhenTheyDoNotFitNamingFileAndBothValues) {
  ASSERT_TRUE(Save(7).ok());
  EXPECT_THAT(LoadMessage(kGru, 12, "v1"),
              AllOf(HasSubstr("model.safetensors"), HasSubstr("[10, 6]"), HasSubstr("[12, 6]")));
  EXPECT_THAT(LoadMessage(kGru, 10, "v2"),
              AllOf(HasSubstr("model.safetensors"), HasSubstr("v1"), HasSubstr("v2")));
  ModelOptions deeper = kGru;
  deeper.encoder_layers = 3;
  EXPECT_THAT(LoadMessage(deeper, 10, "v1"), HasSubstr("lacks the weight"));
  ModelOptions shallower = kGru;
  shallower.encoder_layers = 1;
  EXPECT_THAT(LoadMessage(shallower, 10, "v1"), HasSubstr("does not have"));
}

TEST_F(Checkpoints, WithNanAreNeitherSavedNorLoaded) {
  ASSERT_TRUE(Save(7).ok());
  {
    torch::NoGradGuard no_grad;
    model_->parameters()[0].view(-1)[0] = std::numeric_limits<float>::quiet_NaN();
  }
  EXPECT_THAT(std::string(Save(8).message()), HasSubstr("NaN"));
  EXPECT_FALSE(fs::exists(run_.checkpoints() / "update-00000008"));
  // A file that was made otherwise.
  const fs::path path = run_.checkpoints() / "update-00000007/model.safetensors";
  auto file = ReadSafetensors(path);
  ASSERT_TRUE(file.ok());
  file->tensors.begin()->second.view(-1)[0] = std::numeric_limits<float>::infinity();
  ASSERT_TRUE(WriteSafetensors(path, *file).ok());
  EXPECT_THAT(LoadMessage(kGru, 10, "v1"), HasSubstr("NaN"));
}

TEST_F(Checkpoints, WithADamagedStateAreRefusedByName) {
  ASSERT_TRUE(Save(7).ok());
  for (const char* text : {"", "{", "[]", "{\"update\": \"x\"}"}) {
    folder_.Write("checkpoints/update-00000007/state.json", text);
    EXPECT_THAT(
        std::string(LoadTrainingState(run_.checkpoints() / "update-00000007").status().message()),
        AllOf(HasSubstr("state.json"), HasSubstr("damaged")));
  }
}

TEST_F(Checkpoints, AreFoundWhenTheNewestIsCutShort) {
  ASSERT_TRUE(Save(7).ok());
  ASSERT_TRUE(run_.Point("last", "update-00000007").ok());
  // What a kill in the middle of the next save leaves.
  fs::create_directories(run_.checkpoints() / "update-00000008.tmp");
  folder_.Write("checkpoints/update-00000008.tmp/model.safetensors", "half");
  folder_.Write("checkpoints/last.tmp", "update-000");
  EXPECT_EQ(run_.Resolve("last")->filename(), "update-00000007");
  EXPECT_EQ(ListCheckpoints(run_).size(), 1u);
  EXPECT_TRUE(Save(8).ok());
}

TEST_F(Checkpoints, WithAMillionBracketsAreRefusedLikeAnyDamage) {
  ASSERT_TRUE(Save(7).ok());
  const fs::path checkpoint = run_.checkpoints() / "update-00000007";
  const std::string deep(1'000'000, '[');
  for (const std::string& text : {deep, "{\"files\": {\"model.safetensors\": " + deep}) {
    std::ofstream(checkpoint / "manifest.json") << text;
    EXPECT_TRUE(IsDamage(VerifyCheckpoint(checkpoint)));
  }
  std::string closed = "{\"update\": " + deep;
  closed.append(deep.size(), ']');
  std::ofstream(checkpoint / "state.json") << closed + "}";
  EXPECT_THAT(std::string(LoadTrainingState(checkpoint).status().message()),
              HasSubstr("state.json"));
}

TEST_F(Checkpoints, OfALargerModelThanTheirFileAreRefusedBeforeItIsMade) {
  ASSERT_TRUE(Save(7).ok());
  const fs::path weights = run_.checkpoints() / "update-00000007/model.safetensors";
  EXPECT_TRUE(CheckModelFits(kGru, {10, 10}, weights).ok());
  ModelOptions large = kGru;
  large.hidden_size = 8192;
  EXPECT_THAT(std::string(CheckModelFits(large, {10, 10}, weights).message()),
              AllOf(HasSubstr("model.safetensors: holds "), HasSubstr("weights")));
  const ModelOptions table{.type = ModelType::kTransformer,
                           .embedding_size = 6,
                           .hidden_size = 6,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .feed_forward_size = 6,
                           .positions = Positions::kLearned,
                           .max_positions = 65536};
  EXPECT_FALSE(CheckModelFits(table, {10, 10}, weights).ok());
}

TEST_F(Checkpoints, OldOnesGoButThoseThatArePointedAt) {
  for (const int64_t update : {2, 4, 5, 6, 8, 9}) ASSERT_TRUE(Save(update).ok());
  ASSERT_TRUE(run_.Point("best", "update-00000002").ok());
  ASSERT_TRUE(run_.Point("last", "update-00000009").ok());
  fs::create_directories(run_.checkpoints() / "update-00000007.tmp");
  // Of each second update there was a validation; 5 and 9 are of interruptions.
  ASSERT_TRUE(RemoveOldCheckpoints(run_, {.last = 2, .best = 1, .every = 2}).ok());
  std::vector<std::string> names;
  for (const fs::path& path : ListCheckpoints(run_)) names.push_back(path.filename());
  EXPECT_THAT(names, testing::ElementsAre("update-00000009", "update-00000008", "update-00000006",
                                          "update-00000002"));
  EXPECT_FALSE(fs::exists(run_.checkpoints() / "update-00000007.tmp"));
}

TEST_F(Checkpoints, OfTheBestScoresStay) {
  const std::vector<double> scores = {10, 30, 20, 30, 5, 6};  // of updates 1 to 6
  for (int64_t update = 1; update <= 6; ++update)
    ASSERT_TRUE(Save(update, scores[static_cast<size_t>(update - 1)]).ok());
  ASSERT_TRUE(RemoveOldCheckpoints(run_, {.last = 1, .best = 2}).ok());
  EXPECT_THAT(Names(),
              testing::ElementsAre("update-00000006", "update-00000004", "update-00000002"));
}

// Case C25: a file that was cut, or whose bits changed, is found by name.
TEST_F(Checkpoints, AreVerifiedByTheirManifest) {
  ASSERT_TRUE(Save(7).ok());
  const fs::path checkpoint = run_.checkpoints() / "update-00000007";
  EXPECT_TRUE(VerifyCheckpoint(checkpoint).ok()) << VerifyCheckpoint(checkpoint);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    const std::string whole = Contents(checkpoint / name);
    std::string changed = whole;
    changed[whole.size() / 2] ^= 1;
    for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string(), changed}) {
      folder_.Write(fmt::format("checkpoints/update-00000007/{}", name), damaged);
      const absl::Status found = VerifyCheckpoint(checkpoint);
      EXPECT_THAT(std::string(found.message()), AllOf(HasSubstr(name), HasSubstr("expected")));
      EXPECT_TRUE(IsDamage(found));
    }
    fs::remove(checkpoint / name);
    EXPECT_TRUE(IsDamage(VerifyCheckpoint(checkpoint)));
    EXPECT_THAT(std::string(VerifyCheckpoint(checkpoint).message()), HasSubstr("is missing"));
    fs::create_directory(checkpoint / name);  // as a disk that fails: there, but not to be read now
    EXPECT_FALSE(VerifyCheckpoint(checkpoint).ok());
    EXPECT_FALSE(IsDamage(VerifyCheckpoint(checkpoint)));
    fs::remove(checkpoint / name);
    folder_.Write(fmt::format("checkpoints/update-00000007/{}", name), whole);
  }
  for (const char* text :
       {"", "{", "[]", "{\"files\": 3}", "{\"files\": {}}",
        "{\"files\": {\"model.safetensors\": 3}}",
        "{\"files\": {\"model.safetensors\": {\"bytes\": \"x\", \"fnv1a\": 3}}}"}) {
    folder_.Write("checkpoints/update-00000007/manifest.json", text);
    EXPECT_FALSE(VerifyCheckpoint(checkpoint).ok()) << text;
  }
}

TEST_F(Checkpoints, WithOneWrongBitAmongTheWeightsAreNotLoaded) {
  ASSERT_TRUE(Save(7).ok());
  const fs::path checkpoint = run_.checkpoints() / "update-00000007";
  std::string bytes = Contents(checkpoint / "model.safetensors");
  bytes.back() ^= 1;  // still a finite weight
  folder_.Write("checkpoints/update-00000007/model.safetensors", bytes);
  EXPECT_THAT(std::string(LoadWeights(checkpoint, *model_, "v1").message()),
              AllOf(HasSubstr("model.safetensors"), HasSubstr("checksum")));
}

// A full disk, as far as a process can make one for itself: no file may grow beyond `bytes`.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(Checkpoints, ThatDoNotFitOnTheDiskAreAbsentAndTheLastOneStays) {
  ASSERT_TRUE(Save(7).ok());
  ASSERT_TRUE(run_.Point("last", "update-00000007").ok());
  {
    const SmallDisk disk(1000);
    const absl::Status status = Save(8);
    EXPECT_EQ(ExitCode(status), 1);
    EXPECT_THAT(std::string(status.message()), HasSubstr("update-00000008.tmp/model.safetensors"));
  }
  EXPECT_THAT(Names(), testing::ElementsAre("update-00000007"));
  EXPECT_TRUE(VerifyCheckpoint(*run_.Resolve("last")).ok());
  EXPECT_TRUE(Save(8).ok());  // when there is room again
}

TEST_F(Checkpoints, APointerMayNotLeaveTheRun) {
  for (const char* name : {"../../etc", "update-/../..", "/etc", ""}) {
    ASSERT_TRUE(run_.Point("last", name).ok());
    EXPECT_THAT(std::string(run_.Resolve("last").status().message()), HasSubstr("no checkpoint"))
        << name;
  }
}

TEST_F(Checkpoints, OverwritingRemovesOwnFilesOnly) {
  folder_.Write("config.yaml", "x");
  folder_.Write("notes.txt", "mine");
  ASSERT_TRUE(run_.RemoveOwnFiles().ok());
  EXPECT_FALSE(fs::exists(run_.config()));
  EXPECT_FALSE(fs::exists(run_.checkpoints()));
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
}

TEST(ChooseDevice, RefusesWhatIsNotThere) {
  EXPECT_TRUE(ChooseDevice("cpu")->is_cpu());
  EXPECT_TRUE(ChooseDevice("auto").ok());
  EXPECT_THAT(std::string(ChooseDevice("gpu").status().message()),
              HasSubstr("expected auto, cpu, cuda or cuda:N"));
  EXPECT_THAT(std::string(ChooseDevice("cuda:99").status().message()), HasSubstr("sees"));
}

TEST(LoadTrainedModel, SaysWhenAFolderIsNoRun) {
  const ScratchFolder folder;
  EXPECT_THAT(std::string(LoadTrainedModel(folder.path(), "best", torch::kCPU).status().message()),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("no run directory")));
}

}  // namespace
}  // namespace nmt
