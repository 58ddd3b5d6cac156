#include "nmt/corpus/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "nmt/text/lines.h"

namespace nmt {
namespace {

// A number of digits only, from the front of `text`, which it is taken off.
std::optional<int64_t> TakeNumber(std::string_view& text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || text[0] == '-') return std::nullopt;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  text = std::string_view(rest, end - rest);
  return number;
}

// "s-t" or "spt" with the numbers as they stand.
std::optional<Link> ParseLink(std::string_view token) {
  const std::optional<int64_t> source = TakeNumber(token);
  if (!source || token.empty() || (token[0] != '-' && token[0] != 'p')) return std::nullopt;
  const bool possible = token[0] == 'p';
  token.remove_prefix(1);
  const std::optional<int64_t> target = TakeNumber(token);
  if (!target || !token.empty()) return std::nullopt;
  return Link{*source, *target, possible};
}

// What is wrong with an index, or nothing.
std::string IndexFault(std::string_view side, int64_t index, LinkBase base,
                       std::optional<int64_t> length) {
  const auto first = static_cast<int64_t>(base);
  if (index < first) {
    return fmt::format("has {} index {}, but indices were to count from {}", side, index, first);
  }
  if (length && index - first >= *length) {
    return fmt::format("has {} index {}, but the sentence has {} words, counted from {}", side,
                       index, *length, first);
  }
  return "";
}

constexpr std::string_view kBlanks = " \t\r";

absl::StatusOr<std::vector<Links>> ReadLinesOfLinks(const std::filesystem::path& path,
                                                    LinkFormat format,
                                                    const std::vector<LinkLengths>* lengths) {
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines(path));
  if (lengths != nullptr && lines.size() != lengths->size()) {
    return DataError(
        fmt::format("{}: {} lines of links, but the texts that it links have {}: they are joined "
                    "by line number",
                    path.string(), lines.size(), lengths->size()));
  }
  std::vector<Links> links;
  links.reserve(lines.size());
  const std::string name = path.string();
  for (size_t i = 0; i < lines.size(); ++i) {
    const LinkPlace place{name, static_cast<int64_t>(i) + 1};
    NMT_ASSIGN_OR_RETURN(
        Links line,
        ParseLinks(lines[i], format, place, lengths ? std::optional((*lengths)[i]) : std::nullopt));
    links.push_back(std::move(line));
  }
  return links;
}

}  // namespace

std::vector<LinkLengths> LengthsInWords(const std::vector<std::string>& sources,
                                        const std::vector<std::string>& targets) {
  const auto words = [](const std::string& line) {
    return static_cast<int64_t>(WordSpans(CleanLine(line)).size());
  };
  std::vector<LinkLengths> lengths;
  for (size_t i = 0; i < sources.size(); ++i)
    lengths.push_back({words(sources[i]), words(targets[i])});
  return lengths;
}

absl::StatusOr<Links> ParseLinks(std::string_view line, LinkFormat format, LinkPlace place,
                                 std::optional<LinkLengths> lengths) {
  Links links;
  for (size_t begin = line.find_first_not_of(kBlanks); begin < line.size();) {
    const std::string_view token = line.substr(begin, line.find_first_of(kBlanks, begin) - begin);
    begin = line.find_first_not_of(kBlanks, begin + token.size());

    std::optional<Link> link = ParseLink(token);
    if (!link) {
      return DataErrorAt(
          place.path, place.line,
          fmt::format("\"{}\" is no link: expected source-target, as \"3-4\", or \"3p4\" for a "
                      "possible one",
                      token));
    }
    if (format.order == LinkOrder::kTargetFirst) std::swap(link->source, link->target);
    std::string fault =
        IndexFault("source", link->source, format.base,
                   lengths ? std::optional<int64_t>(lengths->source) : std::nullopt);
    if (fault.empty()) {
      fault = IndexFault("target", link->target, format.base,
                         lengths ? std::optional<int64_t>(lengths->target) : std::nullopt);
    }
    if (!fault.empty()) {
      return DataErrorAt(place.path, place.line, fmt::format("link \"{}\" {}", token, fault));
    }
    const auto first = static_cast<int64_t>(format.base);
    links.push_back({link->source - first, link->target - first, link->possible});
  }
  return SortedLinks(std::move(links));
}

absl::StatusOr<std::vector<Links>> ReadLinks(const std::filesystem::path& path, LinkFormat format) {
  return ReadLinesOfLinks(path, format, /*lengths=*/nullptr);
}

absl::StatusOr<std::vector<Links>> ReadLinks(const std::filesystem::path& path, LinkFormat format,
                                             const std::vector<LinkLengths>& lengths) {
  return ReadLinesOfLinks(path, format, &lengths);
}

std::string FormatLinks(const Links& links, LinkBase base) {
  const auto first = static_cast<int64_t>(base);
  std::string line;
  for (const Link& link : SortedLinks(links)) {
    line += fmt::format("{}{}{}{}", line.empty() ? "" : " ", link.source + first,
                        link.possible ? 'p' : '-', link.target + first);
  }
  return line;
}

Links SortedLinks(Links links) {
  std::sort(links.begin(), links.end());  // of two with the same words the sure one comes first
  const auto same_words = [](const Link& a, const Link& b) {
    return a.source == b.source && a.target == b.target;
  };
  links.erase(std::unique(links.begin(), links.end(), same_words), links.end());
  return links;
}

Links Reversed(Links links) {
  for (Link& link : links) std::swap(link.source, link.target);
  return SortedLinks(std::move(links));
}

WordCoverage CoverageOf(const Links& links, int64_t source_words) {
  std::vector<std::vector<int64_t>> targets(static_cast<size_t>(source_words));
  for (const Link& link : links) targets[static_cast<size_t>(link.source)].push_back(link.target);
  WordCoverage coverage;
  for (int64_t s = 0; s < source_words; ++s) {
    auto& found = targets[static_cast<size_t>(s)];
    std::sort(found.begin(), found.end());
    if (found.empty()) coverage.unattended.push_back(s);
    // Neighbours are one part: a compound or an article with its noun.
    for (size_t i = 1; i < found.size(); ++i) {
      if (found[i] > found[i - 1] + 1) {
        coverage.repeated.push_back(s);
        break;
      }
    }
  }
  return coverage;
}

}  // namespace nmt
