// Ten updates of both translators against PyTorch's Adam, clip_grad_norm_ and LambdaLR. Two
// batches take turns, and the last updates take both; clipping acts in some updates and not in
// others.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/training/schedule.h"
#include "nmt/training/trainer.h"
#include "tests/golden_models.h"

namespace nmt {
namespace {

class TrainingGolden : public testing::TestWithParam<GoldenCase> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

TEST_P(TrainingGolden, TheParametersAfterTenUpdatesEqualPyTorchs) {
  const auto& [name, dtype] = GetParam();
  const auto [golden, options, model, batches] = LoadGoldenModel(name, dtype);
  const TrainingOptions& training = options.training;
  const Tensor takes_UB = golden["takes_UB"];
  Adam adam(*model, training);
  std::vector<double> losses, norms, rates;
  for (int64_t u = 0; u < takes_UB.size(0); ++u) {
    std::vector<Batch> taken;
    for (size_t b = 0; b < batches.size(); ++b) {
      if (takes_UB[u][static_cast<int64_t>(b)].item<int64_t>() == 1) taken.push_back(batches[b]);
    }
    rates.push_back(LearningRate(training, /*update=*/u + 1, /*scale=*/1));
    const UpdateResult result = TrainingStep(*model, adam, taken,
                                             {.learning_rate = rates.back(),
                                              .label_smoothing = training.label_smoothing,
                                              .clip_norm = training.clip_norm,
                                              .update = u + 1});
    losses.push_back(result.loss);
    norms.push_back(result.gradient_norm);
  }
  ExpectGolden(torch::tensor(rates, torch::kFloat64), golden, "rates_U");
  ExpectGolden(torch::tensor(losses, dtype), golden, "losses_U");
  ExpectGolden(torch::tensor(norms, dtype), golden, "norms_U");
  const Tensor clipped_U = golden["norms_U"] > training.clip_norm;
  EXPECT_TRUE(clipped_U.any().item<bool>());
  EXPECT_FALSE(clipped_U.all().item<bool>());
  for (const auto& parameter : model->named_parameters()) {
    // Adam divides a gradient by its own size, so the rounding noise that is all the gradient of
    // such a bias becomes steps as large as any. In float64 the noise is too small, against Adam's
    // epsilon, to do so.
    if (dtype == torch::kFloat32 && HasNoGradient(options.model, parameter.key())) continue;
    ExpectGolden(parameter.value(), golden, "updated." + parameter.key());
  }
}

INSTANTIATE_TEST_SUITE_P(, TrainingGolden, GoldenCases(), GoldenCaseName);

}  // namespace
}  // namespace nmt
