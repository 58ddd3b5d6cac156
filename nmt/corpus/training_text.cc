#include "nmt/corpus/training_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "nmt/base/fnv1a.h"
#include "nmt/corpus/draws.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

absl::Status SystemError(const std::string& path) {
  return DataError(fmt::format("{}: {}", path, std::strerror(errno)));
}

absl::StatusOr<File> OpenAt(const std::string& path, off_t offset) {
  File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr || fseeko(file.get(), offset, SEEK_SET) != 0) return SystemError(path);
  return file;
}

// Where each chunk of a file begins.
struct SideIndex {
  std::vector<off_t> offsets;
  int64_t lines = 0;
};

absl::StatusOr<SideIndex> IndexSide(const std::string& path, std::string_view key, Fnv1a* hash) {
  if (path.empty()) return UsageError(fmt::format("{}: is missing, expected a file", key));
  NMT_ASSIGN_OR_RETURN(const File file, OpenAt(path, 0));
  SideIndex side;
  LineReader reader(file.get());
  for (;; ++side.lines) {
    const bool is_first = side.lines % TrainingText::kChunkPairs == 0;
    const off_t offset = is_first ? ftello(file.get()) : 0;
    const std::optional<std::string> line = reader.Next();
    if (!line) break;
    if (is_first) side.offsets.push_back(offset);
    hash->Add(*line);
    hash->Add("\n");
  }
  if (std::ferror(file.get())) return SystemError(path);
  if (side.lines == 0) return DataError(fmt::format("{}: is empty", path));
  return side;
}

absl::Status ReadSide(const std::string& path, off_t offset, std::vector<SentencePair>* pairs,
                      std::string SentencePair::*side) {
  NMT_ASSIGN_OR_RETURN(const File file, OpenAt(path, offset));
  LineReader reader(file.get());
  for (SentencePair& pair : *pairs) {
    const std::optional<std::string> line = reader.Next();
    if (!line && std::ferror(file.get())) return SystemError(path);
    if (!line) return DataError(fmt::format("{}: has become shorter during the training", path));
    pair.*side = CleanLine(*line);
  }
  return absl::OkStatus();
}

absl::Status ReadLinksOf(const std::string& path, const TextChunk& chunk,
                         std::vector<SentencePair>* pairs) {
  NMT_ASSIGN_OR_RETURN(const File file, OpenAt(path, chunk.links_offset));
  LineReader reader(file.get());
  int64_t number = chunk.first_line;
  for (SentencePair& pair : *pairs) {
    const std::optional<std::string> line = reader.Next();
    if (!line && std::ferror(file.get())) return SystemError(path);
    if (!line) return DataError(fmt::format("{}: has become shorter during the training", path));
    const LinkLengths lengths{static_cast<int64_t>(WordSpans(pair.source).size()),
                              static_cast<int64_t>(WordSpans(pair.target).size())};
    NMT_ASSIGN_OR_RETURN(pair.links, ParseLinks(*line, LinkBase::kZero, {path, number++}, lengths));
  }
  return absl::OkStatus();
}

// As the texts, a line for each pair.
absl::StatusOr<SideIndex> IndexLinks(const ParallelFiles& files, int64_t lines, Fnv1a* hash) {
  NMT_ASSIGN_OR_RETURN(SideIndex links, IndexSide(files.alignment, "data.train.alignment", hash));
  NMT_RETURN_IF_ERROR(CheckEqualLines(files.alignment, static_cast<size_t>(links.lines),
                                      files.source, static_cast<size_t>(lines)));
  return links;
}

}  // namespace

absl::StatusOr<TrainingText> TrainingText::Open(const TrainingFiles& files, bool links) {
  TrainingText text;
  text.texts_ = files.Texts();
  if (text.texts_.empty()) return UsageError("data.train.source: is missing, expected a file");
  Fnv1a hash, unread;
  for (size_t i = 0; i < text.texts_.size(); ++i) {
    const ParallelFiles& pair = text.texts_[i];
    NMT_ASSIGN_OR_RETURN(const SideIndex source,
                         IndexSide(pair.source, "data.train.source", &hash));
    NMT_ASSIGN_OR_RETURN(const SideIndex target,
                         IndexSide(pair.target, "data.train.target", &hash));
    NMT_RETURN_IF_ERROR(CheckEqualLines(pair.source, static_cast<size_t>(source.lines), pair.target,
                                        static_cast<size_t>(target.lines)));
    SideIndex link_lines{.offsets = std::vector<off_t>(source.offsets.size())};
    if (!pair.alignment.empty()) {
      NMT_ASSIGN_OR_RETURN(link_lines, IndexLinks(pair, source.lines, links ? &hash : &unread));
    }
    for (size_t chunk = 0; chunk < source.offsets.size(); ++chunk) {
      const int64_t first = static_cast<int64_t>(chunk) * kChunkPairs;
      text.chunks_.push_back({.text = i,
                              .weight = files.Weight(i),
                              .first = text.pairs_ + first,
                              .pairs = std::min(kChunkPairs, source.lines - first),
                              .first_line = first + 1,
                              .source_offset = source.offsets[chunk],
                              .target_offset = target.offsets[chunk],
                              .links_offset = link_lines.offsets[chunk]});
      // Links are checked before any work.
      if (!pair.alignment.empty())
        NMT_RETURN_IF_ERROR(text.Read(text.chunks_.back(), /*links=*/true).status());
    }
    text.pairs_ += source.lines;
  }
  text.checksum_ = static_cast<int64_t>(hash.value() >> 1);  // JSON's integers are signed
  return text;
}

absl::StatusOr<std::vector<SentencePair>> TrainingText::Read(const TextChunk& chunk,
                                                             bool links) const {
  std::vector<SentencePair> pairs(static_cast<size_t>(chunk.pairs));
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i].index = chunk.first + static_cast<int64_t>(i);
  const ParallelFiles& files = texts_[chunk.text];
  NMT_RETURN_IF_ERROR(ReadSide(files.source, chunk.source_offset, &pairs, &SentencePair::source));
  NMT_RETURN_IF_ERROR(ReadSide(files.target, chunk.target_offset, &pairs, &SentencePair::target));
  if (links && !files.alignment.empty())
    NMT_RETURN_IF_ERROR(ReadLinksOf(files.alignment, chunk, &pairs));
  return pairs;
}

absl::StatusOr<ParallelCorpus> TrainingText::Sample(int64_t pairs) const {
  std::vector<size_t> order(chunks_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  SplitMix64 random(MixSeed({kDrawTokenizerText}));
  Shuffle(&order, &random);
  size_t taken = 0;
  for (int64_t found = 0; taken < order.size() && found < pairs; ++taken)
    found += chunks_[order[taken]].pairs;
  std::sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(taken));
  ParallelCorpus sample;
  for (size_t i = 0; i < taken; ++i) {
    NMT_ASSIGN_OR_RETURN(std::vector<SentencePair> chunk, Read(chunks_[order[i]]));
    for (SentencePair& pair : chunk) {
      sample.source.push_back(std::move(pair.source));
      sample.target.push_back(std::move(pair.target));
    }
  }
  return sample;
}

}  // namespace nmt
