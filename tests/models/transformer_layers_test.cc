#include "nmt/models/transformer/transformer_layers.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/attention/mask.h"
#include "nmt/models/transformer/transformer_model.h"

namespace nmt {
namespace {

constexpr int64_t kModel = 8;

class TransformerLayers : public testing::TestWithParam<NormPosition> {
 protected:
  void SetUp() override { torch::manual_seed(1); }

  static ModelOptions SmallOptions() {
    ModelOptions options{.embedding_size = kModel, .hidden_size = kModel};
    options.heads = 2;
    options.feed_forward_size = 12;
    options.norm = GetParam();
    return options;
  }

  template <typename Layer>
  static std::shared_ptr<Layer> Make() {
    auto layer = std::make_shared<Layer>(SmallOptions());
    Randomize(*layer);
    return layer;
  }

  static void Randomize(torch::nn::Module& module) {
    module.to(torch::kFloat64);
    torch::NoGradGuard no_grad;
    for (Tensor& parameter : module.parameters()) parameter.normal_(0, 0.5);
  }

  static Tensor Random(torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kFloat64); }
  static bool Close(const Tensor& a, const Tensor& b) { return torch::allclose(a, b, 0, 1e-11); }

  // Row b holds its first lengths[b] words, and other numbers behind.
  static Tensor WithOtherPadding(const Tensor& x_BSD, const Tensor& lengths_B) {
    const Tensor real_BS1 =
        PaddingMask(lengths_B, x_BSD.size(1)).squeeze(1).squeeze(1).unsqueeze(2);
    return torch::where(real_BS1, x_BSD, torch::full_like(x_BSD, 7));
  }

  const Tensor lengths_ = torch::tensor({5, 2, 3});
};

TEST_P(TransformerLayers, AnEncoderLayerMovesWordsAsTheyAreMoved) {
  const auto layer = Make<TransformerEncoderLayer>();
  const Tensor x = Random({2, 5, kModel}), order = torch::tensor({3, 0, 4, 1, 2});
  EXPECT_TRUE(Close(layer->Forward(x.index_select(1, order), {}, nullptr, false).x_BSD,
                    layer->Forward(x, {}, nullptr, false).x_BSD.index_select(1, order)));
}

// Attention sees a set; only the positions tell the encoder an order.
TEST_P(TransformerLayers, OnlyPositionsTellTheEncoderTheOrderOfWords) {
  ModelOptions options = SmallOptions();
  options.positions = Positions::kLearned;
  TransformerModel model(options, {12, 12});
  Randomize(model);
  const Tensor ids = torch::tensor({{4, 5, 6, 7, 8}, {9, 10, 11, 4, 6}}),
               order = torch::tensor({3, 0, 4, 1, 2}), lengths = torch::tensor({5, 5});
  const auto encode = [&](const Tensor& source) {
    return model.Encode({source, lengths}).memory_NSD;
  };
  const auto moves = [&] {
    return Close(encode(ids.index_select(1, order)), encode(ids).index_select(1, order));
  };
  EXPECT_FALSE(moves());
  {
    torch::NoGradGuard no_grad;
    model.named_parameters()["source_positions.weight"].zero_();
  }
  EXPECT_TRUE(moves());
}

TEST_P(TransformerLayers, AnEncoderLayerGivesASentenceAloneWhatItGivesItInAPaddedBatch) {
  const auto layer = Make<TransformerEncoderLayer>();
  const Tensor x = WithOtherPadding(Random({3, 5, kModel}), lengths_);
  const Tensor together = layer->Forward(x, PaddingMask(lengths_, 5), nullptr, false).x_BSD;
  for (int64_t b = 0; b < 3; ++b) {
    const int64_t length = lengths_[b].item<int64_t>();
    const Tensor alone =
        layer->Forward(x.narrow(0, b, 1).slice(1, 0, length), {}, nullptr, false).x_BSD[0];
    EXPECT_TRUE(Close(alone, together[b].slice(0, 0, length))) << "sentence " << b;
  }
}

TEST_P(TransformerLayers, ADecoderLayerGivesASentenceAloneWhatItGivesItInAPaddedBatch) {
  const auto layer = Make<TransformerDecoderLayer>();
  const Tensor x = Random({3, 4, kModel});
  const Tensor memory = WithOtherPadding(Random({3, 5, kModel}), lengths_);
  const auto decode = [&](const Tensor& target, const Tensor& source, const Tensor& lengths) {
    TransformerDecoderLayer::Past past{{}, CausalMask(4, torch::kCPU)};
    return layer->Forward(target, past,
                          {layer->ProjectMemory(source), PaddingMask(lengths, source.size(1))},
                          /*dropout=*/nullptr, {.attention = true});
  };
  const auto together = decode(x, memory, lengths_);
  for (int64_t b = 0; b < 3; ++b) {
    const Tensor length = lengths_.narrow(0, b, 1);
    const Tensor source = memory.narrow(0, b, 1).slice(1, 0, length.item<int64_t>());
    const auto alone = decode(x.narrow(0, b, 1), source, length);
    EXPECT_TRUE(Close(alone.x_BTD[0], together.x_BTD[b])) << "sentence " << b;
    EXPECT_TRUE(Close(alone.attention_BHTS[0],
                      together.attention_BHTS[b].slice(-1, 0, length.item<int64_t>())));
  }
}

TEST_P(TransformerLayers, ADecoderLayerStepByStepEqualsTheCausalPassAtOnce) {
  const auto layer = Make<TransformerDecoderLayer>();
  const Tensor x = Random({3, 4, kModel});
  const TransformerDecoderLayer::Source source{layer->ProjectMemory(Random({3, 5, kModel})),
                                               PaddingMask(lengths_, 5)};
  TransformerDecoderLayer::Past causal{{}, CausalMask(4, torch::kCPU)}, past;
  const auto at_once = layer->Forward(x, causal, source, /*dropout=*/nullptr, {.attention = true});
  for (int64_t t = 0; t < 4; ++t) {
    const auto step =
        layer->Forward(x.narrow(1, t, 1), past, source, /*dropout=*/nullptr, {.attention = true});
    EXPECT_TRUE(Close(step.x_BTD, at_once.x_BTD.narrow(1, t, 1))) << "step " << t;
    EXPECT_TRUE(Close(step.attention_BHTS, at_once.attention_BHTS.narrow(2, t, 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(, TransformerLayers,
                         testing::Values(NormPosition::kPre, NormPosition::kPost),
                         [](const auto& info) { return std::string(EnumName(info.param)); });

}  // namespace
}  // namespace nmt
