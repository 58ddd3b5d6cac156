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
