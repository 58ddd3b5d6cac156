#include "nmt/report/run_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NameRunsTest : public ::testing::Test {
 protected:
  void Add(const std::string& folder, int64_t seed, double dropout, AttentionScore attention) {
    Options options;
    options.run_dir = folder;
    options.seed = seed;
    options.threads = static_cast<int64_t>(options_.size());
    options.model.type = ModelType::kGru;
    options.model.dropout = dropout;
    options.model.attention = attention;
    options_.push_back(options);
    models_.push_back({.run = folder});
  }
  std::vector<std::string> Names(bool seeds) {
    EXPECT_TRUE(NameRuns(options_, seeds, models_).ok());
    std::vector<std::string> names;
    for (const ModelResult& model : models_) names.push_back(model.name);
    return names;
  }
  std::vector<std::string> Groups() const {
    std::vector<std::string> groups;
    for (const ModelResult& model : models_) groups.push_back(model.group);
    return groups;
  }

  std::vector<Options> options_;
  std::vector<ModelResult> models_;
};

TEST_F(NameRunsTest, AreTheTitlesWhereTheyDiffer) {
  Add("a", 1, 0.1, AttentionScore::kAdditive);
  Add("b", 1, 0.1, AttentionScore::kScaledDot);
  EXPECT_THAT(Names(/*seeds=*/false),
              ElementsAre("GRU, additive attention", "GRU, scaled dot attention"));
  EXPECT_THAT(Groups(), ElementsAre("", ""));
}

TEST_F(NameRunsTest, SayWhatDiffersInTheConfigsOfOneTitle) {
  Add("x/one", 1, 0.1, AttentionScore::kAdditive);
  Add("y/one", 2, 0.1, AttentionScore::kAdditive);
  Add("z/one", 1, 0.2, AttentionScore::kAdditive);
  Add("w/one", 1, 0.2, AttentionScore::kDot);
  EXPECT_THAT(Names(/*seeds=*/true),
              ElementsAre("GRU, additive attention, dropout 0.1, seed 1",
                          "GRU, additive attention, dropout 0.1, seed 2",
                          "GRU, additive attention, dropout 0.2", "GRU, dot attention"));
  EXPECT_THAT(Groups(), ElementsAre("GRU, additive attention, dropout 0.1",
                                    "GRU, additive attention, dropout 0.1",
                                    "GRU, additive attention, dropout 0.2", "GRU, dot attention"));
}

TEST_F(NameRunsTest, TakeTheFolderWhereTooMuchDiffers) {
  Add("runs/small/", 1, 0.1, AttentionScore::kAdditive);
  Add("runs/large", 1, 0.2, AttentionScore::kAdditive);
  options_[1].model.hidden_size = 512;
  options_[1].training.learning_rate = 0.1;
  options_[1].training.batch_tokens = 1;
  EXPECT_THAT(Names(/*seeds=*/false),
              ElementsAre("GRU, additive attention (small)", "GRU, additive attention (large)"));
}

TEST_F(NameRunsTest, NumberRunsThatAreAlikeInEverything) {
  Add("a", 1, 0.1, AttentionScore::kAdditive);
  Add("b", 1, 0.1, AttentionScore::kAdditive);
  EXPECT_THAT(Names(/*seeds=*/false),
              ElementsAre("GRU, additive attention, seed 1", "GRU, additive attention, seed 1 #2"));
  EXPECT_THAT(std::string(NameRuns(options_, /*seeds=*/true, models_).message()),
              HasSubstr("b: a second run of GRU, additive attention with seed 1"));
}

TEST_F(NameRunsTest, RefuseARunThatIsGivenTwice) {
  Add("here/a", 1, 0.1, AttentionScore::kAdditive);
  Add("here/../here/a/", 2, 0.1, AttentionScore::kDot);
  EXPECT_THAT(std::string(NameRuns(options_, /*seeds=*/false, models_).message()),
              HasSubstr("given twice"));
}

}  // namespace
}  // namespace nmt
