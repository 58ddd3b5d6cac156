#include "nmt/alignment/link_statistics.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace nmt {
namespace {

double Share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

using PairCounts = std::map<std::pair<std::string, std::string>, int64_t>;

// A pair of words for each of `links` that is not in `others`, whatever the marks of either.
void CountMissing(const Links& links, const Links& others, const SentenceWords& words,
                  PairCounts& counts) {
  std::set<std::pair<int64_t, int64_t>> known;
  for (const Link& link : others) known.insert({link.source, link.target});
  for (const Link& link : SortedLinks(links)) {
    if (known.contains({link.source, link.target})) continue;
    ++counts[{words.source.at(static_cast<size_t>(link.source)),
              words.target.at(static_cast<size_t>(link.target))}];
  }
}

std::vector<WordPairCount> MostFrequent(const PairCounts& counts, size_t most) {
  std::vector<WordPairCount> pairs;
  for (const auto& [words, count] : counts) pairs.push_back({words.first, words.second, count});
  std::stable_sort(pairs.begin(), pairs.end(), [](const WordPairCount& a, const WordPairCount& b) {
    return a.count > b.count;
  });
  if (pairs.size() > most) pairs.resize(most);
  return pairs;
}

Links SureLinks(Links links) {
  links = SortedLinks(std::move(links));
  std::erase_if(links, [](const Link& link) { return link.possible; });
  return links;
}

}  // namespace

double LinkStatistics::SourceCoverage() const { return Share(linked_source_words, source_words); }
double LinkStatistics::TargetCoverage() const { return Share(linked_target_words, target_words); }
double LinkStatistics::LinksPerTargetWord() const { return Share(links, target_words); }

LinkStatistics& LinkStatistics::operator+=(const LinkStatistics& other) {
  links += other.links;
  source_words += other.source_words;
  target_words += other.target_words;
  linked_source_words += other.linked_source_words;
  linked_target_words += other.linked_target_words;
  return *this;
}

LinkStatistics CountLinks(const Links& links, LinkLengths lengths) {
  std::set<int64_t> sources, targets;
  for (const Link& link : links) {
    sources.insert(link.source);
    targets.insert(link.target);
  }
  return {.links = static_cast<int64_t>(SortedLinks(links).size()),
          .source_words = lengths.source,
          .target_words = lengths.target,
          .linked_source_words = static_cast<int64_t>(sources.size()),
          .linked_target_words = static_cast<int64_t>(targets.size())};
}

LinkErrors CommonLinkErrors(const std::vector<Links>& hypotheses, const std::vector<Links>& golds,
                            const std::vector<SentenceWords>& texts, size_t most) {
  PairCounts wrong, missed;
  for (size_t i = 0; i < texts.size(); ++i) {
    CountMissing(hypotheses.at(i), golds.at(i), texts[i], wrong);
    CountMissing(SureLinks(golds[i]), hypotheses[i], texts[i], missed);
  }
  return {MostFrequent(wrong, most), MostFrequent(missed, most)};
}

}  // namespace nmt
