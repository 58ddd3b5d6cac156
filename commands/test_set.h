// A test set as nmt compare reads it: source, references and, where there are, gold links.
//
//   NMT_ASSIGN_OR_RETURN(TestSet set, ReadTestSet({.name = "test", .source = "test.en", .reference = "test.de"}));
#ifndef NMT_COMMANDS_TEST_SET_H_
#define NMT_COMMANDS_TEST_SET_H_

#include <string>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/corpus/links.h"

namespace nmt {

struct TestFiles {
  std::string name;
  std::string source, reference;
  std::string gold;  // links s-t, counted from 0; empty: none
};

struct TestSet {
  std::string name;
  std::vector<std::string> source, reference;
  std::vector<Links> gold;  // one a line, or empty
};

// The texts must have equally many lines, gold links must lie within their sentences.
absl::StatusOr<TestSet> ReadTestSet(const TestFiles& files);

// "unseen=x.en,x.de[,x.links]", the value of --part.
absl::StatusOr<TestFiles> ParseTestFiles(const std::string& text);

}  // namespace nmt

#endif  // NMT_COMMANDS_TEST_SET_H_
