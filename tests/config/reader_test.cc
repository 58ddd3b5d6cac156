#include "nmt/config/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/config/config_testing.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ParseOptions, ReadsEveryKindOfKey) {
  const absl::StatusOr<Options> options = Parse(
      "seed: 42\n"
      "data:\n"
      "  source_language: de\n"
      "  test: {source: t.de, target: t.en, alignment: t.align}\n"
      "tokenizer:\n"
      "  shared: false\n"
      "  lowercase: true\n"
      "model:\n"
      "  type: gru\n"
      "  dropout: 0.25\n");
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->seed, 42);
  EXPECT_EQ(options->data.source_language, "de");
  EXPECT_EQ(options->data.test.alignment, "t.align");
  EXPECT_FALSE(options->tokenizer.shared);
  EXPECT_TRUE(options->tokenizer.lowercase);
  EXPECT_EQ(options->model.type, ModelType::kGru);
  EXPECT_EQ(options->model.dropout, 0.25);
  EXPECT_EQ(options->training.batch_tokens, Options().training.batch_tokens);
}

// Case C27: misspelt keys.
TEST(ParseOptions, ListsEveryUnknownKeyWithItsLineAndTheNearestName) {
  const absl::StatusOr<Options> options = Parse(
      "# misspelt on purpose\n"
      "model:\n"
      "  type: transformer\n"
      "  hiden_size: 64        # misspelt\n"
      "training:\n"
      "  learning_rat: 0.0005  # misspelt\n"
      "  max_epochs: 3\n");
  EXPECT_EQ(ExitCode(options.status()), 2);
  EXPECT_EQ(ErrorOf(options),
            "run.yaml:4: unknown key \"model.hiden_size\", did you mean \"model.hidden_size\"?\n"
            "run.yaml:6: unknown key \"training.learning_rat\", did you mean "
            "\"training.learning_rate\"?");
}

TEST(ParseOptions, LooksForUnknownKeysBelowAMisspeltSectionToo) {
  EXPECT_EQ(ErrorOf(Parse("train:\n  learning_rat: 0.0005\n  max_epochs: 3\n")),
            "run.yaml:1: unknown key \"train\", did you mean \"training\"?\n"
            "run.yaml:2: unknown key \"train.learning_rat\", did you mean "
            "\"training.learning_rate\"?");
}

TEST(ParseOptions, FindsAMisspeltSectionWithNothingBelowIt) {
  EXPECT_EQ(ErrorOf(Parse("trainng:\nseed: 1\n")),
            "run.yaml:1: unknown key \"trainng\", did you mean \"training\"?");
}

TEST(ParseOptions, TellsASectionByTheKeysBelowIt) {
  EXPECT_EQ(ErrorOf(Parse("train:\n  source: a\n  target: b\n")),
            "run.yaml:1: unknown key \"train\", did you mean \"data.train\"?");
}

TEST(ParseOptions, FindsAKeyThatStandsInTheWrongSection) {
  EXPECT_EQ(ErrorOf(Parse("learning_rate: 1\n")),
            "run.yaml:1: unknown key \"learning_rate\", did you mean \"training.learning_rate\"?");
  // `max_length` is known in two sections: here nothing is nearer than the sibling.
  EXPECT_EQ(ErrorOf(Parse("translation: {max_lenght: 5}\n")),
            "run.yaml:1: unknown key \"translation.max_lenght\", did you mean "
            "\"translation.max_length\"?");
}

TEST(ParseOptions, FindsAnAbbreviatedKeyAndNoneOfOtherWordsInAnotherSection) {
  EXPECT_EQ(ErrorOf(Parse("data: {src_lang: no}\n")),
            "run.yaml:1: unknown key \"data.src_lang\", did you mean \"data.source_language\"?");
  EXPECT_EQ(ErrorOf(Parse("training: {beam: 5}\n")),
            "run.yaml:1: unknown key \"training.beam\", did you mean \"translation.beam_size\"?");
  // Three edits from tokenizer.sampling.
  EXPECT_THAT(ErrorOf(Parse("data: {grcampling: 0}\n")), HasSubstr("expected one of source_lang"));
}

TEST(ParseOptions, ListsTheKnownKeysWhenNoneIsNear) {
  EXPECT_THAT(
      ErrorOf(Parse("translation:\n  qwertzuiop: 5\n")),
      MatchesRegex("run\\.yaml:2: unknown key \"translation\\.qwertzuiop\", expected one of "
                   "beam_size, length_penalty, .*batch_size.*"));
}

