#include "commands/score_by_model.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/corpus/parallel_corpus.h"
#include "nmt/decoding/forced.h"
#include "nmt/decoding/translator.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

// Pairs whose pieces are in memory together.
constexpr size_t kPairsAtOnce = 4096;

// Pieces of the lines [begin, end), as many as the model can read; a line that is longer is named.
std::vector<Ids> EncodeSome(const Tokenizer& tokenizer, const std::vector<std::string>& lines,
                            size_t begin, size_t end, int64_t max_length, const std::string& path) {
  std::vector<Ids> all;
  const auto longest = static_cast<size_t>(max_length) - 1;
  for (size_t i = begin; i < end; ++i) {
    all.push_back(tokenizer.Encode(CleanLine(lines[i])));
    if (all.back().size() <= longest) continue;
    Warn(fmt::format("{}:{}: only the first {} of its {} pieces are read", path, i + 1, longest,
                     all.back().size()));
    all.back().resize(longest);
  }
  return all;
}

}  // namespace

absl::Status ScoreByModel(const ModelScoreOptions& options) {
  NMT_ASSIGN_OR_RETURN(const torch::Device device, ChooseDevice(options.device));
  if (options.threads > 0) at::set_num_threads(static_cast<int>(options.threads));
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> sources, ReadLines(options.source));
  NMT_ASSIGN_OR_RETURN(const std::vector<std::string> hypotheses, ReadLines(options.hypothesis));
  NMT_RETURN_IF_ERROR(
      CheckEqualLines(options.hypothesis, hypotheses.size(), options.source, sources.size()));
  NMT_ASSIGN_OR_RETURN(const TrainedModel trained,
                       LoadTrainedModel(options.run, options.checkpoint, device));
  // A translation may be longer than a source may: as long as a search makes it, by the run's limit or the usual one.
  const int64_t longest_source = trained.longest_source();
  const TranslatorOptions translator = FromConfig(trained.options.translation);
  const int64_t longest_target = std::min(
      trained.model->max_length(), std::max(SearchOptions().max_length.Of(longest_source),
                                            translator.search.max_length.Of(longest_source)));
  ProgressBar progress("scoring", static_cast<int64_t>(sources.size()));
  ForcedScore sum;
  for (size_t begin = 0; begin < sources.size(); begin += kPairsAtOnce) {
    const size_t end = std::min(sources.size(), begin + kPairsAtOnce);
    const auto scores = ForcedScores(
        *trained.model,
        EncodeSome(trained.tokenizers.source, sources, begin, end, longest_source, options.source),
        EncodeSome(trained.tokenizers.target, hypotheses, begin, end, longest_target,
                   options.hypothesis),
        {.batch_size = options.batch_size, .progress = [&](int64_t done) {
           progress.Update(static_cast<int64_t>(begin) + done, "pairs");
         }});
    progress.Clear();
    for (size_t i = 0; i < scores.size(); ++i) {
      const ForcedScore& score = scores[i];
      if (!std::isfinite(score.log_probability)) {
        return DataError(fmt::format("{}: the model gives {} for line {}: its weights are broken",
                                     options.run, score.log_probability, begin + i + 1));
      }
      sum.log_probability += score.log_probability;
      sum.pieces += score.pieces;
      fmt::print("{:.4f}\n", options.per_piece
                                 ? score.log_probability / static_cast<double>(score.pieces)
                                 : score.log_probability);
    }
  }
  if (std::fflush(stdout) != 0) return DataError("cannot write to the standard output");
  if (sum.pieces > 0) {
    const double mean = sum.log_probability / static_cast<double>(sum.pieces);
    fmt::print(stderr, "{} pairs, {} pieces: {:.4f} nats a piece, perplexity {:.3f}\n",
               sources.size(), sum.pieces, mean, std::exp(-mean));
  }
  return absl::OkStatus();
}

}  // namespace nmt
