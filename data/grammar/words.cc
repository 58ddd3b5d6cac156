#include "data/grammar/words.h"

#include <algorithm>

namespace nmt::grammar {
namespace {

constexpr int kPartsPerNode = 32;

bool Contains(const std::vector<int>& tags, int tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

bool Share(const std::vector<int>& a, const std::vector<int>& b) {
  return std::any_of(a.begin(), a.end(), [&b](int tag) { return Contains(b, tag); });
}

Words WithoutCommas(const Words& words) {
  Words kept;
  for (const Word& word : words) {
    if (word.text != ",") kept.push_back(word);
  }
  return kept;
}

void Capitalize(std::string* sentence) {
  if (sentence->empty()) return;
  char& first = (*sentence)[0];
  if (first >= 'a' && first <= 'z') {
    first = static_cast<char>(first - 'a' + 'A');
  } else if (sentence->size() > 1 && first == '\xC3') {
    // The umlauts are two bytes in UTF-8; their second bytes lie 0x20 apart in the two cases.
    char& second = (*sentence)[1];
    if (second == '\xA4' || second == '\xB6' || second == '\xBC') {
      second = static_cast<char>(second - 0x20);
    }
  }
}

}  // namespace

int Tag(int node, Part part, int offset) {
  return node * kPartsPerNode + static_cast<int>(part) + offset;
}

Word Comma() { return Word{",", {}, {}}; }

void Append(Words* words, const Words& more) {
  words->insert(words->end(), more.begin(), more.end());
}

std::string Render(const Words& words, char final_mark) {
  std::string sentence;
  bool comma = false;
  for (const Word& word : words) {
    if (word.text == ",") {
      comma = !sentence.empty();
      continue;
    }
    if (comma) sentence += ',';
    if (!sentence.empty()) sentence += ' ';
    sentence += word.text;
    comma = false;
  }
  sentence += final_mark;
  Capitalize(&sentence);
  return sentence;
}

std::string Links(const Words& source, const Words& target) {
  const Words from = WithoutCommas(source);
  const Words to = WithoutCommas(target);
  std::string links;
  for (size_t s = 0; s < from.size(); ++s) {
    for (size_t t = 0; t < to.size(); ++t) {
      char kind = 0;
      if (Share(from[s].sure, to[t].sure)) {
        kind = '-';
      } else if (Share(from[s].sure, to[t].possible) || Share(from[s].possible, to[t].sure) ||
                 Share(from[s].possible, to[t].possible)) {
        kind = 'p';
      }
      if (kind == 0) continue;
      if (!links.empty()) links += ' ';
      links += std::to_string(s) + kind + std::to_string(t);
    }
  }
  return links;
}

}  // namespace nmt::grammar
