// What a file of links says beside its AER: how many links there are, how many words have one, and
// which words are linked wrongly most often.
//
//   LinkStatistics statistics;
//   for (size_t i = 0; i < texts.size(); ++i) statistics += CountLinks(links[i], texts[i]);
//   const LinkErrors errors = CommonLinkErrors(links, gold, texts, /*most=*/10);
//   errors.wrong[0];   // {"the", "die", 17}: linked 17 times where gold has no link
#ifndef NMT_ALIGNMENT_LINK_STATISTICS_H_
#define NMT_ALIGNMENT_LINK_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nmt/corpus/links.h"

namespace nmt {

struct SentenceWords {
  std::vector<std::string> source, target;

  LinkLengths lengths() const {
    return {static_cast<int64_t>(source.size()), static_cast<int64_t>(target.size())};
  }
};

// Of one sentence pair, or of any set of them: the sum.
struct LinkStatistics {
  int64_t links = 0;
  int64_t source_words = 0, target_words = 0;
  int64_t linked_source_words = 0, linked_target_words = 0;  // words with at least one link

  // Shares of words that have a link, 0 to 1, and links a target word; 0 without words.
  double SourceCoverage() const;
  double TargetCoverage() const;
  double LinksPerTargetWord() const;

  LinkStatistics& operator+=(const LinkStatistics& other);
  bool operator==(const LinkStatistics&) const = default;
};
LinkStatistics CountLinks(const Links& links, LinkLengths lengths);

// A pair of words and how often it stands in a list of errors.
struct WordPairCount {
  std::string source, target;
  int64_t count = 0;

  bool operator==(const WordPairCount&) const = default;
};

// The most frequent first, of equal ones by the bytes of source, then target.
struct LinkErrors {
  std::vector<WordPairCount> wrong;   // hypothesised, but not even possible in gold
  std::vector<WordPairCount> missed;  // sure in gold, but not hypothesised
};

// At most `most` pairs of each kind. One hypothesis, gold and text a sentence, with indices within
// the text, which ReadLinks() checks.
LinkErrors CommonLinkErrors(const std::vector<Links>& hypotheses, const std::vector<Links>& golds,
                            const std::vector<SentenceWords>& texts, size_t most);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_LINK_STATISTICS_H_
