// Parallel texts: two files in which line i of one translates line i of the other.
//
//   NMT_ASSIGN_OR_RETURN(ParallelCorpus corpus,
//                        ReadParallelCorpus(options.data.train, "data.train"));
//   for (size_t i = 0; i < corpus.source.size(); ++i) Use(corpus.source[i], corpus.target[i]);
#ifndef NMT_CORPUS_PARALLEL_CORPUS_H_
#define NMT_CORPUS_PARALLEL_CORPUS_H_

#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/config/options.h"

namespace nmt {

// Lines as CleanLine gives them, blank ones included; both sides have equally many.
struct ParallelCorpus {
  std::vector<std::string> source, target;
};

// Reads both files; `what` is the config's key for them, such as "data.train". Errors name the
// files: one is not given, missing, unreadable or has no line; the numbers of lines differ (cutting
// to the shorter one would pair wrong lines, as the loss is seldom at the end).
absl::StatusOr<ParallelCorpus> ReadParallelCorpus(const ParallelFiles& files,
                                                  std::string_view what);

// Two files are joined by line number: a data error with both names and counts where these differ.
absl::Status CheckEqualLines(std::string_view file, size_t lines, std::string_view other,
                             size_t other_lines);

}  // namespace nmt

#endif  // NMT_CORPUS_PARALLEL_CORPUS_H_
