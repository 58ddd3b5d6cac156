// nmt align, line by line: links of one model or of two directions merged, and what is asked for beside them.
#ifndef NMT_COMMANDS_LINE_ALIGNER_H_
#define NMT_COMMANDS_LINE_ALIGNER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/pictures.h"
#include "commands/record_file.h"
#include "nmt/alignment/aer.h"
#include "nmt/alignment/soft_measures.h"
#include "nmt/alignment/word_attention.h"

namespace nmt {

// The merge of weights, beside those of links (symmetrize.h).
inline constexpr std::string_view kProduct = "product";

// A model, and the choice by which links are read off it.
struct Aligner {
  TrainedModel trained;
  AlignmentChoice choice;
};

struct AlignTexts {
  std::vector<std::string> sources, targets;  // no targets: the model translates by itself
  std::vector<Links> gold;                    // or none
};

// Some lines, each with a translation.
struct LinePairs {
  std::vector<AlignedPair> pairs;
  std::vector<std::string> targets;
};

struct LineAlignerOptions {
  std::string symmetrize = "grow-diag";  // of two directions: kProduct, or a name of symmetrize.h
  bool measures = false;                 // Conclude() prints the soft measures
  PictureOptions pictures;
};

// Aligns lines and prints what is asked for, a part of their attention in memory at a time.
class LineAligner {
 public:
  // All must outlive it. `backward`: a model of the opposite direction, whose links are merged in.
  LineAligner(const LineAlignerOptions& options, const AlignTexts& texts, const Aligner& forward,
              const std::optional<Aligner>& backward, RecordFile& record);

  // `lines`: those from line `first` on, counted from 0; `opposite`: the same for the other direction.
  absl::Status Align(const LinePairs& lines, const std::vector<AlignedPair>& opposite,
                     size_t first);

  // Scores, with the conventions they hang on, measures, and what was drawn, on stderr.
  void Conclude() const;

 private:
  struct Measures {
    WordSum entropy, coverage, gold_mass, directions;
  };
  static CorpusAttention Attend(const Aligner& aligner, const std::vector<AlignedPair>& pairs,
                                size_t begin, size_t end);
  absl::StatusOr<Links> LinksOfLine(const CorpusAttention& looks, const CorpusAttention& opposite,
                                    size_t i) const;
  absl::Status AlignLine(const CorpusAttention& looks, const CorpusAttention& opposite, size_t i,
                         size_t line, const std::string& target);
  void Measure(const CorpusAttention& looks, const CorpusAttention& opposite, size_t i,
               const Links& gold);
  void PrintScore() const;
  void PrintMeasures() const;

  const LineAlignerOptions& options_;
  const AlignTexts& texts_;
  const Aligner& forward_;
  const std::optional<Aligner>& backward_;
  RecordFile& record_;
  Pictures pictures_;
  AerCounts counts_;
  Measures measures_;
};

}  // namespace nmt

#endif  // NMT_COMMANDS_LINE_ALIGNER_H_
