#include "nmt/config/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/config_testing.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

Options Complete() {
  Options options;
  options.run_dir = "r";
  options.data.train = {.source = {"a"}, .target = {"b"}};
  options.data.valid = {"c", "d", ""};
  return options;
}

std::string CheckError(const Options& options) {
  return std::string(CheckOptions(options).message());
}

TEST(CheckOptions, TakesTheDefaultsWithTheRequiredKeys) {
  EXPECT_TRUE(CheckOptions(Complete()).ok()) << CheckError(Complete());
}

TEST(CheckOptions, NamesEveryRequiredKeyThatIsMissing) {
  const absl::Status status = CheckOptions(Options());
  EXPECT_EQ(ExitCode(status), 2);
  EXPECT_EQ(
      std::string(status.message()),
      "run_dir: missing, expected the folder that takes everything the run makes\n"
      "data.train.source: missing, expected the file of source sentences, one a line, or a list of "
      "such files\n"
      "data.train.target: missing, expected the file of target sentences, or a list as long as "
      "that "
      "of the sources\n"
      "data.valid.source: missing, expected the file of source sentences, one a line\n"
      "data.valid.target: missing, expected the file of target sentences, one a line");
}

TEST(CheckOptions, WantsBothSidesOfTheTestPairsOrNone) {
  Options options = Complete();
  options.data.test.source = "e";
  EXPECT_EQ(CheckError(options), "data.test.target: missing, but data.test.source is given");
  options.data.test = {"", "e", ""};
  EXPECT_EQ(CheckError(options), "data.test.source: missing, but data.test.target is given");
  options.data.test = {"e", "f", ""};
  EXPECT_EQ(CheckError(options), "");
}

TEST(CheckOptions, WantsHeadsThatDivideTheHiddenSizeOfATransformerOnly) {
  Options options = Complete();
  options.model.heads = 3;
  EXPECT_EQ(CheckError(options),
            "model.heads: found 3, expected a divisor of model.hidden_size, which is 256");
  options.model.type = ModelType::kGru;
  options.model.decoder_layers = 1;
  EXPECT_EQ(CheckError(options), "");
}

TEST(CheckOptions, WantsLinksLayersAndHeadsThatGuidedAlignmentCanUse) {
  Options options = Complete();
  options.training.alignment = {.weight = 0.1, .layer = 3, .head = 5};
  EXPECT_EQ(CheckError(options),
            "training.alignment.layer: found 3, expected at most model.decoder_layers, which is 2\n"
            "training.alignment.head: found 5, expected at most model.heads, which is 4\n"
            "training.alignment.weight: has no links to guide by, expected files of links in "
            "data.train.alignment");
  options.data.train.alignment = {"l"};
  options.training.alignment = {.weight = 0.1};
  EXPECT_EQ(CheckError(options), "");
  // A GRU has one layer of one head, whatever the config says of a transformer's.
  options.model.type = ModelType::kGru;
  options.model.decoder_layers = 1;
  options.model.heads = 0;
  EXPECT_EQ(CheckError(options), "");
  options.training.alignment = {.weight = 0.1, .layer = 2, .head = 2};
  EXPECT_THAT(CheckError(options), HasSubstr("training.alignment.layer: found 2"));
  EXPECT_THAT(CheckError(options), HasSubstr("training.alignment.head: found 2, expected 1"));
}

TEST(CheckOptions, WantsAReadoutOfTheEmbeddingsSizeWhereTheyAreTied) {
  Options options = Complete();
  options.model.type = ModelType::kGru;
  options.model.decoder_layers = 1;
  options.model.readout_size = 100;
  EXPECT_EQ(CheckError(options),
            "model.readout_size: found 100, expected 0 or model.embedding_size, which is 256, as "
            "tied embeddings need");
  options.model.tie_embeddings = TieEmbeddings::kNone;
  EXPECT_EQ(CheckError(options), "");
}

TEST(CheckOptions, WantsOneSizeForEmbeddingsAndStatesOfATransformerOnly) {
  Options options = Complete();
  options.model.embedding_size = 128;
  EXPECT_EQ(CheckError(options),
            "model.embedding_size: found 128, expected model.hidden_size, which is 256, for a "
            "transformer");
  options.model.type = ModelType::kGru;
  options.model.decoder_layers = 1;
  EXPECT_EQ(CheckError(options), "");
}

TEST(CheckOptions, WantsAnEvenHiddenSizeForSinusoidsOnly) {
  Options options = Complete();
  options.model.hidden_size = options.model.embedding_size = 15;
  options.model.heads = 5;
  EXPECT_EQ(CheckError(options),
            "model.hidden_size: found 15, expected an even number for model.positions sinusoidal");
  options.model.positions = Positions::kLearned;
  EXPECT_EQ(CheckError(options), "");
}

