// Raw text in, raw text out: tokenise, search in batches of similar length, detokenise, in the
// order of the lines.
//
//   const Translator translator(trained, FromConfig(trained.options.translation));
//   auto out = translator.Translate({"A small house."}, /*first_line=*/1, Warn);
//   std::puts(out[0].texts[0].c_str());
#ifndef NMT_DECODING_TRANSLATOR_H_
#define NMT_DECODING_TRANSLATOR_H_

#include <functional>
#include <string>
#include <vector>

#include "nmt/checkpoint/run_directory.h"
#include "nmt/decoding/search.h"

namespace nmt {

struct Translation {
  Ids source_ids;                      // empty for a blank line, which has no hypotheses
  std::vector<Hypothesis> hypotheses;  // best first
  std::vector<std::string> texts;      // of the hypotheses
};

struct TranslatorOptions {
  SearchOptions search;
  int64_t batch_size = 64;          // sentences searched together
  int64_t max_source_length = 512;  // pieces with </s>; longer lines are cut there
};

// What the config says.
TranslatorOptions FromConfig(const TranslationOptions& options);

class Translator {
 public:
  // `model` must outlive the translator.
  Translator(const TrainedModel& model, const TranslatorOptions& options);

  // One translation a line. `warn` is called for each line that was cut, with its number counted
  // from `first_line`. `progress` is called with the number of sentences done.
  std::vector<Translation> Translate(const std::vector<std::string>& lines, int64_t first_line,
                                     const std::function<void(const std::string&)>& warn,
                                     const std::function<void(int64_t)>& progress = nullptr) const;

 private:
  const TrainedModel& model_;
  TranslatorOptions options_;
};

// Indices of `lengths` in batches of at most `batch_size` of similar length, longest first; those
// of length 0 are left out.
std::vector<std::vector<size_t>> BatchesByLength(const std::vector<size_t>& lengths,
                                                 int64_t batch_size);

}  // namespace nmt

#endif  // NMT_DECODING_TRANSLATOR_H_
