#include "nmt/alignment/known_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "nmt/text/lines.h"

namespace nmt {
namespace {

// A number of digits only.
std::optional<int64_t> ParseIndex(std::string_view text) {
  int64_t index = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || rest != text.data() + text.size() || text[0] == '-') {
    return std::nullopt;
  }
  return index;
}

// Nothing when the line is no link.
std::optional<KnownLink> ParseKnownLink(const std::string& line, int64_t number) {
  std::vector<std::string> fields = Words(line);
  if (fields.size() != 5) return std::nullopt;
  const auto sentence = ParseIndex(fields[0]), source = ParseIndex(fields[1]),
             target = ParseIndex(fields[2]);
  if (!sentence || !source || !target) return std::nullopt;
  return KnownLink{*sentence, *source, *target, std::move(fields[3]), std::move(fields[4]), number};
}

// What is wrong with the word of one side, or nothing.
std::string WordFault(std::string_view side, const std::vector<std::string>& words, int64_t index,
                      std::string_view expected) {
  if (index >= static_cast<int64_t>(words.size())) {
    return fmt::format("has {} index {}, but the sentence has {} words, counted from 0", side,
                       index, words.size());
  }
  const std::string& found = words[static_cast<size_t>(index)];
  if (found == expected) return "";
  return fmt::format("has {} word {} \"{}\", but the sentence has \"{}\" there", side, index,
                     expected, found);
}

absl::Status SentenceMissing(const KnownLinks& known, const KnownLink& link, size_t sentences) {
  return DataErrorAt(known.path, link.line,
                     fmt::format("a link of sentence {}, but there are {}, counted from 0",
                                 link.sentence, sentences));
}

}  // namespace

absl::StatusOr<KnownLinks> ReadKnownLinks(const std::filesystem::path& path) {
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines(path));
  KnownLinks known{.path = path.string()};
  for (size_t i = 0; i < lines.size(); ++i) {
    if (IsBlank(lines[i]) || lines[i].starts_with('#')) continue;
    const int64_t number = static_cast<int64_t>(i) + 1;
    std::optional<KnownLink> link = ParseKnownLink(lines[i], number);
    if (!link) {
      return DataErrorAt(known.path, number,
                         fmt::format("\"{}\" is no known link: expected number of the sentence, "
                                     "index of the source word and of the target word, all from "
                                     "0, source word, target word",
                                     lines[i]));
    }
    known.links.push_back(*std::move(link));
  }
  return known;
}

absl::Status CheckKnownLinks(const KnownLinks& known, const std::vector<SentenceWords>& texts) {
  for (const KnownLink& link : known.links) {
    if (link.sentence >= static_cast<int64_t>(texts.size())) {
      return SentenceMissing(known, link, texts.size());
    }
    const SentenceWords& words = texts[static_cast<size_t>(link.sentence)];
    std::string fault = WordFault("source", words.source, link.source, link.source_word);
    if (fault.empty()) fault = WordFault("target", words.target, link.target, link.target_word);
    if (!fault.empty()) {
      return DataErrorAt(known.path, link.line,
                         fmt::format("the link of sentence {} {}", link.sentence, fault));
    }
  }
  return absl::OkStatus();
}

double LinkAccuracy::Share() const {
  return known == 0 ? 1 : static_cast<double>(found) / static_cast<double>(known);
}

double LinkAccuracy::LinksPerSentence() const {
  return sentences == 0 ? 0 : static_cast<double>(links) / static_cast<double>(sentences);
}

absl::StatusOr<LinkAccuracy> ComputeLinkAccuracy(const std::vector<Links>& hypotheses,
                                                 const KnownLinks& known) {
  LinkAccuracy accuracy{.known = static_cast<int64_t>(known.links.size()),
                        .sentences = static_cast<int64_t>(hypotheses.size())};
  for (const Links& links : hypotheses) {
    accuracy.links += static_cast<int64_t>(SortedLinks(links).size());
  }
  for (const KnownLink& link : known.links) {
    if (link.sentence >= accuracy.sentences) {
      return SentenceMissing(known, link, hypotheses.size());
    }
    const Links& links = hypotheses[static_cast<size_t>(link.sentence)];
    accuracy.found += std::any_of(links.begin(), links.end(), [&](const Link& found) {
      return found.source == link.source && found.target == link.target;
    });
  }
  return accuracy;
}

}  // namespace nmt