TEST(CheckOptions, WantsOneDecoderLayerOfAGru) {
  Options options = Complete();
  options.model.type = ModelType::kGru;
  EXPECT_EQ(CheckError(options), "model.decoder_layers: found 2, expected 1 for model.type gru");
}

TEST(CheckOptions, TiesAllEmbeddingsOfASharedVocabularyOnly) {
  for (const ModelType type : {ModelType::kGru, ModelType::kTransformer}) {
    Options options = Complete();
    options.model.type = type;
    options.model.decoder_layers = 1;
    options.model.tie_embeddings = TieEmbeddings::kAll;
    EXPECT_EQ(CheckError(options), "");
    options.tokenizer.shared = false;
    EXPECT_THAT(CheckError(options), HasSubstr("model.tie_embeddings: found all, expected none or "
                                               "target when tokenizer.shared is false"));
    options.model.tie_embeddings = TieEmbeddings::kTarget;
    EXPECT_EQ(CheckError(options), "");
  }
}

TEST(CheckOptions, WantsPatienceForThePlateauSchedule) {
  Options options = Complete();
  options.training.schedule = Schedule::kPlateau;
  EXPECT_EQ(CheckError(options),
            "training.patience: found 0, expected at least 1 for training.schedule plateau");
  options.training.patience = 1;
  EXPECT_EQ(CheckError(options), "");
}

TEST(CheckOptions, KnowsTheDevices) {
  for (const char* device : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"}) {
    EXPECT_TRUE(IsDeviceName(device)) << device;
  }
  for (const char* device :
       {"", "gpu", "CPU", "cuda:", "cuda:x", "cuda:-1", "cuda:0 ", "cuda0", "cuda:99999999999"}) {
    EXPECT_FALSE(IsDeviceName(device)) << device;
  }
  Options options = Complete();
  options.device = "gpu";
  EXPECT_EQ(CheckError(options),
            "device: found \"gpu\", expected auto, cpu, cuda or cuda:N, as cuda:0");
}

TEST(ParseOptions, GivesTheLineOfAKeyThatTakesPartInAProblem) {
  EXPECT_EQ(ErrorOf(Parse("seed: 1\nmodel:\n  heads: 3\n")),
            "run.yaml:3: model.heads: found 3, expected a divisor of model.hidden_size, which is "
            "256");
  EXPECT_EQ(
      ErrorOf(Parse("seed: 1\nmodel:\n  hidden_size: 6\n")),
      "run.yaml:3: model.heads: found 4, expected a divisor of model.hidden_size, which is 6");
}

TEST(ParseOptions, GivesTheFlagOfAKeyThatTakesPartInAProblem) {
  EXPECT_EQ(ErrorOf(Parse("model: {heads: 4}", {"model.heads=3"})),
            "--set model.heads=3: model.heads: found 3, expected a divisor of model.hidden_size, "
            "which is 256");
}

TEST(ParseOptions, GivesTheFileOfARequiredKeyThatIsNowhere) {
  EXPECT_EQ(ErrorOf(ParseOptions("data:\n  train: {source: a, target: b}\n  valid: {source: c, "
                                 "target: d}\n",
                                 "run.yaml", {})),
            "run.yaml: run_dir: missing, expected the folder that takes everything the run makes");
}

TEST(ParseOptions, GivesATransformersEmbeddingsTheHiddenSizeWhenTheyHaveNone) {
  EXPECT_EQ(Parse("model: {hidden_size: 64}")->model.embedding_size, 64);
  EXPECT_EQ(Parse("model: {type: gru, hidden_size: 64}")->model.embedding_size, 256);
  EXPECT_EQ(ErrorOf(Parse("model: {hidden_size: 64, embedding_size: 256}")),
            "run.yaml:1: model.embedding_size: found 256, expected model.hidden_size, which is 64, "
            "for a transformer");
}

TEST(ParseOptions, GivesAGruOneDecoderLayerWhenItHasNone) {
  EXPECT_EQ(Parse("model: {type: gru}")->model.decoder_layers, 1);
  EXPECT_EQ(Parse("", {"model.type=gru"}).ok(), false);  // an empty file is none
  EXPECT_EQ(Parse("seed: 1", {"model.type=gru"})->model.decoder_layers, 1);
  EXPECT_EQ(Parse("model: {type: transformer}")->model.decoder_layers, 2);
  EXPECT_EQ(ErrorOf(Parse("model: {type: gru, decoder_layers: 2}")),
            "run.yaml:1: model.decoder_layers: found 2, expected 1 for model.type gru");
}

}  // namespace
}  // namespace nmt
