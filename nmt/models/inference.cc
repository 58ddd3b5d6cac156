#include "nmt/models/inference.h"

#include <torch/torch.h>

#include <algorithm>

#include "nmt/models/gru/gru_inference.h"
#include "nmt/models/transformer/transformer_inference.h"

namespace nmt {
namespace {

// Seq2Seq gives every sentence beam_size rows: row r of the search is row slots_R_[r] of the model, and
// the model's other rows are copies that nobody asks for.
class PlainStepDecoder : public StepDecoder {
 public:
  PlainStepDecoder(Seq2Seq& model, const SourceBatch& source, const StartOptions& options)
      : model_(model),
        beam_size_(options.beam_size),
        attention_(options.attention),
        state_(model.Start(model.Encode(source.To(model.device())), options.beam_size)) {
    for (int64_t n = 0; n < source.lengths_B.size(0); ++n) slots_R_.push_back(n * beam_size_);
  }

  StepOutput Step(const Ids& tokens_R) override {
    Ids tokens(static_cast<size_t>(state_.mask_N11S.size(0) * beam_size_), SpecialIds::kPad);
    for (size_t row = 0; row < tokens_R.size(); ++row)
      tokens[static_cast<size_t>(slots_R_[row])] = tokens_R[row];
    const StepOutput all = model_.Step(OnDevice(tokens), state_, attention_);
    if (tokens.size() == tokens_R.size()) return all;
    const Tensor slots_R = OnDevice(slots_R_);
    return {all.hidden_RD.index_select(0, slots_R),
            attention_ ? all.attention_RS.index_select(0, slots_R) : Tensor()};
  }

  void Reorder(const Ids& rows_R) override {
    Ids slots, from, sentences;
    const auto fill_up = [&] {
      while (static_cast<int64_t>(from.size()) % beam_size_ != 0) from.push_back(from.back());
    };
    for (const int64_t row : rows_R) {
      const int64_t slot = slots_R_[static_cast<size_t>(row)];
      if (sentences.empty() || sentences.back() != slot / beam_size_) {
        fill_up();
        sentences.push_back(slot / beam_size_);
      }
      slots.push_back(static_cast<int64_t>(from.size()));
      from.push_back(slot);
    }
    fill_up();
    const bool all_stay = static_cast<int64_t>(sentences.size()) == state_.mask_N11S.size(0);
    model_.Reorder(state_, OnDevice(from), all_stay ? Tensor() : OnDevice(sentences));
    slots_R_ = std::move(slots);
  }

 private:
  Tensor OnDevice(const Ids& ids) const {
    return torch::tensor(ids, torch::kInt64).to(model_.device());
  }

  Seq2Seq& model_;
  const int64_t beam_size_;
  const bool attention_;
  DecoderState state_;
  Ids slots_R_;
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