TEST(ParseOptions, RefusesDottedKeysInAFile) {
  EXPECT_THAT(ErrorOf(Parse("training.seed: 1\n")),
              StartsWith("run.yaml:1: unknown key \"training.seed\", expected one of run_dir, "));
  EXPECT_EQ(ErrorOf(Parse("training.patience: 1\n")),
            "run.yaml:1: found the key \"training.patience\" with a dot, expected \"patience\" "
            "indented below \"training:\"");
}

TEST(ParseOptions, RefusesADuplicateKeyAndNamesBothLines) {
  EXPECT_EQ(ErrorOf(Parse("seed: 1\nthreads: 1\nseed: 1\n")),
            "run.yaml:3: duplicate key \"seed\", first given in line 1");
  EXPECT_EQ(ErrorOf(Parse("model:\n  heads: 2\n\ntraining: {}\nmodel:\n  dropuot: 0\n")),
            "run.yaml:5: duplicate key \"model\", first given in line 1\n"
            "run.yaml:6: unknown key \"model.dropuot\", did you mean \"model.dropout\"?");
}

TEST(ParseOptions, RefusesAMappingForAScalarAndTheReverse) {
  EXPECT_EQ(ErrorOf(Parse("seed:\n  value: 1\n")),
            "run.yaml:1: seed: found a mapping, expected a whole number from 0 to 4294967295");
  EXPECT_EQ(ErrorOf(Parse("run_dir: [a, b]\n")),
            "run.yaml:1: run_dir: found a list, expected text");
  EXPECT_EQ(ErrorOf(Parse("model: gru\n")), "run.yaml:1: model: found \"gru\", expected a mapping");
  EXPECT_EQ(ErrorOf(Parse("data: {train: [a, b]}\n")),
            "run.yaml:1: data.train: found a list, expected a mapping");
  EXPECT_EQ(ErrorOf(Parse("[a, b]: 1\n")), "run.yaml:1: found a list as a key, expected a word");
}

TEST(ParseOptions, RefusesAKeyWithoutAValueButTakesASectionWithoutKeys) {
  EXPECT_EQ(ErrorOf(Parse("seed:\n")),
            "run.yaml:1: seed: found nothing, expected a whole number from 0 to 4294967295");
  EXPECT_EQ(ErrorOf(Parse("data: {source_language: ~}\n")),
            "run.yaml:1: data.source_language: found nothing, expected text, or \"\" for none");
  EXPECT_EQ(ErrorOf(Parse("training:\n  # seed: 1\nseed: 1\n")), "ok");
}

// Case C28: numbers.
TEST(ParseOptions, ReadsScientificNotationAndALeadingPoint) {
  const absl::StatusOr<Options> options = Parse(
      "training:\n"
      "  learning_rate: 1e-4\n"
      "  warmup_updates: 4e3\n"
      "  label_smoothing: .1\n"
      "  max_updates: +20.0\n"
      "  clip_norm: 1E+1\n");
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->training.learning_rate, 0.0001);
  EXPECT_EQ(options->training.warmup_updates, 4000);
  EXPECT_EQ(options->training.label_smoothing, 0.1);
  EXPECT_EQ(options->training.max_updates, 20);
  EXPECT_EQ(options->training.clip_norm, 10);
}

TEST(ParseOptions, RefusesBadNumbersWithKeyValueLineAndRange) {
  EXPECT_EQ(ErrorOf(Parse("training:\n"
                          "  learning_rate: 0,0001\n"
                          "  batch_tokens: 32k\n"
                          "  max_epochs: 2.5\n"
                          "model:\n"
                          "  dropout: .nan\n"
                          "translation:\n"
                          "  beam_size: -3\n")),
            "run.yaml:2: training.learning_rate: found \"0,0001\", expected a number above 0\n"
            "run.yaml:3: training.batch_tokens: found \"32k\", expected a whole number from 1 to "
            "10000000\n"
            "run.yaml:4: training.max_epochs: found \"2.5\", expected a whole number of at least "
            "0\n"
            "run.yaml:6: model.dropout: found \".nan\", expected a number from 0 to 0.95\n"
            "run.yaml:8: translation.beam_size: found \"-3\", expected a whole number from 1 to "
            "1000");
}

