// Training with products in bf16 learns what training in fp32 learns.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/training/trainer.h"

namespace nmt {
namespace {

// Sentences of random words, to be said backwards.
Batch ReversalBatch(int64_t seed) {
  torch::manual_seed(static_cast<uint64_t>(seed));
  std::vector<Ids> sources, targets;
  for (int i = 0; i < 24; ++i) {
    const auto length = torch::randint(2, 7, {1}, torch::kInt64).item<int64_t>();
    const Tensor words = torch::randint(4, 24, {length}, torch::kInt64);
    const auto* data = words.const_data_ptr<int64_t>();
    sources.emplace_back(data, data + length);
    targets.emplace_back(sources.back().rbegin(), sources.back().rend());
  }
  return MakeBatch(sources, targets);
}

// Losses a token, means over 20 updates each.
std::vector<double> LossCurve(ModelType type, Precision precision, uint64_t dropout_seed) {
  ModelOptions options{.type = type, .embedding_size = 32, .hidden_size = 32};
  options.encoder_layers = options.decoder_layers = 1;
  options.feed_forward_size = 64;
  auto model = MakeModel(options, {24, 24}, /*seed=*/1);
  Adam adam(*model, {});
  std::vector<double> curve;
  for (int64_t update = 1; update <= 200; ++update) {
    const UpdateResult result = TrainingStep(*model, adam, {ReversalBatch(update)},
                                             {.learning_rate = 5e-3,
                                              .label_smoothing = 0.1,
                                              .clip_norm = 1,
                                              .precision = precision,
                                              .seed = dropout_seed,
                                              .update = update});
    EXPECT_FALSE(result.skipped);
    if (update % 20 == 1) curve.push_back(0);
    curve.back() += result.loss / static_cast<double>(result.target_tokens) / 20;
  }
  for (const auto& parameter : model->named_parameters())
    EXPECT_EQ(parameter.value().scalar_type(), torch::kFloat32) << parameter.key();
  return curve;
}

class Bf16 : public testing::TestWithParam<ModelType> {};

TEST_P(Bf16, LearnsAlongTheCurveOfFp32WithinTheNoiseOfDropout) {
  at::set_num_threads(1);
  const std::vector<double> fp32 = LossCurve(GetParam(), Precision::kFp32, 1),
                            other_dropout = LossCurve(GetParam(), Precision::kFp32, 2),
                            bf16 = LossCurve(GetParam(), Precision::kBf16, 1);
  EXPECT_NE(bf16, fp32);
  EXPECT_LT(fp32.back(), .7 * fp32.front());  // there is a curve to follow
  for (size_t i = 0; i < fp32.size(); ++i) {
    // What other dropout masks change, and 3 % for where the curves cross by chance.
    const double noise = std::abs(other_dropout[i] - fp32[i]) + .03 * fp32[i];
    EXPECT_NEAR(bf16[i], fp32[i], noise) << "updates " << 20 * i + 1 << " to " << 20 * (i + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(, Bf16, testing::Values(ModelType::kGru, ModelType::kTransformer),
                         [](const auto& info) { return std::string(EnumName(info.param)); });

}  // namespace
}  // namespace nmt
