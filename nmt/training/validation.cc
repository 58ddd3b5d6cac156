#include "nmt/training/validation.h"

#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <numeric>

#include "nmt/alignment/soft_measures.h"
#include "nmt/corpus/batch_order.h"
#include "nmt/decoding/translator.h"
#include "nmt/metrics/bleu.h"
#include "nmt/models/loss.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

Ids Cut(Ids ids, int64_t longest) {
  if (static_cast<int64_t>(ids.size()) > longest) ids.resize(static_cast<size_t>(longest));
  return ids;
}

void MeasureLoss(const TrainedModel& trained, const ParallelCorpus& corpus, int64_t batch_tokens,
                 Workers& workers, ValidationResult& result) {
  torch::NoGradGuard no_grad;
  Seq2Seq& model = *trained.model;
  const int64_t longest = trained.longest_source() - 1;
  std::vector<Ids> sources, targets;
  Ids source_lengths, target_lengths;
  for (size_t i = 0; i < corpus.source.size(); ++i) {
    sources.push_back(Cut(trained.tokenizers.source.Encode(corpus.source[i]), longest));
    targets.push_back(Cut(trained.tokenizers.target.Encode(corpus.target[i]), longest));
    source_lengths.push_back(static_cast<int64_t>(sources.back().size()));
    target_lengths.push_back(static_cast<int64_t>(targets.back().size()));
  }
  const auto batches = LengthOrder(source_lengths, target_lengths, batch_tokens);
  // A value a batch, 0 for other workers': their sum over the workers is exact.
  std::vector<double> losses(batches.size()), correct(batches.size()), tokens(batches.size());
  for (size_t i = 0; i < batches.size(); ++i) {
    if (!workers.IsOwn(static_cast<int64_t>(i))) continue;
    std::vector<Ids> batch_sources, batch_targets;
    for (const int64_t row : batches[i]) {
      batch_sources.push_back(sources[static_cast<size_t>(row)]);
      batch_targets.push_back(targets[static_cast<size_t>(row)]);
    }
    const Batch batch = MakeBatch(batch_sources, batch_targets).To(model.device());
    const LossOutput output = BatchLoss(model, batch, {});
    losses[i] = output.negative_log_likelihood.item<double>();
    correct[i] = output.correct.item<double>();
    tokens[i] = static_cast<double>(batch.target_tokens);
  }
  const auto total = [&](const std::vector<double>& values) {
    const std::vector<double> all = workers.Sum(values);
    return std::accumulate(all.begin(), all.end(), 0.0);
  };
  const double all_tokens = total(tokens);
  result.loss = total(losses) / all_tokens;
  result.perplexity = std::exp(result.loss);
  result.accuracy = total(correct) / all_tokens;
}

// A translation a line, each made by one of the workers.
std::vector<std::string> TranslateTogether(const Translator& translator,
                                           const std::vector<std::string>& lines,
                                           Workers& workers) {
  std::vector<std::string> own;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (workers.IsOwn(static_cast<int64_t>(i))) own.push_back(lines[i]);
  }
  std::string text;
  for (const Translation& translation : translator.Translate(own, {}))
    text += (translation.texts.empty() ? "" : translation.texts[0]) + "\n";
  std::vector<std::vector<std::string>> parts;
  for (const std::string& part : workers.Gather(text)) parts.push_back(SplitLines(part));
  std::vector<std::string> translations;
  for (size_t i = 0; i < lines.size(); ++i)
    translations.push_back(parts[i % parts.size()][i / parts.size()]);
  return translations;
}

}  // namespace

absl::StatusOr<ValidationResult> Validate(const TrainedModel& model, const ParallelCorpus& corpus,
                                          int64_t batch_tokens, Workers& workers) {
  const auto begin = std::chrono::steady_clock::now();
  ValidationResult result;
  MeasureLoss(model, corpus, batch_tokens, workers, result);
  const TranslationOptions& options = model.options.translation;
  TranslatorOptions greedy = FromConfig(options);
  greedy.search.beam_size = 1;
  result.translations = TranslateTogether(Translator({&model}, greedy), corpus.source, workers);
  NMT_ASSIGN_OR_RETURN(const BleuScore bleu,
                       CorpusBleu(result.translations, corpus.target, OptionsFor(corpus.target)));
  result.bleu = bleu.score;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

absl::StatusOr<AlignmentResult> MeasureAlignment(const TrainedModel& model,
                                                 const ParallelCorpus& corpus,
                                                 const std::vector<Links>& gold) {
  constexpr size_t kPairs = 500;
  const auto pairs = static_cast<int64_t>(std::min(kPairs, corpus.source.size()));
  const std::vector<AlignedPair> encoded =
      EncodePairs(model, {corpus.source.begin(), corpus.source.begin() + pairs},
                  {corpus.target.begin(), corpus.target.begin() + pairs});
  AlignmentResult result;
  if (gold.empty()) {
    result.choice.attention = {.layer = model.model->attention_layers() - 1,
                               .head = model.model->attention_heads() > 1 ? kAverage : 0};
  } else {
    NMT_ASSIGN_OR_RETURN(const SelectedAlignment selected,
                         SelectByGold(model, encoded, {gold.begin(), gold.begin() + pairs},
                                      /*argmax_only=*/true));
    result.choice = selected.choice;
    result.aer = selected.value;
  }
  WordSum entropy;
  AttendInParts(model, encoded, result.choice.attention.value_norms,
                [&](const CorpusAttention& part, size_t) {
                  for (size_t i = 0; i < part.pairs.size(); ++i)
                    entropy += RowEntropy(WordsOf(part, i, result.choice.attention));
                });
  result.entropy = entropy.Mean().value_or(0);
  return result;
}

}  // namespace nmt
