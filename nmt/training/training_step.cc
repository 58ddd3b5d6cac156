#include "nmt/training/training_step.h"

#include <torch/torch.h>

#include <cmath>

#include "nmt/attention/precision.h"
#include "nmt/corpus/draws.h"
#include "nmt/text/tokenizer.h"

namespace nmt {

Batch DropWords(const Batch& batch, double rate, DropoutStream* stream) {
  if (rate == 0) return batch;
  const auto drop = [&](const Tensor& ids) {
    const Tensor like = torch::ones(ids.sizes(), torch::TensorOptions().device(ids.device()));
    const Tensor kept = DropoutMask(like, rate, stream->NextKey()).ne(0);
    return torch::where(kept.logical_or(ids <= kEndId), ids, kUnknownId);
  };
  Batch dropped = batch;
  dropped.source.ids_BS = drop(batch.source.ids_BS);
  dropped.target_input_BT = drop(batch.target_input_BT);
  return dropped;
}

GuidedAttention Guide(const Options& options) {
  const GuidedAlignmentOptions& guided = options.training.alignment;
  if (options.model.type == ModelType::kGru) return {};
  const int64_t layer =
      guided.layer > 0 ? guided.layer : std::max<int64_t>(1, options.model.decoder_layers - 1);
  return {.layer = layer - 1, .head = guided.head - 1};
}

Batch EmptyBatch(torch::Device device) { return MakeBatch({{}}, {{}}).To(device); }

namespace {

// Of one process that has the first batch, as of the only one, the seed itself.
uint64_t SeedOfPlace(uint64_t seed, int64_t place) {
  return place == 0 ? seed : MixSeed({seed, kDrawDropout, static_cast<uint64_t>(place)});
}

}  // namespace

UpdateResult TrainingStep(Seq2Seq& model, Adam& adam, const std::vector<Batch>& batches,
                          const StepOptions& options) {
  Workers alone;
  Workers& workers = options.workers != nullptr ? *options.workers : alone;
  UpdateResult result;
  int64_t own_tokens = 0;
  for (const Batch& batch : batches) own_tokens += batch.target_tokens;
  const auto all_tokens = workers.SumLater(static_cast<double>(own_tokens));
  // A worker without a batch, at the end of an epoch, takes part with a gradient of 0.
  const bool is_idle = batches.empty();
  const std::vector<Batch> own = is_idle ? std::vector{EmptyBatch(model.device())} : batches;
  const auto update = static_cast<uint64_t>(options.update);
  adam.ZeroGradients();
  for (size_t i = 0; i < own.size(); ++i) {
    const Batch& batch = own[i];
    const uint64_t seed =
        SeedOfPlace(options.seed, static_cast<int64_t>(i) * workers.size() + workers.rank());
    DropoutStream dropout(seed, update);
    DropoutStream words(MixSeed({seed, kDrawUnknownWords}), update);
    const LossOutput output = [&] {
      const PrecisionScope scope(options.precision, model.device());
      LossOptions loss_options{
          .smoothing = options.label_smoothing, .dropout = &dropout, .r_drop = options.r_drop};
      if (options.guided_alignment > 0) loss_options.guide = options.guide;
      return BatchLoss(model, DropWords(batch, options.word_dropout, &words), loss_options);
    }();
    Tensor loss = output.loss;
    if (output.guided.defined()) {
      loss = loss + options.guided_alignment * output.guided;
      result.guided_loss += output.guided.item<double>();
      result.guided_pieces += batch.links_BTS.sum(2).gt(0).sum().item<int64_t>();
    }
    if (i + 1 == own.size()) workers.ExpectBackward();
    const double tokens = all_tokens();
    (is_idle ? loss * 0 : loss / tokens).backward();
    if (!is_idle) result.loss += output.loss.item<double>();
  }
  const std::vector<double> sums =
      workers.Sum({result.loss, result.guided_loss, static_cast<double>(result.guided_pieces)});
  result.loss = sums[0];
  result.guided_loss = sums[1];
  result.guided_pieces = static_cast<int64_t>(sums[2]);
  result.target_tokens = static_cast<int64_t>(all_tokens());
  result.gradient_norm = adam.ClipGradients(options.clip_norm);
  result.skipped =
      !std::isfinite(result.loss + result.guided_loss) || !std::isfinite(result.gradient_norm);
  if (result.skipped) return result;
  if (options.measure) {
    result.update_ratio = adam.MeasuredStep(options.learning_rate);
  } else {
    adam.Step(options.learning_rate);
  }
  return result;
}

}  // namespace nmt
