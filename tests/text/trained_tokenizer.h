// A small tokenizer for a test, trained on the test's own lines.
#ifndef NMT_TESTS_TEXT_TRAINED_TOKENIZER_H_
#define NMT_TESTS_TEXT_TRAINED_TOKENIZER_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "nmt/text/tokenizer.h"

namespace nmt {

// An empty folder for the running test.
inline std::filesystem::path TestFolder() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                       (std::string(test->test_suite_name()) + "." + test->name());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

inline Tokenizer TrainedOn(const std::vector<std::string>& lines,
                           TokenizerOptions options = TokenizerOptions()) {
  const std::filesystem::path model = TestFolder() / "test.spm";
  const auto trained = TrainTokenizer(options, {&lines}, model);
  EXPECT_TRUE(trained.ok()) << trained.status();
  auto tokenizer = Tokenizer::Load(model, options.lowercase);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
  return *tokenizer;
}

}  // namespace nmt

#endif  // NMT_TESTS_TEXT_TRAINED_TOKENIZER_H_