class BadNumber : public testing::TestWithParam<const char*> {};
TEST_P(BadNumber, IsRefusedForAnIntegerAndForADouble) {
  const std::string value = GetParam();
  for (const std::string key : {"max_updates", "clip_norm"}) {
    EXPECT_THAT(
        ErrorOf(Parse("training:\n  " + key + ": " + value)),
        StartsWith("run.yaml:2: training." + key + ": found \"" + value + "\", expected a"));
  }
}
INSTANTIATE_TEST_SUITE_P(Texts, BadNumber,
                         testing::Values("1,5", "4k", "10 %", "nan", ".nan", "NaN", "inf", ".inf",
                                         "-.inf", "infinity", "1e999", "-1", "0x10", "1_000", "+-1",
                                         "+-0", "++1", "1e", "e5", ".", "1.2.3", "true", "one",
                                         "1 000"));

TEST(ParseOptions, DoesNotRoundALargeInteger) {
  EXPECT_EQ(Parse("seed: 4294967295")->seed, 4294967295);
  EXPECT_THAT(ErrorOf(Parse("training: {max_updates: 99999999999999999999}")),
              HasSubstr("expected a whole number of at least 1, at most 9007199254740992"));
}

// Case C29: YAML 1.1's other words for false.
TEST(ParseOptions, KeepsNoAndOnAsText) {
  const absl::StatusOr<Options> options = Parse(
      "data:\n"
      "  source_language: no\n"
      "  target_language: on\n"
      "  test: {source: no, target: yes}\n");
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->data.source_language, "no");
  EXPECT_EQ(options->data.target_language, "on");
  EXPECT_EQ(options->data.test.source, "no");
  EXPECT_EQ(options->data.test.target, "yes");
}

TEST(ParseOptions, TakesOnlyTrueAndFalseForABoolean) {
  for (const std::string value : {"no", "on", "1", "0", "maybe", "True", "FALSE", "y"}) {
    EXPECT_EQ(ErrorOf(Parse("tokenizer:\n  shared: " + value)),
              "run.yaml:2: tokenizer.shared: found \"" + value + "\", expected true or false");
  }
}

TEST(ParseOptions, ListsTheChoicesOfAnEnumAndTheNearest) {
  EXPECT_EQ(ErrorOf(Parse("model:\n  type: transfomer")),
            "run.yaml:2: model.type: found \"transfomer\", expected gru or transformer, did you "
            "mean \"transformer\"?");
  EXPECT_EQ(ErrorOf(Parse("model:\n  type: lstm")),
            "run.yaml:2: model.type: found \"lstm\", expected gru or transformer");
  EXPECT_EQ(ErrorOf(Parse("model:\n  norm: Post")),
            "run.yaml:2: model.norm: found \"Post\", expected pre or post, did you mean \"post\"?");
}

TEST(ParseOptions, RefusesAnEmptyFileAndOneThatIsNoMapping) {
  const std::string empty = "run.yaml: empty, expected a mapping of options";
  EXPECT_EQ(ErrorOf(Parse("")), empty);
  EXPECT_EQ(ErrorOf(Parse("\n# nothing\n")), empty);
  EXPECT_EQ(ErrorOf(Parse("---\n")), empty);
  EXPECT_EQ(ErrorOf(Parse("\n- a\n- b\n")),
            "run.yaml:2: found a list, expected a mapping of options, as `seed: 1`");
  EXPECT_EQ(ErrorOf(Parse("hello\n")),
            "run.yaml:1: found \"hello\", expected a mapping of options, as `seed: 1`");
  EXPECT_EQ(ErrorOf(Parse("seed: 1\n---\nseed: 2\n")),
            "run.yaml:2: a second YAML document, expected one");
}

TEST(ParseOptions, ReportsASyntaxErrorInOneLine) {
  EXPECT_THAT(ErrorOf(Parse("seed: 1\nmodel: {heads: 2\n")),
              MatchesRegex("run\\.yaml:[0-9]+: not YAML: [^\n]+"));
  EXPECT_THAT(ErrorOf(Parse("seed: 1\nthreads: 2: 3\n")),
              MatchesRegex("run\\.yaml:2: not YAML: [^\n]+"));
  EXPECT_THAT(ErrorOf(Parse("seed: *nobody\n")), MatchesRegex("run\\.yaml:1: not YAML: [^\n]+"));
}

TEST(ParseOptions, TakesAliasesAndEndsOnOneThatHoldsItself) {
  const absl::StatusOr<Options> options =
      Parse("data:\n  test: &files {source: a, target: b}\n  valid: *files\n");
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->data.test.source, "a");
  EXPECT_THAT(ErrorOf(Parse("training: &all\n  training: *all\n")), HasSubstr("unknown key"));
  EXPECT_THAT(ErrorOf(Parse("data: &all\n  data: *all\n  train: *all\n")),
              HasSubstr("unknown key"));
}

