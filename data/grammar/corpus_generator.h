#ifndef NMT_DATA_GRAMMAR_CORPUS_GENERATOR_H_
#define NMT_DATA_GRAMMAR_CORPUS_GENERATOR_H_

#include <cstdint>
#include <string>
#include <vector>

namespace nmt::grammar {

// An English sentence, its German translation and their word links in Pharaoh form: "0-1" is a
// sure link from the first source word to the second target word, "0p1" a possible one.  Words are
// the white-space separated pieces of the lines, so "house." is one word.
struct SentencePair {
  std::string source;
  std::string target;
  std::string links;
};

struct Corpus {
  std::vector<SentencePair> train;
  std::vector<SentencePair> valid;
  // The kinds of sentences, and the pairs of words in them, that training shows.
  std::vector<SentencePair> test_seen;
  // Each has a (verb, object) or (adjective, noun) pair that training never shows; the last three
  // tenths are also longer than every training sentence, on both sides.
  std::vector<SentencePair> test_unseen;
};

struct CorpusSizes {
  int train = 24000;
  int valid = 1000;
  int test_seen = 500;
  int test_unseen = 500;
};

// Derives a corpus from a synchronous grammar of English and German.  The same seed and sizes give
// the same bytes on every machine.  No source line and no target line occurs twice.  A part stays
// short only if training is too small to show the words that the part needs.
//
// How it works, in reading order: lexicon.h holds the words; tree.h holds the meaning of a sentence
// in neither language; sentence_sampler.h draws such trees, clause_sampler.h and noun_sampler.h
// their parts; english.h and german.h read a sentence each off the same tree; words.h finds the
// links, by tags that say which part of the tree a word expresses.
Corpus Generate(uint64_t seed, const CorpusSizes& sizes);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_CORPUS_GENERATOR_H_
