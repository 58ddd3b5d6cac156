#include "data/grammar/phrase_words.h"

#include <sstream>

namespace nmt::grammar {

Words TaggedWords(const std::string& text, const std::vector<int>& sure,
                  const std::vector<int>& possible) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(Word{word, sure, possible});
  return words;
}

Words PhraseWords(const Phrase& phrase, int id, Side side, const Phrase& number) {
  const bool english = side == Side::kEnglish;
  Words words = TaggedWords(english ? phrase.en : phrase.de, {}, {});
  for (Word& word : words) {
    if (word.text == "#") word.text = english ? number.en : number.de;
  }
  // Each link of the entry gets a tag, which it puts on its word of this side.
  std::istringstream links(phrase.links);
  int count = 0;
  size_t source = 0;
  size_t target = 0;
  for (char kind = 0; links >> source >> kind >> target; ++count) {
    Word& word = words[english ? source : target];
    const int tag = Tag(id, Part::kPhrase, count);
    (kind == '-' ? word.sure : word.possible).push_back(tag);
  }
  return words;
}

}  // namespace nmt::grammar
