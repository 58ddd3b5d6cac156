// nmt score --model: what a trained model thinks of given translations.
#ifndef NMT_COMMANDS_SCORE_BY_MODEL_H_
#define NMT_COMMANDS_SCORE_BY_MODEL_H_

#include <cstdint>
#include <string>

#include "nmt/base/status.h"

namespace nmt {

struct ModelScoreOptions {
  std::string run, checkpoint = "best", device = "auto";
  std::string source, hypothesis;  // files
  bool per_piece = false;
  int64_t batch_size = 64, threads = 0;
};

// Prints log P(hypothesis | source) of each pair of lines, in nats, and the perplexity of all on stderr.
absl::Status ScoreByModel(const ModelScoreOptions& options);

}  // namespace nmt

#endif  // NMT_COMMANDS_SCORE_BY_MODEL_H_