TEST(ParseOptions, TakesWindowsLineEndsAndAByteOrderMark) {
  const absl::StatusOr<Options> options =
      Parse("\xEF\xBB\xBFseed: 3\r\ndata:\r\n  source_language: de\r\n");
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->seed, 3);
  EXPECT_EQ(options->data.source_language, "de");
}

TEST(ParseOptions, ReportsAllFaultsInTheOrderOfTheLines) {
  EXPECT_EQ(ErrorOf(Parse("seed: x\n"
                          "model: {type: grru}\n"
                          "sede: 2\n"
                          "seed: 3\n",
                          {"threads=many"})),
            "run.yaml:1: seed: found \"x\", expected a whole number from 0 to 4294967295\n"
            "run.yaml:2: model.type: found \"grru\", expected gru or transformer, did you mean "
            "\"gru\"?\n"
            "run.yaml:3: unknown key \"sede\", did you mean \"seed\"?\n"
            "run.yaml:4: duplicate key \"seed\", first given in line 1\n"
            "--set threads=many: threads: found \"many\", expected a whole number from 0 to 1024");
}

TEST(ParseOptions, SortsFaultsBetweenKeysByLine) {
  EXPECT_EQ(ErrorOf(Parse("training: {schedule: plateau}\nmodel: {heads: 3}\ndevice: tpu\n")),
            "run.yaml:1: training.patience: found 0, expected at least 1 for training.schedule "
            "plateau\n"
            "run.yaml:2: model.heads: found 3, expected a divisor of model.hidden_size, which is "
            "256\n"
            "run.yaml:3: device: found \"tpu\", expected auto, cpu, cuda or cuda:N, as cuda:0");
}

TEST(ParseOptions, ShowsALongOrBrokenValueInOneShortLine) {
  const std::string error = ErrorOf(Parse("seed: \"a\\nb" + std::string(500, 'x') + "\"\n"));
  EXPECT_THAT(error, StartsWith("run.yaml:1: seed: found \"a bxxx"));
  EXPECT_LT(error.size(), 150u);
  // 59 bytes, then a character of two: it is not cut in half.
  EXPECT_THAT(ErrorOf(Parse("seed: " + std::string(59, 'x') + "éé\n")), HasSubstr("xxx...\""));
}

TEST(Overrides, ComeAfterTheFileAndTheLastWins) {
  const absl::StatusOr<Options> options =
      Parse("seed: 1\ntraining: {learning_rate: 1}\n",
            {"training.learning_rate=1e-4", "seed=5", "seed=6", "data.source_language=no",
             "data.target_language=\"a b\"", "data.test.alignment=x=y"});
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->training.learning_rate, 1e-4);
  EXPECT_EQ(options->seed, 6);
  EXPECT_EQ(options->data.source_language, "no");
  EXPECT_EQ(options->data.target_language, "a b");
  EXPECT_EQ(options->data.test.alignment, "x=y");
}

TEST(Overrides, NameTheFlagWhenTheyAreWrong) {
  const auto error_of = [](const std::string& text) { return ErrorOf(Parse("seed: 1", {text})); };
  EXPECT_EQ(error_of("training.learning_rate=abc"),
            "--set training.learning_rate=abc: training.learning_rate: found \"abc\", expected a "
            "number above 0");
  EXPECT_EQ(error_of("training.learning_rat=1"),
            "--set training.learning_rat=1: unknown key \"training.learning_rat\", did you mean "
            "\"training.learning_rate\"?");
  EXPECT_EQ(error_of("train.learning_rate=1"),
            "--set train.learning_rate=1: unknown key \"train.learning_rate\", did you mean "
            "\"training.learning_rate\"?");
  EXPECT_EQ(error_of("sede=1"), "--set sede=1: unknown key \"sede\", did you mean \"seed\"?");
  EXPECT_THAT(error_of("qwertzuiop.x=1"),
              StartsWith("--set qwertzuiop.x=1: unknown key \"qwertzuiop.x\", expected a path that "
                         "begins with run_dir, seed, "));
  EXPECT_THAT(error_of("training.qwertzuiop=1"), HasSubstr("expected one of batch_tokens, "));
  EXPECT_EQ(error_of("seed"),
            "--set seed: expected key.path=value, as training.learning_rate=1e-4");
  EXPECT_EQ(error_of("=1"), "--set =1: expected key.path=value, as training.learning_rate=1e-4");
  EXPECT_EQ(error_of("training=1"),
            "--set training=1: training is a section, expected a key in it");
  EXPECT_EQ(error_of("seed={a: 1}"),
            "--set seed={a: 1}: seed: found a mapping, expected a whole number from 0 to "
            "4294967295");
  EXPECT_EQ(error_of("seed="),
            "--set seed=: seed: found nothing, expected a whole number from 0 to 4294967295");
  EXPECT_THAT(error_of("run_dir=[a"), StartsWith("--set run_dir=[a: not a YAML scalar: "));
  EXPECT_THAT(error_of("seed=\n"), Not(HasSubstr("\n")));
}

