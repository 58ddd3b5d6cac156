#include "commands/test_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "nmt/corpus/parallel_corpus.h"

namespace nmt {

absl::StatusOr<TestSet> ReadTestSet(const TestFiles& files) {
  NMT_ASSIGN_OR_RETURN(ParallelCorpus corpus,
                       ReadParallelCorpus({files.source, files.reference, files.gold}, files.name));
  TestSet set{files.name, std::move(corpus.source), std::move(corpus.target), {}};
  if (files.gold.empty()) return set;
  NMT_ASSIGN_OR_RETURN(
      set.gold, ReadLinks(files.gold, LinkBase::kZero, LengthsInWords(set.source, set.reference)));
  return set;
}

absl::StatusOr<TestFiles> ParseTestFiles(const std::string& text) {
  const size_t equals = text.find('=');
  std::vector<std::string> files;
  for (size_t begin = equals + 1; equals != std::string::npos && begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    files.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (files.size() < 2 || files.size() > 3) {
    return UsageError(fmt::format(
        "--part \"{}\": expected NAME=SOURCE,REFERENCE or NAME=SOURCE,REFERENCE,LINKS", text));
  }
  return TestFiles{text.substr(0, equals), files[0], files[1], files.size() == 3 ? files[2] : ""};
}

}  // namespace nmt
