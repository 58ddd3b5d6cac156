// Every module and every backward pass of nmt/models against central differences.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/attention/mask.h"
#include "nmt/models/embeddings.h"
#include "nmt/models/gru/gru_cell.h"
#include "nmt/models/gru/gru_decoder.h"
#include "nmt/models/gru/gru_encoder.h"
#include "nmt/models/gru/gru_sequence.h"
#include "nmt/models/loss.h"
#include "nmt/models/transformer/positions.h"
#include "nmt/models/transformer/transformer_layers.h"
#include "tests/gradient_check.h"

namespace nmt {
namespace {

// As small as a model can be and still have two heads.
ModelOptions Tiny(ModelType type) {
  ModelOptions options{.type = type,
                       .embedding_size = 4,
                       .hidden_size = 4,
                       .encoder_layers = 1,
                       .decoder_layers = 1,
                       .dropout = 0};
  options.heads = 2;
  options.feed_forward_size = 5;
  options.max_positions = 6;
  return options;
}

class GradientsOf : public testing::Test {
 protected:
  void SetUp() override {
    at::set_num_threads(1);
    torch::manual_seed(1);
  }
};

TEST_F(GradientsOf, GruGatesAgreeWithDifferences) {
  const Tensor input = RandomLeaf({3, 12}), recurrent = RandomLeaf({3, 12}),
               hidden = RandomLeaf({3, 4});
  ExpectGradients([&] { return GruGates(input, recurrent, hidden); },
                  {{"input", input}, {"recurrent", recurrent}, {"hidden", hidden}});
}

TEST_F(GradientsOf, GruSequenceAgreeWithDifferences) {
  const Tensor input = RandomLeaf({3, 2, 12}), weight = RandomLeaf({12, 4}),
               bias = RandomLeaf({12});
  const Tensor real = torch::tensor({1., 1., 1., 1., 1., 0.}, torch::kFloat64).view({3, 2});
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    ExpectGradients([&] { return GruSequence(input, weight, bias, real, direction); },
                    {{"input", input}, {"weight", weight}, {"bias", bias}});
  }
}

TEST_F(GradientsOf, GruDecoderSequenceAgreeWithDifferences) {
  for (const bool conditional : {false, true}) {
    DecoderSequence sequence{
        .input_gates_TB3H = RandomLeaf({3, 2, 12}),
        .initial_BH = RandomLeaf({2, 4}),
        .key_BSA = RandomLeaf({2, 3, 5}),
        .value_BSC = RandomLeaf({2, 3, 6}),
        .mask_BS = torch::tensor({true, true, true, true, false, false}).view({2, 3}),
        .query_weight_AH = RandomLeaf({5, 4}),
        .v_A = RandomLeaf({5}),
        .context_weight_3HC = RandomLeaf({12, 6}),
        .recurrent_weight_3HH = RandomLeaf({12, 4}),
        .recurrent_bias_3H = RandomLeaf({12})};
    Leaves leaves = {{"input gates", sequence.input_gates_TB3H},
                     {"initial", sequence.initial_BH},
                     {"key", sequence.key_BSA},
                     {"value", sequence.value_BSC},
                     {"query weight", sequence.query_weight_AH},
                     {"v", sequence.v_A},
                     {"context weight", sequence.context_weight_3HC},
                     {"recurrent weight", sequence.recurrent_weight_3HH},
                     {"recurrent bias", sequence.recurrent_bias_3H}};
    if (conditional) {
      sequence.context_bias_3H = RandomLeaf({12});
      sequence.first_weight_3HH = RandomLeaf({12, 4});
      sequence.first_bias_3H = RandomLeaf({12});
      leaves.insert(leaves.end(), {{"context bias", sequence.context_bias_3H},
                                   {"first weight", sequence.first_weight_3HH},
                                   {"first bias", sequence.first_bias_3H}});
    }
    ExpectGradients(
        [&] {
          const DecoderTrace trace = GruDecoderSequence(sequence);
          return torch::cat({trace.readout_TBH, trace.context_TBC}, 2);
        },
        leaves);
  }
}

TEST_F(GradientsOf, GruCellAgreeWithDifferences) {
  GruCell cell(3, 4);
  ForGradients(cell);
  const Tensor x = RandomLeaf({2, 3}), hidden = RandomLeaf({2, 4});
  ExpectGradients([&] { return cell.Forward(cell.InputGates(x), hidden); },
                  WithParameters(cell, {{"x", x}, {"hidden", hidden}}));
}

TEST_F(GradientsOf, GruEncoderAgreeWithDifferences) {
  ModelOptions options = Tiny(ModelType::kGru);
  options.encoder_layers = 2;
  options.hidden_size = 3;
  GruEncoder encoder(options);
  ForGradients(encoder);
  const Tensor x = RandomLeaf({2, 4, 4}), lengths = torch::tensor({4, 2});
  const auto leaves = WithParameters(encoder, {{"x", x}});
  ExpectGradients([&] { return encoder.Forward(x, lengths, nullptr).memory_NSD; }, leaves);
  ExpectGradients([&] { return encoder.Forward(x, lengths, nullptr).summary_ND; }, leaves);
}

TEST_F(GradientsOf, GruAttentionDecoderAgreeWithDifferencesInBothOrders) {
  for (const GruDecoder order : {GruDecoder::kConditional, GruDecoder::kBahdanau}) {
    SCOPED_TRACE(EnumName(order));
    ModelOptions options = Tiny(ModelType::kGru);
    options.decoder = order;
    options.readout = order == GruDecoder::kBahdanau ? Readout::kMaxout : Readout::kTanh;
    options.hidden_size = 3;
    options.attention_size = 5;
    GruAttentionDecoder decoder(options);
    ForGradients(decoder);
    const Tensor summary = RandomLeaf({2, 3}), memory = RandomLeaf({2, 4, 6}),
                 embedded = RandomLeaf({2, 2, 4});
    const Tensor mask = PaddingMask(torch::tensor({4, 2}), 4);
    // Two steps, so that what the first gives the second has its share.
    const auto decode = [&] {
      const GruMemory projected = decoder.ProjectMemory({memory, mask, summary});
      Tensor state_BH = decoder.InitialState(summary);
      std::vector<Tensor> readouts, weights;
      for (const Tensor& y_BE : embedded.unbind(1)) {
        const GruStep step = decoder.Forward(decoder.InputGates(y_BE), state_BH, projected);
        state_BH = step.state_RH;
        readouts.push_back(decoder.ReadOut(step.readout_RH, y_BE, step.context_RC));
        weights.push_back(step.weights_RS);
      }
      return torch::cat({torch::cat(readouts, 1), torch::cat(weights, 1), state_BH}, 1);
    };
    ExpectGradients(
        decode, WithParameters(decoder,
                               {{"summary", summary}, {"memory", memory}, {"embedded", embedded}}));
  }
}

TEST_F(GradientsOf, EmbeddingsAgreeWithDifferencesHoweverTheyAreTied) {
  const Tensor source_ids = torch::tensor({{1, 4}, {4, 0}}), target_ids = torch::tensor({2, 1, 2});
  for (const auto& [tie, name] : EnumNames<TieEmbeddings>::values) {
    SCOPED_TRACE(name);
    Embeddings embeddings(tie, /*source_vocab_size=*/5, /*target_vocab_size=*/5,
                          /*embedding_size=*/3, /*output_size=*/3);
    ForGradients(embeddings);
    ExpectGradients(
        [&] {
          // Both ends at once: a shared weight gets the sum of its gradients.
          const Tensor hidden = embeddings.Source(source_ids).flatten(0, 1).mean(0) +
                                embeddings.Target(target_ids).tanh();
          return torch::nn::functional::linear(hidden, embeddings.output_weight_VD(),
                                               embeddings.output_bias_V());
        },
        WithParameters(embeddings));
  }
}

TEST_F(GradientsOf, LearnedPositionsAgreeWithDifferences) {
  ModelOptions options = Tiny(ModelType::kTransformer);
  options.positions = Positions::kLearned;
  PositionEncoding positions(options);
  ForGradients(positions);
  ExpectGradients([&] { return positions.Forward(2, 3, torch::kFloat64).square(); },
                  WithParameters(positions));
}

TEST_F(GradientsOf, FeedForwardAgreeWithDifferencesWithBothActivations) {
  for (const Activation activation : {Activation::kRelu, Activation::kGelu}) {
    SCOPED_TRACE(EnumName(activation));
    ModelOptions options = Tiny(ModelType::kTransformer);
    options.activation = activation;
    FeedForward feed_forward(options);
    ForGradients(feed_forward);
    const Tensor x = RandomLeaf({2, 3, 4});
    ExpectGradients([&] { return feed_forward.Forward(x); },
                    WithParameters(feed_forward, {{"x", x}}));
  }
}

TEST_F(GradientsOf, ResidualAgreeWithDifferencesWithTheNormBeforeAndAfter) {
  for (const NormPosition norm : {NormPosition::kPre, NormPosition::kPost}) {
    SCOPED_TRACE(EnumName(norm));
    ModelOptions options = Tiny(ModelType::kTransformer);
    options.norm = norm;
    options.dropout = 0.3;
    Residual residual(options);
    ForGradients(residual);
    const Tensor x = RandomLeaf({2, 3, 4});
    ExpectGradients(
        [&] {
          DropoutStream stream(/*seed=*/7, /*update=*/8);
          return residual.Forward(x, &stream, [](const Tensor& y) { return y.square(); });
        },
        WithParameters(residual, {{"x", x}}));
  }
}

TEST_F(GradientsOf, TransformerEncoderLayerAgreeWithDifferences) {
  for (const NormPosition norm : {NormPosition::kPre, NormPosition::kPost}) {
    SCOPED_TRACE(EnumName(norm));
    ModelOptions options = Tiny(ModelType::kTransformer);
    options.norm = norm;
    TransformerEncoderLayer layer(options);
    ForGradients(layer);
    const Tensor x = RandomLeaf({2, 3, 4}), mask = PaddingMask(torch::tensor({3, 2}), 3);
    const auto leaves = WithParameters(layer, {{"x", x}});
    ExpectGradients([&] { return layer.Forward(x, mask, nullptr, /*attention=*/false).x_BSD; },
                    leaves);
    ExpectGradients(
        [&] { return layer.Forward(x, mask, nullptr, /*attention=*/true).attention_BHSS; }, leaves);
  }
}

TEST_F(GradientsOf, TransformerDecoderLayerAgreeWithDifferences) {
  for (const NormPosition norm : {NormPosition::kPre, NormPosition::kPost}) {
    SCOPED_TRACE(EnumName(norm));
    ModelOptions options = Tiny(ModelType::kTransformer);
    options.norm = norm;
    TransformerDecoderLayer layer(options);
    ForGradients(layer);
    const Tensor x = RandomLeaf({2, 3, 4}), memory = RandomLeaf({2, 4, 4});
    const Tensor mask = PaddingMask(torch::tensor({4, 2}), 4);
    const auto decode = [&] {
      TransformerDecoderLayer::Past past{{}, CausalMask(3, torch::kCPU)};
      return layer.Forward(x, past, {layer.ProjectMemory(memory), mask},
                           /*dropout=*/nullptr, {.attention = true});
    };
    const auto leaves = WithParameters(layer, {{"x", x}, {"memory", memory}});
    ExpectGradients([&] { return decode().x_BTD; }, leaves);
    ExpectGradients([&] { return decode().attention_BHTS; }, leaves);
  }
}

TEST_F(GradientsOf, LinearLabelSmoothedLossAgreeWithDifferences) {
  const Tensor hidden = RandomLeaf({4, 3}), weight = RandomLeaf({6, 3}), bias = RandomLeaf({6});
  const Tensor target = torch::tensor({5, 1, 3, 1});
  for (const double smoothing : {0.0, 0.1}) {
    ExpectGradients(
        [&] { return LinearLabelSmoothedLoss(hidden, weight, bias, target, smoothing).loss; },
        {{"hidden", hidden}, {"weight", weight}, {"bias", bias}});
  }
}

TEST_F(GradientsOf, TheLossOfBothModelsAgreeWithDifferences) {
  const Batch batch = MakeBatch({{4, 5, 6}, {5}}, {{6}, {4, 5}});
  for (const ModelType type : {ModelType::kGru, ModelType::kTransformer}) {
    SCOPED_TRACE(EnumName(type));
    ModelOptions options = Tiny(type);
    options.dropout = 0.2;
    auto model = MakeModel(options, {7, 7}, /*seed=*/1);
    ForGradients(*model);
    ExpectGradients(
        [&] {
          DropoutStream stream(/*seed=*/7, /*update=*/8);
          return BatchLoss(*model, batch, {.smoothing = 0.1, .dropout = &stream}).loss;
        },
        WithParameters(*model));
    // Links that guide the attention: its gradients go where the attention comes from.
    Batch linked = batch;
    linked.links_BTS = MakeLinks(batch, {{{0, 0}, {2, 0}}, {{0, 1}}}).to(torch::kFloat64);
    ExpectGradients(
        [&] {
          DropoutStream stream(/*seed=*/7, /*update=*/8);
          const GuidedAttention guide{.layer = 0, .head = type == ModelType::kGru ? 0 : 1};
          const LossOutput output =
              BatchLoss(*model, linked, {.smoothing = 0.1, .dropout = &stream, .guide = guide});
          return output.loss + 0.3 * output.guided;
        },
        WithParameters(*model));
  }
}

}  // namespace
}  // namespace nmt
