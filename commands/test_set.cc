#include "commands/test_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "nmt/corpus/parallel_corpus.h"
#include "nmt/text/lines.h"

namespace nmt {

absl::StatusOr<TestSet> ReadTestSet(const TestFiles& files) {
  NMT_ASSIGN_OR_RETURN(ParallelCorpus corpus,
                       ReadParallelCorpus({files.source, files.reference, files.gold}, files.name));
  TestSet set{files.name, std::move(corpus.source), std::move(corpus.target), {}};
  if (files.gold.empty()) return set;
  std::vector<LinkLengths> lengths;
  for (size_t i = 0; i < set.source.size(); ++i) {
    lengths.push_back({static_cast<int64_t>(WordSpans(set.source[i]).size()),
                       static_cast<int64_t>(WordSpans(set.reference[i]).size())});
  }
  NMT_ASSIGN_OR_RETURN(set.gold, ReadLinks(files.gold, LinkBase::kZero, lengths));
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
