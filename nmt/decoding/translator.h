// Raw text in, raw text out: tokenise, search in batches of similar length, detokenise, in the
// order of the lines.
//
//   const Translator translator({&trained}, FromConfig(trained.options.translation));
//   auto out = translator.Translate({"A small house."}, {.warn = Warn});
//   std::puts(out[0].texts[0].c_str());
#ifndef NMT_DECODING_TRANSLATOR_H_
#define NMT_DECODING_TRANSLATOR_H_

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "nmt/checkpoint/run_directory.h"
#include "nmt/decoding/search.h"

namespace nmt {

struct Translation {
  Ids source_ids;                      // empty for a blank line, which has no hypotheses
  std::vector<Hypothesis> hypotheses;  // best first, no two of the same text
  std::vector<std::string> texts;      // of the hypotheses
  bool is_cut = false;                 // the line was longer than max_source_length
  bool is_ill_formed = false;          // the line was not valid UTF-8
};

struct TranslatorOptions {
  SearchOptions search;
  int64_t batch_size = 64;          // sentences searched together
  int64_t max_source_length = 512;  // pieces with </s>; longer lines are cut there
  InferencePrecision precision = InferencePrecision::kFp32;  // see MakeInference
};

// What the config says.
TranslatorOptions FromConfig(const TranslationOptions& options);

// What goes with some lines.
struct TranslateCall {
  int64_t first_line = 1;  // the number of the first one
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // of each line cut
  std::function<void(int64_t)> progress = [](int64_t) {};  // with the number of sentences
                                                           // done; from any thread, one at a time
  // Empty, or for each line the words that its translation begins with.
  std::vector<std::string> prefixes = {};
};

class Translator {
 public:
  // The models, which must outlive the translator, form an ensemble: CheckEnsemble. Their weights
  // must not change while it lives.
  Translator(const std::vector<const TrainedModel*>& models, const TranslatorOptions& options);

  // One translation a line. Batches are shared among the threads of the machine.
  std::vector<Translation> Translate(const std::vector<std::string>& lines,
                                     const TranslateCall& call) const;

 private:
  const std::vector<const TrainedModel*> models_;
  TranslatorOptions options_;
  int64_t longest_target_ =
      std::numeric_limits<int64_t>::max();  // pieces that every model can count
  std::vector<std::unique_ptr<Inference>> inferences_;
  Ensemble ensemble_;
};

// Models can translate together when they write the same target vocabulary.
absl::Status CheckEnsemble(const std::vector<const TrainedModel*>& models);

// Indices of `lengths` in batches of at most `batch_size` of similar length, longest first; those
// of length 0 are left out. Of lengths above 100 a batch has at most 100 x batch_size pieces in all, or one
// sentence.
std::vector<std::vector<size_t>> BatchesByLength(const std::vector<size_t>& lengths,
                                                 int64_t batch_size);

}  // namespace nmt

#endif  // NMT_DECODING_TRANSLATOR_H_
