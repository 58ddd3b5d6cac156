#include "nmt/corpus/training_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/corpus/text_files.h"
#include "tests/testing.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TrainingTextTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string ErrorOf(const TrainingFiles& files, int exit_code) {
    const auto text = TrainingText::Open(files);
    EXPECT_EQ(ExitCode(text.status()), exit_code);
    return std::string(text.status().message());
  }
  ScratchFolder folder_;
};

TEST_F(TrainingTextTest, ReadsWhatReadParallelCorpusReadsInChunks) {
  ParallelCorpus corpus;
  for (int i = 0; i < 2500; ++i) {
    corpus.source.push_back("s" + std::to_string(i));
    corpus.target.push_back(i % 7 == 0 ? "" : "t" + std::to_string(i * i));
  }
  const TrainingText text = TextOf(corpus, folder_.path());
  EXPECT_EQ(text.pairs(), 2500);
  ASSERT_THAT(text.chunks(), SizeIs(3));
  // In any order.
  for (const size_t chunk : {2u, 0u, 1u}) {
    const auto pairs = text.Read(text.chunks()[chunk]);
    ASSERT_TRUE(pairs.ok()) << pairs.status();
    EXPECT_THAT(*pairs, SizeIs(chunk == 2 ? 500 : 1000));
    for (const SentencePair& pair : *pairs) {
      ASSERT_EQ(pair.source, corpus.source[pair.index]);
      ASSERT_EQ(pair.target, corpus.target[pair.index]);
    }
  }
}

TEST_F(TrainingTextTest, LinesEndAsEverywhere) {
  const std::string source = Write("s", "eins\r\n\r\nzwei\rdrei\xE2\x80\xA8vier");
  const std::string target = Write("t", "one\n\ntwo\n");
  const auto text = TrainingText::Open({.source = {source}, .target = {target}});
  ASSERT_TRUE(text.ok()) << text.status();
  const auto pairs = text->Read(text->chunks()[0]);
  ASSERT_TRUE(pairs.ok());
  std::vector<std::string> lines;
  for (const SentencePair& pair : *pairs) lines.push_back(pair.source);
  EXPECT_THAT(lines, ElementsAre("eins", "", "zwei drei vier"));
}

// Cases C05 and C10.
TEST_F(TrainingTextTest, RefusesWhatIsNoParallelText) {
  const std::string three = Write("three", "a\nb\nc\n"), two = Write("two", "a\nb\n"),
                    none = Write("none", "");
  EXPECT_EQ(ErrorOf({.source = {three}, .target = {two}}, 1),
            three + ": 3 lines, but " + two + " has 2 lines: they are joined by line number");
  EXPECT_EQ(ErrorOf({.source = {none}, .target = {two}}, 1), none + ": is empty");
  EXPECT_THAT(ErrorOf({.source = {three}, .target = {three + "x"}}, 1),
              HasSubstr("threex: No such file"));
  EXPECT_THAT(ErrorOf({.source = {folder_.path().string()}, .target = {two}}, 1),
              HasSubstr("Is a directory"));
  EXPECT_EQ(ErrorOf({}, 2), "data.train.source: is missing, expected a file");
}

TEST_F(TrainingTextTest, ReadsTheLinksOfEachPairWhereItIsAskedTo) {
  std::string source, target, links;
  for (int i = 0; i < 1500; ++i) {
    source += "a b c\n";
    target += "d e\n";
    links += i == 1200 ? "2-1 0-0\n" : "\n";
  }
  const TrainingFiles files{.source = {Write("s", source), Write("s2", "x\n")},
                            .target = {Write("t", target), Write("t2", "y\n")},
                            .alignment = {Write("l", links), ""}};
  const auto text = TrainingText::Open(files);
  ASSERT_TRUE(text.ok()) << text.status();
  ASSERT_THAT(text->chunks(), SizeIs(3));
  EXPECT_EQ((*text->Read(text->chunks()[1], /*links=*/true))[200].links, (Links{{0, 0}, {2, 1}}));
  EXPECT_TRUE((*text->Read(text->chunks()[1], /*links=*/true))[199].links.empty());
  EXPECT_TRUE((*text->Read(text->chunks()[1]))[200].links.empty());
  EXPECT_TRUE((*text->Read(text->chunks()[2], /*links=*/true))[0].links.empty());
  // Links that training does not read do not keep it from being resumed.
  const int64_t without = text->checksum(),
                with = TrainingText::Open(files, /*links=*/true)->checksum();
  Write("l", "0-0\n" + links.substr(1));
  EXPECT_EQ(TrainingText::Open(files)->checksum(), without);
  EXPECT_NE(TrainingText::Open(files, /*links=*/true)->checksum(), with);
}

TEST_F(TrainingTextTest, RefusesLinksThatDoNotFitTheirSentences) {
  const std::string source = Write("s", "a b\nc\n"), target = Write("t", "d\ne f\n");
  const auto error_of = [&](const std::string& links) {
    return ErrorOf({.source = {source}, .target = {target}, .alignment = {Write("l", links)}}, 1);
  };
  EXPECT_THAT(error_of("0-0\n"), HasSubstr("1 line, but"));
  EXPECT_THAT(error_of("0-0\n1-0\n"), HasSubstr("l:2: link \"1-0\" has source index 1"));
  EXPECT_THAT(error_of("0-0\nx\n"), HasSubstr("l:2: "));
}

TEST_F(TrainingTextTest, ItsChecksumChangesWithAnyLine) {
  const ParallelCorpus corpus{{"a", "b"}, {"c", "d"}};
  ParallelCorpus other = corpus;
  other.target[1] = "d ";
  const int64_t checksum = TextOf(corpus, folder_.path()).checksum();
  EXPECT_EQ(TextOf(corpus, folder_.path()).checksum(), checksum);
  EXPECT_NE(TextOf(other, folder_.path()).checksum(), checksum);
}

TEST_F(TrainingTextTest, SamplesAllOfASmallTextAndPartsOfALargeOne) {
  ParallelCorpus corpus;
  for (int i = 0; i < 5400; ++i) {
    corpus.source.push_back("s" + std::to_string(i));
    corpus.target.push_back("t" + std::to_string(i));
  }
  const TrainingText text = TextOf(corpus, folder_.path());
  const auto all = text.Sample(6000);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->source, corpus.source);
  EXPECT_EQ(all->target, corpus.target);
  const auto some = text.Sample(2100);
  ASSERT_TRUE(some.ok());
  EXPECT_GE(some->source.size(), 2100u);
  EXPECT_LE(some->source.size(), 3100u);
}

}  // namespace
}  // namespace nmt
