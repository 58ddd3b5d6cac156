#include "nmt/models/inference.h"

#include <torch/torch.h>

#include <algorithm>

#include "nmt/models/gru/gru_inference.h"
#include "nmt/models/transformer/transformer_inference.h"

namespace nmt {
namespace {

class PlainStepDecoder : public StepDecoder {
 public:
  PlainStepDecoder(Seq2Seq& model, const SourceBatch& source, const StartOptions& options)
      : model_(model),
        attention_(options.attention),
        state_(model.Start(model.Encode(source.To(model.device())), options.beam_size)) {}

  StepOutput Step(const Ids& tokens_R) override {
    return model_.Step(OnDevice(tokens_R), state_, attention_);
  }

  void Reorder(const Ids& rows_R, const Ids& sentences_N) override {
    const bool all_stay = static_cast<int64_t>(sentences_N.size()) == state_.mask_N11S.size(0);
    model_.Reorder(state_, OnDevice(rows_R), all_stay ? Tensor() : OnDevice(sentences_N));
  }

 private:
  Tensor OnDevice(const Ids& ids) const {
    return torch::tensor(ids, torch::kInt64).to(model_.device());
  }

  Seq2Seq& model_;
  const bool attention_;
  DecoderState state_;
};

class PlainInference : public Inference {
 public:
  explicit PlainInference(std::shared_ptr<Seq2Seq> model)
      : Inference(std::move(model), InferencePrecision::kFp32) {}

  std::unique_ptr<StepDecoder> Start(const SourceBatch& source,
                                     const StartOptions& options) const override {
    return std::make_unique<PlainStepDecoder>(*model_, source, options);
  }
};

}  // namespace

std::unique_ptr<Inference> MakePlainInference(std::shared_ptr<Seq2Seq> model) {
  return std::make_unique<PlainInference>(std::move(model));
}

bool CanChoosePrecision(const Seq2Seq& model) {
  const Tensor weight = model.OutputWeight_VD();
  if (!weight.device().is_cpu() || weight.scalar_type() != torch::kFloat32 ||
      !HasPanelInstructions())
    return false;
  const auto* transformer = dynamic_cast<const TransformerModel*>(&model);
  const auto* gru = dynamic_cast<const GruModel*>(&model);
  return (transformer && TransformerInference::Takes(transformer->options())) ||
         (gru && GruInference::Takes(gru->options()));
}

std::unique_ptr<Inference> MakeInference(std::shared_ptr<Seq2Seq> model,
                                         InferencePrecision precision) {
  if (!CanChoosePrecision(*model)) return MakePlainInference(std::move(model));
  if (const auto transformer = std::dynamic_pointer_cast<TransformerModel>(model))
    return std::make_unique<TransformerInference>(transformer, precision);
  return std::make_unique<GruInference>(std::dynamic_pointer_cast<GruModel>(model), precision);
}

}  // namespace nmt
