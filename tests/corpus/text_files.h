// A training text from lines in memory.
#ifndef NMT_TESTS_CORPUS_TEXT_FILES_H_
#define NMT_TESTS_CORPUS_TEXT_FILES_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "nmt/corpus/training_text.h"

namespace nmt {

// Writes train.source and train.target into `folder`.
inline TrainingText TextOf(const ParallelCorpus& corpus, const std::filesystem::path& folder) {
  TrainingFiles files;
  for (const bool source : {true, false}) {
    const std::filesystem::path path = folder / (source ? "train.source" : "train.target");
    std::ofstream out(path, std::ios::binary);
    for (const std::string& line : source ? corpus.source : corpus.target) out << line << "\n";
    (source ? files.source : files.target) = {path.string()};
  }
  auto text = TrainingText::Open(files);
  EXPECT_TRUE(text.ok()) << text.status();
  return *std::move(text);
}

}  // namespace nmt

#endif  // NMT_TESTS_CORPUS_TEXT_FILES_H_
