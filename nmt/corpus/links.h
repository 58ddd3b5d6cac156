// Links between the words of a sentence and of its translation, and the Pharaoh format that holds
// them, one sentence a line: "0-0 1-2 3p3". A link is source word, "-" or "p", target word; "p"
// marks a link that human annotators called possible, where "-" is a sure one.
//
//   absl::StatusOr<std::vector<Links>> gold = ReadLinks("gold.align", LinkBase::kOne);
//   absl::StatusOr<Links> links = ParseLinks("2-1 0-0", LinkBase::kZero, {"out.align", 7});
//   FormatLinks(*links);   // "0-0 2-1"
//
// Files count words from 0 or from 1, and some have the target word first, neither of which can be
// told from their text: the reader is told.
#ifndef NMT_CORPUS_LINKS_H_
#define NMT_CORPUS_LINKS_H_

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

struct Link {
  int64_t source = 0;  // word indices, from 0
  int64_t target = 0;
  bool possible = false;

  auto operator<=>(const Link&) const = default;
};

using Links = std::vector<Link>;

// The index that a file gives to a sentence's first word.
enum class LinkBase { kZero = 0, kOne = 1 };

// Which word of a link a file has first: an aligner that was run from target to source writes its
// own source, our target, first.
enum class LinkOrder { kSourceFirst, kTargetFirst };

// What the text of links does not say of itself. A base alone means source first.
struct LinkFormat {
  LinkFormat(LinkBase base, LinkOrder order = LinkOrder::kSourceFirst) : base(base), order(order) {}

  LinkBase base;
  LinkOrder order;
};

// Where a line stands, for error messages; `line` counts from 1.
struct LinkPlace {
  std::string_view path;
  int64_t line;
};

// Numbers of words of a sentence pair.
struct LinkLengths {
  int64_t source;
  int64_t target;
};

// Of each line of a source and of the line of its target; as many lines of both.
std::vector<LinkLengths> LengthsInWords(const std::vector<std::string>& sources,
                                        const std::vector<std::string>& targets);

// Source first whatever the text has first, sorted by source, then target, each pair of words once;
// one that is given as sure and as possible is sure. A data error names the place, the first bad
// link and what was expected: a link that is no "s-t" or "spt" of two numbers, an index 0 where
// counting starts at 1, and, where `lengths` are given, an index past the sentence's last word.
absl::StatusOr<Links> ParseLinks(std::string_view line, LinkFormat format, LinkPlace place,
                                 std::optional<LinkLengths> lengths = std::nullopt);

// A line each; errors as ParseLinks, or the file's.
absl::StatusOr<std::vector<Links>> ReadLinks(const std::filesystem::path& path, LinkFormat format);

// Also checks every index against the sentence pair of its line; a data error when the file has not
// as many lines as there are pairs.
absl::StatusOr<std::vector<Links>> ReadLinks(const std::filesystem::path& path, LinkFormat format,
                                             const std::vector<LinkLengths>& lengths);

// Pharaoh format without the line end, sorted as by ParseLinks.
std::string FormatLinks(const Links& links, LinkBase base = LinkBase::kZero);

// Sorts as ParseLinks does and drops repetitions.
Links SortedLinks(Links links);

// Source and target exchanged, sorted.
Links Reversed(Links links);

// What the links of a translation say of the source's words, from 0.
struct WordCoverage {
  std::vector<int64_t> unattended;  // linked to no target word: perhaps left out
  std::vector<int64_t> repeated;  // linked to two separate parts of the target: perhaps said twice
};
WordCoverage CoverageOf(const Links& links, int64_t source_words);

}  // namespace nmt

#endif  // NMT_CORPUS_LINKS_H_
