#include "nmt/config/field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace nmt {
namespace {

using ::testing::ElementsAre;

const Field& Get(const std::vector<Field>& fields, std::string_view key) {
  return *std::ranges::find(fields, key, &Field::key);
}

TEST(ListFields, GivesDottedKeysEachSectionBeforeItsKeys) {
  Options options;
  std::vector<std::string> keys;
  for (const Field& field : ListFields(options)) keys.push_back(field.key);
  ASSERT_GT(keys.size(), 12u);
  keys.resize(12);
  EXPECT_THAT(keys, ElementsAre("run_dir", "seed", "threads", "device", "precision", "data",
                                "data.source_language", "data.target_language", "data.max_length",
                                "data.shuffle_buffer", "data.train", "data.train.source"));
}

TEST(ListFields, SaysWhatEachKeyTakes) {
  Options options;
  const std::vector<Field> fields = ListFields(options);
  EXPECT_EQ(Get(fields, "run_dir").expected, "text");
  EXPECT_EQ(Get(fields, "tokenizer.shared").expected, "true or false");
  EXPECT_EQ(Get(fields, "model.tie_embeddings").expected, "none, target or all");
  EXPECT_EQ(Get(fields, "model.heads").expected, "a whole number from 1 to 1024");
  EXPECT_EQ(Get(fields, "training.learning_rate").expected, "a number above 0");
  EXPECT_EQ(Get(fields, "training.max_minutes").expected, "a number of at least 0");
  EXPECT_EQ(Get(fields, "training.freeze").expected, "text or a list of texts");
  EXPECT_EQ(Get(fields, "data.train.weight").expected,
            "a number above 0, at most 1000 or a list of them");
  EXPECT_TRUE(Get(fields, "data.train").is_section());
}

TEST(Field, SplitsItsKey) {
  Field field;
  field.key = "data.train.source";
  EXPECT_EQ(field.name(), "source");
  EXPECT_EQ(field.parent(), "data.train");
  EXPECT_EQ(field.depth(), 2);
  Field top;
  top.key = "seed";
  EXPECT_EQ(top.name(), "seed");
  EXPECT_EQ(top.parent(), "");
  EXPECT_EQ(top.depth(), 0);
}

TEST(Field, KeepsTheOptionWhenTheTextIsNoValueOfIt) {
  Options options;
  const std::vector<Field> fields = ListFields(options);
  EXPECT_EQ(Get(fields, "seed").set("7"), std::nullopt);
  EXPECT_EQ(Get(fields, "seed").set("-1"), "a whole number from 0 to 4294967295");
  EXPECT_EQ(options.seed, 7);
}

TEST(Field, TakesBothEndsOfARangeButNotAnExcludedOne) {
  Options options;
  const std::vector<Field> fields = ListFields(options);
  const Field& seed = Get(fields, "seed");
  EXPECT_EQ(seed.set("0"), std::nullopt);
  EXPECT_EQ(seed.set("4294967295"), std::nullopt);
  EXPECT_NE(seed.set("4294967296"), std::nullopt);
  EXPECT_NE(Get(fields, "training.learning_rate").set("0"), std::nullopt);
  EXPECT_EQ(Get(fields, "training.learning_rate").set("1e-300"), std::nullopt);
}

TEST(Field, RefusesAnIntegerThatADoubleCannotHoldAndNamesTheBound) {
  Options options;
  const std::vector<Field> fields = ListFields(options);
  const Field& updates = Get(fields, "training.max_updates");
  EXPECT_EQ(updates.set("9007199254740992"), std::nullopt);
  EXPECT_EQ(options.training.max_updates, int64_t{1} << 53);
  EXPECT_EQ(updates.set("1e17"), "a whole number of at least 1, at most 9007199254740992");
  EXPECT_EQ(updates.set("0"), "a whole number of at least 1");
}

TEST(QuoteYaml, EscapesWhatWouldEndTheText) {
  EXPECT_EQ(QuoteYaml("no"), "\"no\"");
  EXPECT_EQ(QuoteYaml("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
  EXPECT_EQ(QuoteYaml("Übersetzung"), "\"Übersetzung\"");
}

}  // namespace
}  // namespace nmt
