#include "nmt/config/printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <type_traits>
#include <variant>
#include <vector>

#include "tests/config/config_testing.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Gives every member a value that is not its default and hard to print.
struct Disturb {
  void operator()(std::string_view, std::string& member, std::string_view) {
    member += ": #\"no\" \\ 'é'\t\n~ ";
  }
  void operator()(std::string_view, std::vector<std::string>& member, std::string_view) {
    member = {": #\"no\" \\ 'é'\t\n~ ", "second, [third]"};
  }
  void operator()(std::string_view, std::vector<double>& member, const Range&, std::string_view) {
    member = {1.0 / 3, 1e-7};
  }
  void operator()(std::string_view, bool& member, std::string_view) { member = !member; }
  void operator()(std::string_view, int64_t& member, const Range& range, std::string_view) {
    member = static_cast<int64_t>(std::min(range.maximum, 9007199254740991.0));
  }
  void operator()(std::string_view, double& member, const Range& range, std::string_view) {
    member = std::nextafter(range.minimum + 1.0 / 3 * std::min(range.maximum, 1e-7), 1.0);
  }
  template <typename T>
  void operator()(std::string_view, T& member, std::string_view) {
    if constexpr (std::is_enum_v<T>) {
      member = EnumNames<T>::values.back().first;
    } else {
      member.VisitFields(*this);
    }
  }
};

// Every member as a value, in order.
struct Collect {
  using Value = std::variant<std::string, bool, int64_t, double, int, std::vector<std::string>,
                             std::vector<double>>;
  std::vector<Value> values;

  void operator()(std::string_view, int64_t& member, const Range&, std::string_view) {
    values.emplace_back(member);
  }
  void operator()(std::string_view, double& member, const Range&, std::string_view) {
    values.emplace_back(member);
  }
  void operator()(std::string_view, std::vector<double>& member, const Range&, std::string_view) {
    values.emplace_back(member);
  }
  void operator()(std::string_view, std::vector<std::string>& member, std::string_view) {
    values.emplace_back(member);
  }
  template <typename T>
  void operator()(std::string_view, T& member, std::string_view) {
    if constexpr (std::is_enum_v<T>) {
      values.emplace_back(static_cast<int>(member));
    } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
      member.VisitFields(*this);
    } else {
      values.emplace_back(member);
    }
  }
};

std::vector<Collect::Value> ValuesOf(Options options) {
  Collect collect;
  options.VisitFields(collect);
  return collect.values;
}

Options Disturbed() {
  Options options;
  Disturb disturb;
  options.VisitFields(disturb);
  options.device = "cuda:3";
  options.tokenizer.shared = true;
  options.model.embedding_size = options.model.hidden_size;
  options.translation.max_length = options.model.max_positions - 1;
  return options;
}

TEST(PrintOptions, ReadsBackToTheSameValueOfEveryKey) {
  const Options options = Disturbed();
  const absl::StatusOr<Options> again = ParseOptions(PrintOptions(options), "printed", {});
  ASSERT_TRUE(again.ok()) << ErrorOf(again) << "\n" << PrintOptions(options);
  EXPECT_EQ(ValuesOf(*again), ValuesOf(options));
  // Nothing was left at its default but what the checks between keys force.
  EXPECT_THAT(DifferingKeys(options, Options()), testing::SizeIs(ValuesOf(options).size() - 2));
}

TEST(PrintOptions, ReadsBackToTheSameGru) {
  const absl::StatusOr<Options> gru = Parse("model: {type: gru, embedding_size: 31}");
  ASSERT_TRUE(gru.ok()) << ErrorOf(gru);
  const absl::StatusOr<Options> again = ParseOptions(PrintOptions(*gru), "printed", {});
  ASSERT_TRUE(again.ok()) << ErrorOf(again);
  EXPECT_EQ(ValuesOf(*again), ValuesOf(*gru));
}

TEST(PrintOptions, WritesSectionsShortNumbersAndQuotedText) {
  Options options;
  options.data.source_language = "no";
  options.training.learning_rate = 0.0001;
  options.training.label_smoothing = 0.1;
  const std::string text = PrintOptions(options);
  EXPECT_THAT(text, testing::StartsWith("run_dir: \"\"\nseed: 1\nthreads: 0\ndevice: \"auto\"\n"
                                        "precision: fp32\ndata:\n  source_language: \"no\"\n"));
  EXPECT_THAT(text, HasSubstr("\n  train:\n    source: []\n"));
  EXPECT_THAT(text, HasSubstr("\n  label_smoothing: 0.1\n"));
  EXPECT_THAT(text, HasSubstr("\n  learning_rate: 0.0001\n"));
  options.training.learning_rate = 1e-5;
  EXPECT_THAT(PrintOptions(options), HasSubstr("\n  learning_rate: 1.0e-05\n"));
}

TEST(DescribeOptions, ReadsBackToTheDefaults) {
  const absl::StatusOr<Options> read = Parse(DescribeOptions());
  ASSERT_TRUE(read.ok()) << ErrorOf(read);
  EXPECT_THAT(DifferingKeys(*read, Options()),
              ElementsAre("run_dir: \"r\" here, \"\" in the run",
                          "data.train.source: \"a\" here, [] in the run",
                          "data.train.target: \"b\" here, [] in the run",
                          "data.valid.source: \"c\" here, \"\" in the run",
                          "data.valid.target: \"d\" here, \"\" in the run"));
}

TEST(DescribeOptions, GivesTypeRangeChoicesMeaningAndDefault) {
  const std::string text = DescribeOptions();
  EXPECT_THAT(text, HasSubstr("\n# text, required: folder that takes everything the run makes\n"
                              "run_dir: \"\"\n"));
  EXPECT_THAT(text, HasSubstr("\n  # none, target or all: share weights: "));
  EXPECT_THAT(text, HasSubstr("\n  # a number above 0: highest learning rate, reached after the "
                              "warm-up\n  learning_rate: 0.001\n"));
  EXPECT_THAT(text, HasSubstr("\n\n# the optimisation\ntraining:\n  # a whole number "));
}

TEST(DescribeOptions, FitsIntoAHundredColumnsAndFillsThem) {
  std::istringstream text(DescribeOptions());
  std::size_t longest = 0;
  for (std::string line; std::getline(text, line);) longest = std::max(longest, line.size());
  EXPECT_LE(longest, 100u);
  EXPECT_GT(longest, 90u);
}

TEST(DifferingKeys, NamesTheKeyAndBothValues) {
  Options here, run;
  EXPECT_THAT(DifferingKeys(here, run), IsEmpty());
  run.seed = 2;
  run.model.type = ModelType::kGru;
  run.training.learning_rate = std::nextafter(here.training.learning_rate, 1.0);
  EXPECT_THAT(
      DifferingKeys(here, run),
      ElementsAre("seed: 1 here, 2 in the run", "model.type: transformer here, gru in the run",
                  "training.learning_rate: 0.001 here, 0.0010000000000000002 in the run"));
}

}  // namespace
}  // namespace nmt
