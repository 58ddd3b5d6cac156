#include "nmt/models/loss.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "nmt/attention/precision.h"
#include "nmt/models/seq2seq.h"

namespace nmt {
namespace {

TEST(LabelSmoothedLoss, EqualsTheSumWrittenOut) {
  // V = 4: padding and three words; p = softmax of the logits; target 2.
  const Tensor logits = torch::tensor({{0.0, 1.0, 2.0, 3.0}}, torch::kFloat64);
  const double z = 1 + std::exp(1) + std::exp(2) + std::exp(3);
  const auto log_p = [&](int v) { return v - std::log(z); };
  const double smoothing = 0.3;
  const double expected =
      -(1 - smoothing) * log_p(2) - smoothing / 3 * (log_p(1) + log_p(2) + log_p(3));
  const LossOutput output = LabelSmoothedLoss(logits, torch::tensor({2}), smoothing);
  EXPECT_NEAR(output.loss.item<double>(), expected, 1e-12);
  EXPECT_NEAR(output.negative_log_likelihood.item<double>(), -log_p(2), 1e-12);
  EXPECT_EQ(output.correct.item<int64_t>(), 0);
}

TEST(LinearLabelSmoothedLoss, AgreesWithItsPlainTwinInValueAndGradients) {
  torch::manual_seed(1);
  // A block of logits holds 32 MB: 300 x 11 are one block, 250 x 40,000 are blocks of 104, 104 and
  // 42 rows.
  const auto agree = [](int64_t rows, int64_t vocabulary, double smoothing) {
    const Tensor hidden = torch::randn({rows, 6}, torch::kFloat64),
                 weight = torch::randn({vocabulary, 6}, torch::kFloat64);
    const Tensor bias = torch::randn({vocabulary}, torch::kFloat64),
                 target = torch::randint(1, vocabulary, {rows});
    std::vector<std::vector<Tensor>> gradients;
    std::vector<LossOutput> outputs;
    for (const bool fused : {true, false}) {
      std::vector<Tensor> leaves;
      for (const Tensor& value : {hidden, weight, bias})
        leaves.push_back(value.clone().requires_grad_());
      outputs.push_back(
          fused ? LinearLabelSmoothedLoss(leaves[0], leaves[1], leaves[2], target, smoothing)
                : LabelSmoothedLoss(torch::nn::functional::linear(leaves[0], leaves[1], leaves[2]),
                                    target, smoothing));
      (outputs.back().loss / 7).backward();
      gradients.push_back({leaves[0].grad(), leaves[1].grad(), leaves[2].grad()});
    }
    EXPECT_NEAR(outputs[0].loss.item<double>(), outputs[1].loss.item<double>(), 1e-9);
    EXPECT_NEAR(outputs[0].negative_log_likelihood.item<double>(),
                outputs[1].negative_log_likelihood.item<double>(), 1e-9);
    EXPECT_EQ(outputs[0].correct.item<int64_t>(), outputs[1].correct.item<int64_t>());
    for (size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(torch::allclose(gradients[0][i], gradients[1][i], 1e-9, 1e-12)) << i;
  };
  for (const double smoothing : {0.0, 0.1}) {
    agree(300, 11, smoothing);
    agree(250, 40000, smoothing);
  }
}

TEST(LinearLabelSmoothedLoss, InBf16IsTheSameButForTheRoundingOfItsFactors) {
  torch::manual_seed(1);
  const Tensor hidden = torch::randn({200, 16}), weight = torch::randn({50, 16}),
               bias = torch::randn({50}), target = torch::randint(1, 50, {200});
  std::vector<Tensor> losses, gradients;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const Tensor leaf = hidden.clone().requires_grad_();
    const PrecisionScope scope(precision, torch::kCPU);
    const Tensor loss = LinearLabelSmoothedLoss(leaf, weight, bias, target, 0.1).loss;
    losses.push_back(loss.detach());
    gradients.push_back(torch::autograd::grad({loss}, {leaf})[0]);
  }
  EXPECT_EQ(losses[1].scalar_type(), torch::kFloat32);
  EXPECT_EQ(gradients[1].scalar_type(), torch::kFloat32);
  EXPECT_NE(losses[0].item<float>(), losses[1].item<float>());
  EXPECT_NEAR(losses[1].item<float>(), losses[0].item<float>(), 2e-3 * losses[0].item<float>());
  const double error = (gradients[1] - gradients[0]).norm().item<double>();
  EXPECT_LT(error, 2e-2 * gradients[0].norm().item<double>());
}

TEST(LabelSmoothedLoss, GivesPaddingNoMass) {
  Tensor logits = torch::randn({3, 8}, torch::kFloat64).requires_grad_();
  LabelSmoothedLoss(logits, torch::tensor({1, 2, 3}), 0.1).loss.backward();
  // Without mass on padding, d loss / d logit of padding is p itself.
  EXPECT_TRUE(torch::allclose(logits.grad().select(1, 0), logits.detach().softmax(1).select(1, 0),
                              0, 1e-12));
}

TEST(LinearLabelSmoothedLoss, OfNoTokenIsZeroNotNan) {
  Tensor weight = torch::randn({5, 4}).requires_grad_();
  const LossOutput output = LinearLabelSmoothedLoss(torch::empty({0, 4}), weight, torch::zeros({5}),
                                                    torch::empty({0}, torch::kInt64), 0.1);
  EXPECT_EQ(output.loss.item<float>(), 0);
  output.loss.backward();
  EXPECT_EQ(weight.grad().abs().max().item<float>(), 0);
}

// Case C22: a short and a long sentence, as one padded batch and as two batches of one.
TEST(BatchLoss, DoesNotDependOnPadding) {
  for (const ModelType type : {ModelType::kGru, ModelType::kTransformer}) {
    ModelOptions options{.type = type, .embedding_size = 8, .hidden_size = 8};
    options.heads = 2;
    auto model = MakeModel(options, {20, 20}, /*seed=*/1);
    const std::vector<Ids> sources = {{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, {15}};
    const std::vector<Ids> targets = {{4, 5, 6, 7, 8, 9, 10, 11, 12}, {13}};
    for (const double smoothing : {0.0, 0.1}) {
      const double together =
          BatchLoss(*model, MakeBatch(sources, targets), {.smoothing = smoothing})
              .loss.item<double>();
      double apart = 0;
      for (size_t i = 0; i < 2; ++i) {
        apart += BatchLoss(*model, MakeBatch({sources[i]}, {targets[i]}), {.smoothing = smoothing})
                     .loss.item<double>();
      }
      EXPECT_NEAR(together, apart, 1e-5 * together) << EnumName(type) << " smoothing " << smoothing;
    }
  }
}

TEST(MakeLinks, SharesARowAmongThePiecesOfTheLinkedWords) {
  const Batch batch = MakeBatch({{4, 5, 6}, {7}}, {{4, 5}, {6}});
  const Tensor links_BTS = MakeLinks(batch, {{{0, 1}, {2, 1}, {1, 0}, {1, 0}}, {}});
  EXPECT_TRUE(links_BTS[0].equal(
      torch::tensor({{0.f, 1.f, 0.f, 0.f}, {.5f, 0.f, .5f, 0.f}, {0.f, 0.f, 0.f, 0.f}})));
  EXPECT_EQ(links_BTS[1].abs().max().item<float>(), 0);
  EXPECT_FALSE(MakeLinks(batch, {{}, {}}).defined());
}

// By hand: -(ln 0.25 + (ln 0.5 + ln 0.125) / 2) = 4 ln 2 for two linked rows; the third has no link.
TEST(GuidedAlignmentLoss, IsTheCrossEntropyFromTheLinksToTheAttention) {
  const Tensor attention =
      torch::tensor({{.25f, .5f, .25f}, {.5f, .375f, .125f}, {1.f, 0.f, 0.f}}).unsqueeze(0);
  const Tensor links =
      torch::tensor({{1.f, 0.f, 0.f}, {.5f, 0.f, .5f}, {0.f, 0.f, 0.f}}).unsqueeze(0);
  EXPECT_NEAR(GuidedAlignmentLoss(attention, links).item<float>(), 4 * std::log(2.), 1e-6);
  // A weight that underflowed costs much, and nothing becomes infinite.
  const float worst =
      GuidedAlignmentLoss(attention,
                          torch::tensor({{{0.f, 0.f, 0.f}, {0.f, 0.f, 0.f}, {0.f, 1.f, 0.f}}}))
          .item<float>();
  EXPECT_GT(worst, 20);
  EXPECT_TRUE(std::isfinite(worst));
}

TEST(BatchLoss, GuidesTheLayerAndHeadThatItIsTold) {
  ModelOptions options{.type = ModelType::kTransformer, .embedding_size = 8, .hidden_size = 8};
  options.heads = 2;
  auto model = MakeModel(options, {12, 12}, /*seed=*/1);
  Batch batch = MakeBatch({{5, 6, 7}}, {{8, 9}});
  batch.links_BTS = MakeLinks(batch, {{{1, 0}, {2, 1}}});
  const Tensor attention_LHTS = model->Forward(batch, {.attention = true}).attention_BLHTS[0];
  const auto expected = [&](const Tensor& attention_TS) {
    return -(attention_TS[0][1].log() + attention_TS[1][2].log()).item<float>();
  };
  const auto guided = [&](int64_t layer, int64_t head) {
    const GuidedAttention guide{layer, head};
    return BatchLoss(*model, batch, {.guide = guide}).guided.item<float>();
  };
  EXPECT_NEAR(guided(0, 1), expected(attention_LHTS[0][1]), 1e-5);
  EXPECT_NEAR(guided(1, 0), expected(attention_LHTS[1][0]), 1e-5);
  EXPECT_NEAR(guided(1, -1), expected(attention_LHTS[1].mean(0)), 1e-5);
  EXPECT_FALSE(BatchLoss(*model, batch, {}).guided.defined());
}

// Equation 4 of Liang et al. 2021, halved, written out on the whole matrices of logits.
TEST(LinearRDropLoss, EqualsTheFormulaInValueAndGradients) {
  torch::manual_seed(1);
  for (const auto& [rows, vocabulary] : {std::pair<int64_t, int64_t>{5, 7}, {250, 40000}}) {
    const auto leaf = [](torch::IntArrayRef sizes) {
      return torch::randn(sizes, torch::kFloat64).requires_grad_();
    };
    const Tensor first = leaf({rows, 6}), second = leaf({rows, 6}), weight = leaf({vocabulary, 6}),
                 bias = leaf({vocabulary});
    const Tensor target = torch::randint(1, vocabulary, {rows});
    const Tensor p = torch::softmax(first.matmul(weight.t()) + bias, 1);
    const Tensor q = torch::softmax(second.matmul(weight.t()) + bias, 1);
    const auto smoothed = [&](const Tensor& x) {
      return LabelSmoothedLoss(x.log(), target, 0.1).loss;
    };
    const Tensor divergences = (p * (p / q).log()).sum() + (q * (q / p).log()).sum();
    const Tensor expected = (smoothed(p) + smoothed(q)) / 2 + 3.0 / 4 * divergences;
    const LossOutput output = LinearRDropLoss(first, second, weight, bias, target, 0.1, 3);
    EXPECT_NEAR(output.loss.item<double>() / expected.item<double>(), 1, 1e-10);
    EXPECT_NEAR(output.negative_log_likelihood.item<double>(),
                -p.log().gather(1, target.unsqueeze(1)).sum().item<double>(), 1e-6);
    const auto found = torch::autograd::grad({output.loss * 2}, {first, second, weight, bias});
    const auto others = torch::autograd::grad({expected * 2}, {first, second, weight, bias});
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(torch::allclose(found[i], others[i], 1e-8, 1e-10)) << i;
  }
}

TEST(LinearRDropLoss, OfNoTokensIsZero) {
  const Tensor hidden = torch::zeros({0, 6}).requires_grad_(),
               weight = torch::randn({7, 6}).requires_grad_();
  const LossOutput output = LinearRDropLoss(hidden, hidden, weight, torch::zeros({7}),
                                            torch::zeros({0}, torch::kInt64), 0.1, 1);
  EXPECT_EQ(output.loss.item<float>(), 0);
}

}  // namespace
}  // namespace nmt
