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

UpdateResult TrainingStep(Seq2Seq& model, Adam& adam, const std::vector<Batch>& batches,
                          const StepOptions& options) {
  UpdateResult result;
  for (const Batch& batch : batches) result.target_tokens += batch.target_tokens;
  const auto update = static_cast<uint64_t>(options.update);
  DropoutStream dropout(options.seed, update);
  DropoutStream words(MixSeed({options.seed, kDrawUnknownWords}), update);
  adam.ZeroGradients();
  for (const Batch& batch : batches) {
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
    (loss / static_cast<double>(result.target_tokens)).backward();
    result.loss += output.loss.item<double>();
  }
  // A gradient exchange between workers has its place here.
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
