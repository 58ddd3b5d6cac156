// Both translators and the GRU cell against PyTorch: logits, attention, loss and every gradient.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/models/gru/gru_cell.h"
#include "nmt/models/loss.h"
#include "tests/golden_models.h"

namespace nmt {
namespace {

class CellGolden : public testing::TestWithParam<torch::ScalarType> {};

TEST_P(CellGolden, AStepAndItsGradientsEqualPyTorchs) {
  const Golden golden("gru_cell");
  const auto leaf = [&](const std::string& name) {
    return golden[name].to(GetParam()).detach().clone().requires_grad_();
  };
  const Tensor input = leaf("input_BI"), hidden = leaf("hidden_BH");
  GruCell cell(input.size(1), hidden.size(1));
  cell.to(GetParam());
  SetParameters(cell, golden, "parameter.");
  const Tensor next_BH = cell.Forward(cell.InputGates(input), hidden);
  ExpectGolden(next_BH, golden, "next_BH");
  (next_BH * golden["direction_BH"].to(GetParam())).sum().backward();
  ExpectGolden(input.grad(), golden, "gradient.input_BI");
  ExpectGolden(hidden.grad(), golden, "gradient.hidden_BH");
  for (const auto& parameter : cell.named_parameters()) {
    ExpectGolden(parameter.value().grad(), golden, "gradient." + parameter.key());
  }
}

INSTANTIATE_TEST_SUITE_P(, CellGolden, GoldenDtypes(),
                         [](const auto& info) { return DtypeName(info.param); });

class ModelGolden : public testing::TestWithParam<GoldenCase> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

TEST_P(ModelGolden, LogitsAttentionLossAndEveryGradientEqualPyTorchs) {
  const auto& [name, dtype] = GetParam();
  const auto [golden, options, model, batches] = LoadGoldenModel(name, dtype);
  const Batch& batch = batches[0];
  const DecoderOutput output = model->Forward(batch, {.attention = true});
  ExpectGolden(output.attention_BLHTS, golden, "attention_BLHTS");
  ExpectGolden(model->Logits(output.hidden_BTD), golden, "logits_BTV");
  const Tensor loss =
      BatchLoss(*model, batch, {.smoothing = options.training.label_smoothing}).loss /
      static_cast<double>(batch.target_tokens);
  ExpectGolden(loss, golden, "loss");
  loss.backward();
  double largest = 0;
  for (const auto& parameter : model->named_parameters()) {
    largest = std::max(largest, golden["gradient." + parameter.key()].abs().max().item<double>());
  }
  for (const auto& parameter : model->named_parameters()) {
    if (HasNoGradient(options.model, parameter.key())) {
      ExpectNearlyZero(parameter.value().grad(), largest, parameter.key());
    } else {
      ExpectGolden(parameter.value().grad(), golden, "gradient." + parameter.key());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, ModelGolden, GoldenCases(), GoldenCaseName);

}  // namespace
}  // namespace nmt
