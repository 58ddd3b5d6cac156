// From weights between words to links. Every convention here moves the alignment error rate, so each is
// named beside the number (ToString()).
//
//   const AlignmentChoice choice{.attention = {.layer = 2, .head = 0}, .threshold = 0.5};
//   const Links links = ExtractLinks(words, choice);
#ifndef NMT_ALIGNMENT_EXTRACTION_H_
#define NMT_ALIGNMENT_EXTRACTION_H_

#include <string>

#include "nmt/alignment/attention_record.h"
#include "nmt/corpus/links.h"

namespace nmt {

// What becomes of a target word that looks at the source's </s> more than at any word: its links are
// those of the words alone, or it has none.
enum class EndOfSource { kMask, kDrop };
NMT_ENUM_NAMES(EndOfSource, {{EndOfSource::kMask, "mask"}, {EndOfSource::kDrop, "drop"}});

struct AlignmentChoice {
  AttentionChoice attention;
  // Of a target word's row, a source word is linked when its weight is at least this share of the
  // largest; 1 links the largest alone, 0 is off.
  double threshold = 1;
  // A source word is linked to the target word that gives it the largest weight, when that is at least
  // this (two words to a compound, an article whose noun draws the look); 0 is off.
  double per_source = 0;
  EndOfSource end = EndOfSource::kMask;
  // Punctuation that ends both sentences is linked to each other and to nothing else.
  bool final_punctuation = false;

  // "layer 2, head 1, shift 0, threshold 0.5, per source 0.2" (layers and heads from 1)
  std::string ToString() const;
  // The same without layer and head.
  std::string Conventions() const;
};

// The weight of </s> makes no link. `both_end_in_punctuation`: of the two last words.
Links ExtractLinks(const SoftMatrix& weights_TS, const AlignmentChoice& choice,
                   bool both_end_in_punctuation = false);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_EXTRACTION_H_
