#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "nmt/base/file.h"
#include "nmt/text/tokenizer.h"
#include "tests/text/trained_tokenizer.h"

namespace nmt {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

using Lines = std::vector<std::string>;

constexpr TokenizerType kTypes[] = {TokenizerType::kUnigram, TokenizerType::kBpe};

TEST(TrainTokenizer, ShrinksAVocabularyThatTheTextCannotFill) {
  const std::filesystem::path folder = TestFolder();
  for (const Lines& lines : {Lines{"the cat sees", "a dog likes bread", "my friend eats"},
                             Lines{"the cat sees"}, Lines{"hello world"}, Lines{"a"}}) {
    for (const TokenizerType type : kTypes) {
      TokenizerOptions options;
      options.type = type;
      const auto trained = TrainTokenizer(options, {&lines}, folder / "m.spm");
      ASSERT_TRUE(trained.ok()) << trained.status();
      EXPECT_EQ(trained->asked, 8000);
      EXPECT_LT(trained->got, 200);
      EXPECT_EQ(trained->got, Tokenizer::Load(folder / "m.spm", false)->vocab_size());
    }
  }
}

// 8 different characters, the blank, and 4 reserved pieces make 12.
TEST(TrainTokenizer, RefusesAVocabularyBelowTheCharactersAndNamesTheSmallest) {
  const std::filesystem::path folder = TestFolder();
  const Lines lines = {"hello world"};
  for (const TokenizerType type : kTypes) {
    TokenizerOptions options;
    options.type = type;
    for (const int64_t vocab_size : {5, 11}) {
      options.vocab_size = vocab_size;
      const auto trained = TrainTokenizer(options, {&lines}, folder / "m.spm");
      EXPECT_EQ(ExitCode(trained.status()), 2);
      EXPECT_THAT(
          std::string(trained.status().message()),
          HasSubstr("tokenizer.vocab_size: " + std::to_string(vocab_size) + " is too small"));
      EXPECT_THAT(std::string(trained.status().message()), HasSubstr("at least 12"));
      EXPECT_TRUE(std::filesystem::is_empty(folder));
    }
    options.vocab_size = 12;
    EXPECT_EQ(TrainTokenizer(options, {&lines}, folder / "m.spm")->got, 12);
    std::filesystem::remove(folder / "m.spm");
  }
}

TEST(TrainTokenizer, RefusesTextWithNothingInIt) {
  const std::filesystem::path folder = TestFolder();
  const Lines lines = {"", " ", "\u3000", "\x01", "\u2581", "\uFFFD", "\u2585", "\u200B", "\xFF"};
  const auto trained = TrainTokenizer(TokenizerOptions(), {&lines, &lines}, folder / "m.spm");
  EXPECT_EQ(ExitCode(trained.status()), 1);
  EXPECT_THAT(std::string(trained.status().message()), HasSubstr("no text"));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(TrainTokenizer, GivesTheSameBytesForTheSameLines) {
  const std::filesystem::path folder = TestFolder();
  Lines lines;
  for (int i = 0; i < 300; ++i) {
    lines.push_back("line " + std::to_string(i * 7919) + " of the old man and the dog " +
                    std::to_string(i % 17));
  }
  for (const TokenizerType type : kTypes) {
    TokenizerOptions options;
    options.type = type;
    options.vocab_size = 150;
    ASSERT_TRUE(TrainTokenizer(options, {&lines}, folder / "a.spm").ok());
    ASSERT_TRUE(TrainTokenizer(options, {&lines}, folder / "b.spm").ok());
    EXPECT_EQ(*ReadFile(folder / "a.spm"), *ReadFile(folder / "b.spm"));
  }
}

TEST(TrainTokenizer, LearnsFromEveryText) {
  const Lines source = {"abc abc"};
  const Lines target = {"xyz xyz"};
  const std::filesystem::path model = TestFolder() / "m.spm";
  ASSERT_TRUE(TrainTokenizer(TokenizerOptions(), {&source, &target}, model).ok());
  const Tokenizer tokenizer = *Tokenizer::Load(model, /*lowercase=*/false);
  EXPECT_THAT(tokenizer.Encode("abc xyz"), Not(Contains(kUnknownId)));
}

TEST(TrainTokenizer, LearnsFromLongLinesToo) {
  std::string line;
  while (line.size() < 10000) line += "the cat ";
  const Tokenizer tokenizer = TrainedOn({"a b c", line + "\u00DF"});
  EXPECT_THAT(tokenizer.Encode("the \u00DF"), Not(Contains(kUnknownId)));
}

// SentencePiece's trainer skips a line with U+2585, and does not count the letters of these names.
TEST(TrainTokenizer, LearnsFromLinesThatTheTrainerWouldSkip) {
  const Tokenizer tokenizer = TrainedOn({"abc", "bar \u2585 xyz", "<pad> <unk> <s> </s>"});
  EXPECT_THAT(tokenizer.Encode("xyz <pad> <unk> <s> </s>"), Not(Contains(kUnknownId)));
}

TEST(TrainTokenizer, KeepsEveryCharacterOfASmallAlphabetOnly) {
  Lines small(3000, "the cat sees the moon");
  small.push_back("\u00DF");
  EXPECT_THAT(TrainedOn(small).Encode("\u00DF"), Not(Contains(kUnknownId)));

  Lines large;
  for (int i = 0; i < 1200; ++i) {
    std::string line;
    for (int j = 0; j < 30; ++j) {
      const int c = 0x4E00 + i;  // a Chinese character in UTF-8
      line += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
               static_cast<char>(0x80 | (c & 0x3F))};
    }
    large.push_back(line);
  }
  large.push_back("\u00DF");
  EXPECT_THAT(TrainedOn(large).Encode("\u00DF"), Contains(kUnknownId));
}

TEST(TrainTokenizer, WritesNothingToTheTerminal) {
  const std::filesystem::path folder = TestFolder();
  const Lines lines = {"hello world"};
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  TokenizerOptions options;
  EXPECT_TRUE(TrainTokenizer(options, {&lines}, folder / "m.spm").ok());
  options.vocab_size = 5;
  EXPECT_FALSE(TrainTokenizer(options, {&lines}, folder / "m.spm").ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(TrainTokenizer, NamesAPlaceThatCannotBeWritten) {
  const Lines lines = {"hello world"};
  const auto trained = TrainTokenizer(TokenizerOptions(), {&lines}, "no/such/folder/m.spm");
  EXPECT_EQ(ExitCode(trained.status()), 1);
  EXPECT_THAT(std::string(trained.status().message()), HasSubstr("no/such/folder/m.spm"));
}

}  // namespace
}  // namespace nmt
