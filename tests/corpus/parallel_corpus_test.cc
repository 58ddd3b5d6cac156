#include "nmt/corpus/parallel_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "nmt/base/file.h"
#include "tests/text/trained_tokenizer.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ParallelFiles Write(std::string_view source, std::string_view target) {
  const std::filesystem::path folder = TestFolder();
  EXPECT_TRUE(WriteFileAtomically(folder / "train.de", source).ok());
  EXPECT_TRUE(WriteFileAtomically(folder / "train.en", target).ok());
  return {.source = folder / "train.de", .target = folder / "train.en", .alignment = ""};
}

std::string ErrorOf(const ParallelFiles& files, int exit_code = 1) {
  const auto corpus = ReadParallelCorpus(files, "data.train");
  EXPECT_EQ(ExitCode(corpus.status()), exit_code);
  return std::string(corpus.status().message());
}

TEST(ReadParallelCorpus, PairsLinesByTheirNumber) {
  const auto corpus = ReadParallelCorpus(Write("eins\n\ndrei", "one\ntwo\n\n"), "data.train");
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  EXPECT_THAT(corpus->source, ElementsAre("eins", "", "drei"));
  EXPECT_THAT(corpus->target, ElementsAre("one", "two", ""));
}

TEST(ReadParallelCorpus, CleansItsLinesAndSplitsAtLineFeedOnly) {
  const auto corpus = ReadParallelCorpus(Write("the\u2028cat\r\na\u0085"
                                               "b\r\n\r\n",
                                               "le\x1C"
                                               "chat\n\xFF\nlone\rreturn\n"),
                                         "data.train");
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  EXPECT_THAT(corpus->source, ElementsAre("the cat", "a b", ""));
  EXPECT_THAT(corpus->target, ElementsAre("le chat", "\uFFFD", "lone return"));
}

TEST(ReadParallelCorpus, RefusesUnequalFilesWithBothNamesAndCounts) {
  const ParallelFiles files =
      Write("the cat sees\na dog likes bread\nmy friend eats\nthe moon\nthe old man\n",
            "le chat voit\nun chien aime le pain\nla lune\nle vieil homme\n");
  EXPECT_EQ(ErrorOf(files), files.source + ": 5 lines, but " + files.target +
                                " has 4 lines: they are joined by line number");
  EXPECT_THAT(ErrorOf(Write("a\n", "b\nc\n")), HasSubstr(": 1 line, but "));
}

TEST(ReadParallelCorpus, RefusesAFileWithoutLinesByName) {
  const ParallelFiles no_target = Write("a\n", "");
  EXPECT_EQ(ErrorOf(no_target), no_target.target + ": is empty");
  const ParallelFiles no_lines = Write("", "");
  EXPECT_EQ(ErrorOf(no_lines), no_lines.source + ": is empty");
}

TEST(ReadParallelCorpus, RefusesWhatIsMissing) {
  ParallelFiles files = Write("a\n", "b\n");
  files.target = "no/such/train.en";
  EXPECT_THAT(ErrorOf(files), HasSubstr("no/such/train.en"));
  files.target = "";
  EXPECT_EQ(ErrorOf(files, /*exit_code=*/2), "data.train.target: is missing, expected a file");
  files.target = TestFolder();
  EXPECT_THAT(ErrorOf(files), HasSubstr("train.de"));
}

}  // namespace
}  // namespace nmt
