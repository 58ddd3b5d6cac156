#include "nmt/training/training_step.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "nmt/text/tokenizer.h"

namespace nmt {
namespace {

std::shared_ptr<Seq2Seq> TinyModel(ModelType type) {
  ModelOptions options{.type = type, .embedding_size = 8, .hidden_size = 8, .decoder_layers = 1};
  options.heads = 2;
  options.dropout = 0;
  return MakeModel(options, {20, 20}, 1);
}

const std::vector<Ids> kSources = {{5, 6, 7, 8, 9, 10, 11}, {12}, {7, 7, 8}};
const std::vector<Ids> kTargets = {{4, 5, 6, 7, 8, 9}, {13}, {9, 4, 4, 15}};

Batch Pairs(size_t first, size_t count) {
  const auto part = [&](const std::vector<Ids>& all) {
    return std::vector<Ids>(all.begin() + static_cast<ptrdiff_t>(first),
                            all.begin() + static_cast<ptrdiff_t>(first + count));
  };
  return MakeBatch(part(kSources), part(kTargets));
}

class TrainingStepOf : public testing::TestWithParam<ModelType> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

// Case C23: accumulation divides by the tokens of the window, so it equals the large batch, in the
// parameters after the update too.
TEST_P(TrainingStepOf, AccumulationEqualsTheLargeBatch) {
  std::vector<std::shared_ptr<Seq2Seq>> models;
  for (const bool together : {true, false}) {
    models.push_back(TinyModel(GetParam()));
    models.back()->to(torch::kFloat64);
    Adam adam(*models.back(), {});
    const std::vector<Batch> batches =
        together ? std::vector<Batch>{Pairs(0, 3)} : std::vector<Batch>{Pairs(0, 1), Pairs(1, 2)};
    const UpdateResult result =
        TrainingStep(*models.back(), adam, batches,
                     {.learning_rate = 0.01, .label_smoothing = 0.1, .clip_norm = 1});
    EXPECT_EQ(result.target_tokens, 14);
  }
  for (const auto& parameter : models[0]->named_parameters()) {
    const torch::Tensor other = models[1]->named_parameters()[parameter.key()];
    EXPECT_TRUE(torch::allclose(parameter.value().grad(), other.grad(), 1e-6, 1e-12))
        << parameter.key();
    if (parameter.key().ends_with("key.bias")) continue;  // its gradient is 0 but for rounding
    EXPECT_TRUE(torch::allclose(parameter.value(), other, 1e-6, 1e-9)) << parameter.key();
  }
}

// Promise 9: NaN is found at once and does not reach the weights.
TEST_P(TrainingStepOf, SkipsAnUpdateThatIsNotFinite) {
  auto model = TinyModel(GetParam());
  Adam adam(*model, {});
  {
    torch::NoGradGuard no_grad;
    model->named_parameters()["embeddings.target"][5][0] = std::numeric_limits<float>::infinity();
  }
  const torch::Tensor before = model->parameters().back().clone();
  const UpdateResult result = TrainingStep(*model, adam, {Pairs(0, 1)}, {.learning_rate = 0.1});
  EXPECT_TRUE(result.skipped);
  EXPECT_TRUE(model->parameters().back().equal(before));
}

TEST_P(TrainingStepOf, LeavesFrozenParametersAlone) {
  auto model = TinyModel(GetParam());
  torch::Tensor frozen = model->named_parameters()["embeddings.target"];
  frozen.requires_grad_(false);
  const torch::Tensor before = frozen.clone();
  std::vector<torch::Tensor> others;
  for (const torch::Tensor& parameter : model->parameters())
    others.push_back(parameter.detach().clone());
  Adam adam(*model, {});
  EXPECT_FALSE(adam.State().tensors.contains("first.embeddings.target"));
  EXPECT_FALSE(TrainingStep(*model, adam, {Pairs(0, 3)}, {.learning_rate = 0.1}).skipped);
  EXPECT_TRUE(frozen.equal(before));
  int64_t changed = 0;
  for (size_t i = 0; i < others.size(); ++i)
    changed += model->parameters()[i].equal(others[i]) ? 0 : 1;
  EXPECT_EQ(changed, static_cast<int64_t>(others.size()) - 1);
}

TEST_P(TrainingStepOf, MeasuresTheUpdateWhenAsked) {
  auto model = TinyModel(GetParam());
  std::vector<torch::Tensor> before;
  for (const torch::Tensor& parameter : model->parameters())
    before.push_back(parameter.detach().clone());
  Adam adam(*model, {});
  const UpdateResult result =
      TrainingStep(*model, adam, {Pairs(0, 3)}, {.learning_rate = 0.01, .measure = true});
  double change = 0, size = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    change += (model->parameters()[i] - before[i]).pow(2).sum().item<double>();
    size += before[i].pow(2).sum().item<double>();
  }
  EXPECT_NEAR(result.update_ratio, std::sqrt(change / size), 1e-6);
  EXPECT_GT(result.update_ratio, 0);
}

// R-Drop with no dropout has two equal passes: no divergence, the loss and gradients of one.
TEST_P(TrainingStepOf, RDropWithoutDropoutIsTheOnePass) {
  std::vector<UpdateResult> results;
  for (const double weight : {0.0, 5.0}) {
    auto model = TinyModel(GetParam());
    Adam adam(*model, {});
    results.push_back(
        TrainingStep(*model, adam, {Pairs(0, 3)}, {.label_smoothing = 0.1, .r_drop = weight}));
  }
  EXPECT_NEAR(results[0].loss, results[1].loss, 1e-4);
  EXPECT_NEAR(results[0].gradient_norm, results[1].gradient_norm, 1e-5);
}

// The loss that is reported stays the text's; attention moves to where the links are.
TEST_P(TrainingStepOf, GuidedAlignmentPullsTheAttentionToTheLinks) {
  auto model = TinyModel(GetParam());
  Adam adam(*model, {});
  Batch batch = Pairs(0, 3);
  batch.links_BTS = MakeLinks(batch, {{{6, 0}, {5, 1}, {4, 2}}, {{0, 0}}, {}});
  StepOptions options{.learning_rate = 0.01, .guided_alignment = 1};
  const UpdateResult first = TrainingStep(*model, adam, {batch}, options);
  EXPECT_EQ(first.guided_pieces, 4);
  auto plain_model = TinyModel(GetParam());
  Adam plain_adam(*plain_model, {});
  options.guided_alignment = 0;
  const UpdateResult plain = TrainingStep(*plain_model, plain_adam, {batch}, options);
  EXPECT_NEAR(first.loss, plain.loss, 1e-4);
  EXPECT_EQ(plain.guided_pieces, 0);
  options.guided_alignment = 1;
  UpdateResult last;
  for (options.update = 2; options.update < 150; ++options.update)
    last = TrainingStep(*model, adam, {batch}, options);
  EXPECT_LT(last.guided_loss, 0.2 * first.guided_loss);
  const torch::NoGradGuard no_grad;
  const torch::Tensor attention_TS =
      model->Forward(batch, {.attention = true}).attention_BLHTS[0][0][0];
  EXPECT_GT(attention_TS[0][6].item<float>(), 0.7);
  EXPECT_GT(attention_TS[2][4].item<float>(), 0.7);
}

TEST(Guide, IsTheLayerBeforeTheLastUnlessNamed) {
  Options options;
  options.model.type = ModelType::kTransformer;
  const auto guide = [&](int64_t layers, int64_t layer, int64_t head) {
    options.model.decoder_layers = layers;
    options.training.alignment.layer = layer;
    options.training.alignment.head = head;
    return std::pair(Guide(options).layer, Guide(options).head);
  };
  EXPECT_EQ(guide(4, 0, 1), std::pair(int64_t{2}, int64_t{0}));
  EXPECT_EQ(guide(1, 0, 1), std::pair(int64_t{0}, int64_t{0}));
  EXPECT_EQ(guide(4, 4, 0), std::pair(int64_t{3}, int64_t{-1}));
  options.model.type = ModelType::kGru;
  EXPECT_EQ(guide(1, 0, 1), std::pair(int64_t{0}, int64_t{0}));
}

INSTANTIATE_TEST_SUITE_P(, TrainingStepOf,
                         testing::Values(ModelType::kGru, ModelType::kTransformer),
                         [](const auto& info) { return std::string(EnumName(info.param)); });

TEST(DropWords, ReplacesItsShareOfInputsAndNothingElse) {
  std::vector<Ids> lines(200);
  for (size_t i = 0; i < lines.size(); ++i) lines[i] = Ids(1 + i % 9, 7);
  const Batch batch = MakeBatch(lines, lines);
  DropoutStream stream(1, 2), same(1, 2);
  const Batch dropped = DropWords(batch, 0.25, &stream);
  EXPECT_TRUE(dropped.target_output_BT.equal(batch.target_output_BT));
  for (const auto& [before, after] : {std::pair(batch.source.ids_BS, dropped.source.ids_BS),
                                      std::pair(batch.target_input_BT, dropped.target_input_BT)}) {
    const torch::Tensor special = before.le(kEndId);
    EXPECT_TRUE(after.masked_select(special).equal(before.masked_select(special)));
    const torch::Tensor words = after.masked_select(special.logical_not());
    EXPECT_TRUE(words.eq(7).logical_or(words.eq(kUnknownId)).all().item<bool>());
    EXPECT_NEAR(words.eq(kUnknownId).to(torch::kFloat64).mean().item<double>(), 0.25, 0.04);
  }
  EXPECT_TRUE(DropWords(batch, 0.25, &same).source.ids_BS.equal(dropped.source.ids_BS));
  EXPECT_FALSE(DropWords(batch, 0.25, &same).source.ids_BS.equal(dropped.source.ids_BS));
}

}  // namespace
}  // namespace nmt
