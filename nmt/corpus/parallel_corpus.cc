#include "nmt/corpus/parallel_corpus.h"

#include <fmt/format.h>

#include "nmt/text/lines.h"

namespace nmt {
namespace {

std::string LineCount(int64_t lines) {
  return fmt::format("{} line{}", lines, lines == 1 ? "" : "s");
}

absl::StatusOr<std::vector<std::string>> ReadSide(const std::string& path, std::string_view key) {
  if (path.empty()) return UsageError(fmt::format("{}: is missing, expected a file", key));
  NMT_ASSIGN_OR_RETURN(std::vector<std::string> lines, ReadLines(path));
  if (lines.empty()) return DataError(fmt::format("{}: is empty", path));
  for (std::string& line : lines) line = CleanLine(line);
  return lines;
}

}  // namespace

absl::StatusOr<ParallelCorpus> ReadParallelCorpus(const ParallelFiles& files,
                                                  std::string_view what) {
  ParallelCorpus corpus;
  NMT_ASSIGN_OR_RETURN(corpus.source, ReadSide(files.source, fmt::format("{}.source", what)));
  NMT_ASSIGN_OR_RETURN(corpus.target, ReadSide(files.target, fmt::format("{}.target", what)));
  NMT_RETURN_IF_ERROR(CheckEqualLength(files, static_cast<int64_t>(corpus.source.size()),
                                       static_cast<int64_t>(corpus.target.size())));
  return corpus;
}

absl::Status CheckEqualLength(const ParallelFiles& files, int64_t source_lines,
                              int64_t target_lines) {
  if (source_lines == target_lines) return absl::OkStatus();
  return DataError(fmt::format("{}: {}, but {} has {}: parallel files must have equal length",
                               files.source, LineCount(source_lines), files.target,
                               LineCount(target_lines)));
}

}  // namespace nmt