class ReadOptionsTest : public testing::Test {
 protected:
  ReadOptionsTest() : folder_(std::filesystem::path(testing::TempDir()) / "nmt_config_test") {
    std::filesystem::create_directories(folder_);
  }
  ~ReadOptionsTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Write(std::string_view text) {
    std::ofstream(folder_ / "run.yaml") << text;
    return folder_ / "run.yaml";
  }

  std::filesystem::path folder_;
};

TEST_F(ReadOptionsTest, TakesPathsFromTheFolderOfTheConfig) {
  const std::filesystem::path file = Write(
      "run_dir: runs/gru/\n"
      "data:\n"
      "  train: {source: ../t.de, target: ./t.en}\n"
      "  valid: {source: /abs/v.de, target: v.en, alignment: v.align}\n");
  const absl::StatusOr<Options> options = ReadOptions(file, {"data.valid.target=w.en"});
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->run_dir, folder_ / "runs/gru");
  EXPECT_THAT(options->data.train.source,
              testing::ElementsAre((folder_.parent_path() / "t.de").string()));
  EXPECT_THAT(options->data.train.target, testing::ElementsAre((folder_ / "t.en").string()));
  EXPECT_EQ(options->data.valid.source, "/abs/v.de");
  EXPECT_EQ(options->data.valid.target, folder_ / "w.en");
  EXPECT_EQ(options->data.valid.alignment, folder_ / "v.align");
  EXPECT_EQ(options->data.test.source, "");
}

TEST_F(ReadOptionsTest, GivesAbsolutePathsForAConfigInTheWorkingFolder) {
  Write("seed: 1\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  const absl::StatusOr<Options> options = ReadOptions("run.yaml", WithRequired());
  const std::filesystem::path expected = std::filesystem::current_path() / "r";
  std::filesystem::current_path(before);
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->run_dir, expected);
}

TEST_F(ReadOptionsTest, NamesTheFileAndLineOfAFault) {
  const std::filesystem::path file = Write("\nseed: x\n");
  EXPECT_THAT(ErrorOf(ReadOptions(file, {})), StartsWith(file.string() + ":2: seed: found \"x\""));
}

TEST_F(ReadOptionsTest, RefusesAFileThatIsNotThereAsAUsageError) {
  const absl::StatusOr<Options> options = ReadOptions(folder_ / "none.yaml", {});
  EXPECT_EQ(ExitCode(options.status()), 2);
  EXPECT_EQ(ErrorOf(options),
            (folder_ / "none.yaml").string() + ": cannot read: No such file or directory");
  EXPECT_THAT(ErrorOf(ReadOptions(folder_, {})), StartsWith(folder_.string() + ": "));
}

TEST_F(ReadOptionsTest, TakesSeveralTrainingTextsWithWeights) {
  const std::string rest = "run_dir: r\ndata:\n  valid: {source: c, target: d}\n  train: ";
  const auto options =
      ReadOptions(Write(rest + "{source: [a, /b], target: [x, y], weight: [1, 0.5]}\n"),
                  {"training.freeze=[a.*, b]"});
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_THAT(options->data.train.source, testing::ElementsAre((folder_ / "a").string(), "/b"));
  EXPECT_THAT(options->data.train.weight, testing::ElementsAre(1, 0.5));
  EXPECT_THAT(options->training.freeze, testing::ElementsAre("a.*", "b"));
  EXPECT_EQ(options->data.train.Texts()[1].target, (folder_ / "y").string());
  for (const auto& [lists, message] : std::vector<std::pair<std::string, std::string>>{
           {"{source: [a, b], target: x}", "data.train.target: found 1, expected 2"},
           {"{source: [a, b], target: [x, y], weight: 2}",
            "data.train.weight: found 1, expected 2"},
           {"{source: a, target: x, weight: [0]}",
            "data.train.weight: found a list, expected a number above 0"},
           {"{source: a, target: {x: y}}",
            "data.train.target: found a mapping, expected text or a list"}}) {
    EXPECT_THAT(ErrorOf(ReadOptions(Write(rest + lists + "\n"), {})), HasSubstr(":4: " + message))
        << lists;
  }
}

}  // namespace
}  // namespace nmt
