// How nmt translate prints: plain lines, n-best lists, JSON lines; with or without alignments.
#ifndef NMT_COMMANDS_TRANSLATION_OUTPUT_H_
#define NMT_COMMANDS_TRANSLATION_OUTPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "nmt/alignment/selection.h"
#include "nmt/decoding/translator.h"

namespace nmt {

enum class AlignmentFormat { kNone, kHard, kSoft, kCoverage };

struct OutputFormat {
  bool n_best = false;
  bool jsonl = false;
  AlignmentFormat alignment = AlignmentFormat::kNone;
};

// What a translation's attention says of its words, indices from 0.
struct WordCoverage {
  std::vector<int64_t>
      unattended;                 // source words that no target word is linked to: perhaps left out
  std::vector<int64_t> repeated;  // source words that two parts of the translation are linked to
};
WordCoverage CoverageOf(const Links& links, int64_t source_words);

// The lines for one translation, each with its LF:
//   plain    text
//   n-best   number ||| text ||| score         numbers count from 0, as Moses and Marian do
//   JSON     one object
// Alignments follow after " ||| " or stand in the object. `attention` holds a pair a hypothesis, those of
// this translation from `first_pair` on; it is not read where none is asked for.
std::string FormatTranslation(const OutputFormat& format, int64_t number, const std::string& line,
                              const Translation& translation, const CorpusAttention& attention,
                              size_t first_pair, const AlignmentChoice& choice);

}  // namespace nmt

#endif  // NMT_COMMANDS_TRANSLATION_OUTPUT_H_
