#include "nmt/corpus/parallel_corpus.h"

#include <fmt/format.h>

#include "nmt/text/lines.h"

namespace nmt {
namespace {

std::string LineCount(size_t lines) {
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
  NMT_RETURN_IF_ERROR(
      CheckEqualLines(files.source, corpus.source.size(), files.target, corpus.target.size()));
  return corpus;
}

absl::Status CheckEqualLines(std::string_view file, size_t lines, std::string_view other,
                             size_t other_lines) {
  if (lines == other_lines) return absl::OkStatus();
  return DataError(fmt::format("{}: {}, but {} has {}: they are joined by line number", file,
                               LineCount(lines), other, LineCount(other_lines)));
}

}  // namespace nmt
