// Gold for some words only: lists of links that people found right, and say nothing of the rest, as
// the 3,500 of MLT on Multi30k do. They tell how many of them a hypothesis contains, its accuracy;
// precision and AER they cannot tell. Linking everything would contain all, so the number of links
// a sentence is part of the score.
//
//   absl::StatusOr<KnownLinks> known = ReadKnownLinks("mlt_links_ende_test_2016_flickr.tsv");
//   absl::StatusOr<LinkAccuracy> accuracy = ComputeLinkAccuracy(hypotheses, *known);
//   accuracy->Share();   // 0 to 1
//
// A line of the file is a link: number of the sentence, index of the source word and of the target
// word, all from 0, source word, target word, parted by blanks or tabs. Lines that are blank or
// begin with # are passed over.
#ifndef NMT_ALIGNMENT_KNOWN_LINKS_H_
#define NMT_ALIGNMENT_KNOWN_LINKS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "nmt/alignment/link_statistics.h"
#include "nmt/base/status.h"
#include "nmt/corpus/links.h"

namespace nmt {

struct KnownLink {
  int64_t sentence = 0, source = 0, target = 0;  // from 0
  std::string source_word, target_word;
  int64_t line = 0;  // of the file, from 1

  bool operator==(const KnownLink&) const = default;
};

struct KnownLinks {
  std::string path;  // for error messages
  std::vector<KnownLink> links;
};

// A data error names file and line, what was found and what was expected.
absl::StatusOr<KnownLinks> ReadKnownLinks(const std::filesystem::path& path);

// That the words stand where the links say. A data error names file and line, both words and the
// index: most likely the links belong to another tokenization of the text.
absl::Status CheckKnownLinks(const KnownLinks& known, const std::vector<SentenceWords>& texts);

struct LinkAccuracy {
  int64_t known = 0;  // given links, one that is given twice counting twice
  int64_t found = 0;  // those that the hypothesis contains
  int64_t links = 0;  // of the hypothesis, all sentences together
  int64_t sentences = 0;

  double Share() const;  // found / known; 1 without known links
  double LinksPerSentence() const;
  bool operator==(const LinkAccuracy&) const = default;
};

// A data error names file and line of a known link beyond the last hypothesis.
absl::StatusOr<LinkAccuracy> ComputeLinkAccuracy(const std::vector<Links>& hypotheses,
                                                 const KnownLinks& known);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_KNOWN_LINKS_H_
