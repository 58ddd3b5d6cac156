// The formulas of nmt/models/multiply_adds.h against the products that the models really make, which the
// lab counts.
#include "nmt/models/multiply_adds.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/lab/cost.h"

namespace nmt {
namespace {

constexpr int64_t kSource = 7, kTarget = 5;
constexpr VocabularySizes kSizes{.source = 23, .target = 29};

ModelOptions SmallOptions(ModelType type) {
  ModelOptions options;
  options.type = type;
  options.embedding_size = type == ModelType::kGru ? 10 : 12;
  options.hidden_size = 12;
  options.encoder_layers = 2;
  options.decoder_layers = type == ModelType::kGru ? 1 : 3;
  options.heads = 3;
  options.feed_forward_size = 20;
  options.tie_embeddings = TieEmbeddings::kNone;
  return options;
}

SourceBatch OneSource() {
  return {torch::full({1, kSource}, 9, torch::kInt64), torch::full({1}, kSource, torch::kInt64)};
}

int64_t Counted(const std::function<void()>& work) {
  const torch::NoGradGuard no_grad;
  return MeasureCost(work, torch::kCPU, /*seconds=*/0).multiply_adds;
}

// Plain operations, whose products the counter sees: with weights asked for, attention is not one kernel.
int64_t CountTransformer(const ModelOptions& options) {
  const auto model = MakeModel(options, kSizes, /*seed=*/1);
  Batch batch{.source = OneSource()};
  batch.target_input_BT = torch::full({1, kTarget}, 8, torch::kInt64);
  return Counted([&] {
    model->Logits(model->Forward(batch, {.attention = true, .self_attention = true}).hidden_BTD);
  });
}

// Step by step, for the same reason.
int64_t CountGru(const ModelOptions& options) {
  const auto model = MakeModel(options, kSizes, /*seed=*/1);
  return Counted([&] {
    DecoderState state = model->Start(model->Encode(OneSource()), /*beam_size=*/1);
    for (int64_t t = 0; t < kTarget; ++t) {
      model->Logits(model->Step(torch::full({1}, 8, torch::kInt64), state).hidden_RD);
    }
  });
}

TEST(MultiplyAddsTest, OfATransformerAreThoseOfItsProducts) {
  for (const AttentionScore score :
       {AttentionScore::kDefault, AttentionScore::kAdditive, AttentionScore::kGeneral}) {
    ModelOptions options = SmallOptions(ModelType::kTransformer);
    options.attention = score;
    EXPECT_EQ(MultiplyAdds(options, kSizes, kSource, kTarget), CountTransformer(options))
        << EnumName(score);
  }
}

TEST(MultiplyAddsTest, OfAGruAreThoseOfItsProducts) {
  for (const GruDecoder decoder : {GruDecoder::kConditional, GruDecoder::kBahdanau}) {
    for (const AttentionScore score :
         {AttentionScore::kDefault, AttentionScore::kDot, AttentionScore::kGeneral}) {
      ModelOptions options = SmallOptions(ModelType::kGru);
      options.attention = score;
      options.decoder = decoder;
      options.readout = decoder == GruDecoder::kBahdanau ? Readout::kMaxout : Readout::kTanh;
      options.encoder_hidden_size = 8;
      options.attention_size = 6;
      options.readout_size = 14;
      EXPECT_EQ(MultiplyAdds(options, kSizes, kSource, kTarget), CountGru(options))
          << EnumName(decoder) << ", " << EnumName(score);
    }
  }
}

}  // namespace
}  // namespace nmt
