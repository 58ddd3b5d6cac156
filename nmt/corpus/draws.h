// Random draws of the training data, each a pure function of a seed.
#ifndef NMT_CORPUS_DRAWS_H_
#define NMT_CORPUS_DRAWS_H_

#include <utility>
#include <vector>

#include "nmt/text/splitmix64.h"

namespace nmt {

// What a seed is for: numbers drawn for one purpose tell nothing about those for another.
enum DrawPurpose : uint64_t {
  kDrawOrder = 1,
  kDrawSourcePieces = 2,
  kDrawTargetPieces = 3,
  kDrawChunks = 4,
  kDrawPairs = 5,
  kDrawTokenizerText = 6,
  kDrawUnknownWords = 7,
  kDrawDropout = 8,
};

// Fisher and Yates; std::shuffle differs between standard libraries.
template <typename T>
void Shuffle(std::vector<T>* values, SplitMix64* random) {
  for (size_t i = values->size(); i > 1; --i) {
    std::swap((*values)[i - 1], (*values)[random->Below(i)]);
  }
}

}  // namespace nmt

#endif  // NMT_CORPUS_DRAWS_H_
