#ifndef NMT_DATA_GRAMMAR_WORDS_H_
#define NMT_DATA_GRAMMAR_WORDS_H_

#include <string>
#include <vector>

namespace nmt::grammar {

// A word of either language, with the tags that say which part of the meaning it expresses.
//
// Both languages are read off one tree.  A word that expresses a part of a tree node carries the
// tag of that part, and two words of different languages are linked exactly when they share a tag.
// The word order of either side never matters to the links, so they stay right however far apart
// a rule puts the words.
struct Word {
  std::string text;
  std::vector<int> sure;
  std::vector<int> possible;  // a share in a part that another word expresses better
};

using Words = std::vector<Word>;

// The parts of one tree node.
enum class Part {
  kHead = 0,    // the noun, the name, the pronoun or the verb
  kDeterminer,  // article, possessive or quantifier
  kAdjective,
  kNumber,
  kAuxiliary,  // auxiliary of the perfect
  kModal,
  kNegation,
  kPreposition,
  kLike,  // "likes to" and "gern"
  kConjunction,
  kThan,
  kInfinitive,  // "to" and "zu"
  kPlease,
  kPhrase = 16,  // the first link of a fixed phrase; the others follow
};

int Tag(int node, Part part, int offset = 0);

// "," is a word of its own until the sentence is written out.
Word Comma();

void Append(Words* words, const Words& more);

// Writes a sentence: commas join the word before them and double or final ones vanish; the first
// letter becomes a capital.
std::string Render(const Words& words, char final_mark);

// The links in Pharaoh form over the white-space words of the two rendered sentences.
std::string Links(const Words& source, const Words& target);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_WORDS_H_
