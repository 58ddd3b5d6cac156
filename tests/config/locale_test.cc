// Numbers are read and printed with a point whatever the process's locale says (C28).
#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <sstream>

#include "nmt/config/printer.h"
#include "tests/config/config_testing.h"

namespace nmt {
namespace {

void ExpectNumbersWithAPoint() {
  const absl::StatusOr<Options> options =
      Parse("training: {learning_rate: 0.0025, warmup_updates: 4e3, batch_tokens: 12345}");
  ASSERT_TRUE(options.ok()) << ErrorOf(options);
  EXPECT_EQ(options->training.learning_rate, 0.0025);
  EXPECT_EQ(options->training.warmup_updates, 4000);
  EXPECT_NE(PrintOptions(*options).find("learning_rate: 0.0025\n"), std::string::npos);
  EXPECT_NE(PrintOptions(*options).find("batch_tokens: 12345\n"), std::string::npos);
  EXPECT_EQ(ErrorOf(Parse("training:\n  learning_rate: 0,0025")),
            "run.yaml:2: training.learning_rate: found \"0,0025\", expected a number above 0");
  const std::string lines(1500, '\n');
  EXPECT_EQ(ErrorOf(Parse(lines + "seed: x")),
            "run.yaml:1501: seed: found \"x\", expected a whole number from 0 to 4294967295");
}

class GermanNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Locale, OfCppStreamsChangesNothing) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
  std::ostringstream proof;
  proof << 1234.5;
  EXPECT_EQ(proof.str(), "1.234,5");
  ExpectNumbersWithAPoint();
  std::locale::global(before);
}

TEST(Locale, OfCChangesNothing) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  bool has_comma = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    has_comma = *std::localeconv()->decimal_point == ',';
    if (has_comma) break;
  }
  if (has_comma) ExpectNumbersWithAPoint();
  std::setlocale(LC_ALL, before.c_str());
  if (!has_comma) GTEST_SKIP() << "this machine has no locale with a decimal comma (de_DE.UTF-8)";
}

}  // namespace
}  // namespace nmt
