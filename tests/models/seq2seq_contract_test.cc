// What every translator behind nmt/models/seq2seq.h must hold to, run against both architectures
// and their variants.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <string>

#include "nmt/models/inference.h"
#include "nmt/models/seq2seq.h"

namespace nmt {
namespace {

constexpr int64_t kVocabulary = 23;
constexpr double kTolerance = 2e-5;

struct Variant {
  std::string name;
  ModelOptions options;
};

ModelOptions Small(ModelType type) {
  ModelOptions options{.type = type,
                       .embedding_size = 12,
                       .hidden_size = 12,
                       .encoder_layers = 2,
                       .decoder_layers = 2};
  options.heads = 3;
  options.feed_forward_size = 20;
  options.dropout = 0.3;
  return options;
}

std::vector<Variant> Variants() {
  const ModelOptions gru = Small(ModelType::kGru), transformer = Small(ModelType::kTransformer);
  std::vector<Variant> variants = {{"gru", gru}, {"transformer", transformer}};
  const auto add = [&](const std::string& name, const ModelOptions& base, auto change) {
    variants.push_back({name, base});
    change(variants.back().options);
  };
  add("gru_bahdanau_maxout", gru,
      [](ModelOptions& o) { o.decoder = GruDecoder::kBahdanau, o.readout = Readout::kMaxout; });
  add("gru_of_many_sizes", gru, [](ModelOptions& o) {
    o.encoder_hidden_size = 7;
    o.attention_size = 9;
    o.readout_size = 14;
    o.tie_embeddings = TieEmbeddings::kNone;
  });
  add("transformer_post_norm_gelu", transformer,
      [](ModelOptions& o) { o.norm = NormPosition::kPost, o.activation = Activation::kGelu; });
  add("transformer_learned_positions", transformer,
      [](ModelOptions& o) { o.positions = Positions::kLearned; });
  for (const ModelOptions& base : {gru, transformer}) {
    add(std::string(EnumName(base.type)) + "_wider_than_a_vector", base, [](ModelOptions& o) {
      o.embedding_size = o.hidden_size = 140;
      o.heads = 4;
      o.feed_forward_size = 300;
    });
  }
  add("gru_all_tied", gru, [](ModelOptions& o) { o.tie_embeddings = TieEmbeddings::kAll; });
  add("transformer_untied", transformer,
      [](ModelOptions& o) { o.tie_embeddings = TieEmbeddings::kNone; });
  for (const auto& [score, score_name] : EnumNames<AttentionScore>::values) {
    if (score == AttentionScore::kDefault) continue;
    for (const ModelOptions& base : {gru, transformer}) {
      add(std::string(EnumName(base.type)) + "_" + std::string(score_name), base,
          [score = score](ModelOptions& o) { o.attention = score; });
    }
  }
  return variants;
}

class Contract : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    at::set_num_threads(1);
    model_ = MakeModel(GetParam().options, {kVocabulary, kVocabulary}, /*seed=*/5);
    torch::NoGradGuard no_grad;
    torch::manual_seed(6);
    // Away from zero biases and unit norms, so that each parameter matters.
    for (Tensor& parameter : model_->parameters())
      parameter.add_(torch::randn_like(parameter) * 0.1);
  }

  Tensor ForwardLogits(const Batch& batch) {
    return model_->Logits(model_->Forward(batch, {}).hidden_BTD);
  }

  const std::vector<Ids> sources_ = {{4, 5, 6, 7, 8}, {9, 10}, {11, 12, 13, 14, 15, 16, 17}};
  const std::vector<Ids> targets_ = {{5, 7, 9}, {4, 6, 8, 10, 12, 14}, {20}};
  std::shared_ptr<Seq2Seq> model_;
};

TEST_P(Contract, StepGivesWhatForwardGives) {
  torch::NoGradGuard no_grad;
  const Batch batch = MakeBatch(sources_, targets_);
  const Tensor expected_BTV = ForwardLogits(batch);
  DecoderState state = model_->Start(model_->Encode(batch.source), /*beam_size=*/1);
  for (int64_t t = 0; t < batch.target_input_BT.size(1); ++t) {
    const Tensor logits_BV =
        model_->Logits(model_->Step(batch.target_input_BT.select(1, t), state).hidden_RD);
    EXPECT_TRUE(torch::allclose(logits_BV, expected_BTV.select(1, t), kTolerance, kTolerance))
        << "step " << t;
  }
}

TEST_P(Contract, BeamsOfASentenceAreRowsOfTheirOwn) {
  torch::NoGradGuard no_grad;
  const SourceBatch source = MakeSourceBatch(sources_);
  DecoderState beams = model_->Start(model_->Encode(source), /*beam_size=*/2);
  DecoderState single = model_->Start(model_->Encode(source), /*beam_size=*/1);
  const Tensor begin = torch::full({3}, SpecialIds::kBegin, torch::kInt64);
  model_->Step(begin.repeat_interleave(2), beams);
  model_->Step(begin, single);
  const Tensor odd = torch::tensor({5, 6, 7}), even = torch::tensor({8, 9, 10});
  const Tensor both =
      model_->Logits(model_->Step(torch::stack({even, odd}, 1).flatten(), beams).hidden_RD);
  DecoderState other = single;  // a state is a value
  EXPECT_TRUE(torch::allclose(both.slice(0, 0, 6, 2),
                              model_->Logits(model_->Step(even, single).hidden_RD), kTolerance,
                              kTolerance));
  EXPECT_TRUE(torch::allclose(both.slice(0, 1, 6, 2),
                              model_->Logits(model_->Step(odd, other).hidden_RD), kTolerance,
                              kTolerance));
}

TEST_P(Contract, ReorderMovesBeamsAndLetsSentencesLeave) {
  torch::NoGradGuard no_grad;
  DecoderState state = model_->Start(model_->Encode(MakeSourceBatch(sources_)), /*beam_size=*/2);
  model_->Step(torch::tensor({2, 2, 2, 2, 2, 2}), state);
  model_->Step(torch::tensor({4, 5, 6, 7, 8, 9}), state);
  DecoderState moved = state;
  // Sentence 1 leaves; the beams of sentence 0 change places, those of sentence 2 both continue its
  // second.
  model_->Reorder(moved, torch::tensor({1, 0, 5, 5}), torch::tensor({0, 2}));
  const Tensor all =
      model_->Logits(model_->Step(torch::tensor({10, 11, 12, 13, 14, 15}), state).hidden_RD);
  const Tensor kept =
      model_->Logits(model_->Step(torch::tensor({11, 10, 15, 15}), moved).hidden_RD);
  EXPECT_TRUE(torch::allclose(kept, all.index_select(0, torch::tensor({1, 0, 5, 5})), kTolerance,
                              kTolerance));
}

// The fast forms of decoding against Step and Reorder: beams fork, move and end, and sentences leave,
// over more positions than one block of a cache holds. The plain form is held to what the rows' own
// histories give in ARowIsAFunctionOfItsHistory.
TEST_P(Contract, InferenceSaysWhatTheModelSays) {
  const torch::InferenceMode inference_mode;
  const SourceBatch source = MakeSourceBatch(sources_);
  const auto inference = MakeInference(model_), plain = MakePlainInference(model_);
  const StartOptions options{.beam_size = 2, .max_steps = 40, .attention = true};
  auto fast = inference->Start(source, options), slow = plain->Start(source, options);
  Ids tokens(3, SpecialIds::kBegin);
  for (int64_t step = 0; step < 40; ++step) {
    const StepOutput expected = slow->Step(tokens), found = fast->Step(tokens);
    ASSERT_TRUE(torch::allclose(found.hidden_RD, expected.hidden_RD, kTolerance, kTolerance))
        << "step " << step;
    ASSERT_TRUE(torch::allclose(found.attention_RS, expected.attention_RS, kTolerance, kTolerance));
    const NextTokens next = inference->output().Best(found.hidden_RD, 3, {SpecialIds::kPad, 7});
    const NextTokens best =
        BestOf(plain->output().LogProbabilities(expected.hidden_RD), 3, {SpecialIds::kPad, 7});
    for (size_t i = 0; i < best.tokens.size(); ++i)
      ASSERT_NEAR(next.log_probabilities[i], best.log_probabilities[i], 1e-4);
    Ids order;
    for (int64_t row = 0; row < static_cast<int64_t>(tokens.size()); ++row) order.push_back(row);
    if (step == 0) order = {0, 0, 1, 2, 2};  // the first and the last sentence fork
    if (step == 3) order = {1, 0, 2, 2, 4};  // beams change places, fork and end
    if (step == 6) order = {1, 0, 4};        // the second sentence leaves
    if (step == 18) order = {0, 1, 2, 2};    // a beam comes back behind a block's end
    if (step == 25) order = {3, 2};          // the first leaves
    fast->Reorder(order);
    slow->Reorder(order);
    tokens.clear();
    for (size_t row = 0; row < order.size(); ++row)
      tokens.push_back(4 + (step * 5 + static_cast<int64_t>(row)) % (kVocabulary - 4));
  }
}

TEST_P(Contract, ARowIsAFunctionOfItsHistory) {
  const torch::InferenceMode inference_mode;
  const SourceBatch source = MakeSourceBatch(sources_);
  const auto inference = MakePlainInference(model_);
  const StartOptions options{.beam_size = 3, .max_steps = 8};
  const auto decoder = inference->Start(source, options);
  Ids tokens(3, SpecialIds::kBegin), sentences = {0, 1, 2};
  std::vector<Ids> histories(3);
  const std::vector<Ids> orders = {{0, 1, 1, 1, 2}, {0, 3, 1, 4, 4}, {2, 1, 4}, {0, 0, 1, 2, 2, 2}};
  for (size_t step = 0; step <= orders.size(); ++step) {
    const Tensor hidden_RD = decoder->Step(tokens).hidden_RD;
    for (size_t row = 0; row < tokens.size(); ++row) {
      const Batch batch =
          MakeBatch({sources_[static_cast<size_t>(sentences[row])]}, {histories[row]});
      const Tensor expected_D = model_->Forward(batch, {}).hidden_BTD[0][-1];
      ASSERT_TRUE(
          torch::allclose(hidden_RD[static_cast<int64_t>(row)], expected_D, kTolerance, kTolerance))
          << "step " << step << ", row " << row;
    }
    if (step == orders.size()) break;
    decoder->Reorder(orders[step]);
    std::vector<Ids> moved;
    Ids moved_sentences;
    tokens.clear();
    for (const int64_t row : orders[step]) {
      moved.push_back(histories[static_cast<size_t>(row)]);
      moved_sentences.push_back(sentences[static_cast<size_t>(row)]);
      tokens.push_back(4 + static_cast<int64_t>(step * 5 + tokens.size()) % (kVocabulary - 4));
      moved.back().push_back(tokens.back());
    }
    histories = std::move(moved);
    sentences = std::move(moved_sentences);
  }
}

// bf16 and int8 round, and change nothing else.
TEST_P(Contract, LowerPrecisionsSayNearlyTheSame) {
  const torch::InferenceMode inference_mode;
  if (!CanChoosePrecision(*model_)) GTEST_SKIP() << "this model has no such form here";
  const SourceBatch source = MakeSourceBatch(sources_);
  const StartOptions options{.beam_size = 1, .max_steps = 8};
  const auto exact = MakeInference(model_);
  for (const auto& [precision, tolerance] :
       {std::pair(InferencePrecision::kBf16, 0.03), std::pair(InferencePrecision::kInt8, 0.1)}) {
    const auto rounded = MakeInference(model_, precision);
    auto one = exact->Start(source, options), other = rounded->Start(source, options);
    Ids tokens(3, SpecialIds::kBegin);
    for (int64_t step = 0; step < 8; ++step) {
      const Tensor expected = one->Step(tokens).hidden_RD, found = other->Step(tokens).hidden_RD;
      const double error = ((found - expected).norm() / expected.norm()).item<double>();
      EXPECT_LT(error, tolerance) << "step " << step;
      EXPECT_GT(error, 0);
      const NextTokens best = exact->output().Best(expected, 1, {}),
                       next = rounded->output().Best(found, 1, {});
      for (size_t row = 0; row < 3; ++row)
        EXPECT_NEAR(next.log_probabilities[row], best.log_probabilities[row], 0.3);
      tokens = {4 + step, 9 + step, 14 + step};
    }
  }
}

// Promise 9: a NaN anywhere in the weights that a step reads is found, by the fast forms as by the plain.
TEST_P(Contract, ANanInAnyWeightOfTheDecoderIsFound) {
  const SourceBatch source = MakeSourceBatch(sources_);
  for (const auto& parameter : model_->named_parameters()) {
    if (!parameter.key().starts_with("decoder")) continue;
    Tensor weight = parameter.value().detach();
    const Tensor before = weight.clone();
    weight.fill_(std::nanf(""));
    const torch::InferenceMode inference_mode;
    for (const auto& inference : {MakeInference(model_), MakePlainInference(model_)}) {
      const auto decoder = inference->Start(source, {.beam_size = 1, .max_steps = 2});
      decoder->Step(Ids(3, SpecialIds::kBegin));
      // The original GRU reads a state one step late.
      const Tensor hidden = decoder->Step(Ids(3, 5)).hidden_RD;
      EXPECT_THROW(inference->output().Best(hidden, 2, {}), c10::Error) << parameter.key();
    }
    weight.copy_(before);
  }
}

TEST_P(Contract, ASentenceAloneGivesWhatItGivesInABatch) {
  torch::NoGradGuard no_grad;
  const Tensor together_BTV = ForwardLogits(MakeBatch(sources_, targets_));
  for (size_t i = 0; i < sources_.size(); ++i) {
    const Tensor alone_TV = ForwardLogits(MakeBatch({sources_[i]}, {targets_[i]}))[0];
    const Tensor row_TV = together_BTV[static_cast<int64_t>(i)].narrow(0, 0, alone_TV.size(0));
    EXPECT_TRUE(torch::allclose(alone_TV, row_TV, kTolerance, kTolerance)) << "sentence " << i;
  }
}

TEST_P(Contract, PaddingIdsDoNotMatter) {
  torch::NoGradGuard no_grad;
  Batch batch = MakeBatch(sources_, targets_);
  const Tensor before = ForwardLogits(batch)[1];
  batch.source.ids_BS[1].slice(0, 3).fill_(21);  // behind </s> of the short sentence
  EXPECT_TRUE(torch::allclose(ForwardLogits(batch)[1], before, kTolerance, kTolerance));
}

TEST_P(Contract, APredictionDoesNotSeeTheFuture) {
  torch::NoGradGuard no_grad;
  Batch batch = MakeBatch(sources_, targets_);
  const Tensor before_BTV = ForwardLogits(batch);
  batch.target_input_BT.slice(1, 3).fill_(19);
  const Tensor after_BTV = ForwardLogits(batch);
  EXPECT_TRUE(
      torch::allclose(after_BTV.slice(1, 0, 3), before_BTV.slice(1, 0, 3), kTolerance, kTolerance));
  EXPECT_FALSE(
      torch::allclose(after_BTV.slice(1, 3), before_BTV.slice(1, 3), kTolerance, kTolerance));
}

TEST_P(Contract, AttentionRowsSumToOneAndPaddingGetsExactlyNothing) {
  torch::NoGradGuard no_grad;
  const Batch batch = MakeBatch(sources_, targets_);
  const Tensor weights_BLHTS = model_->Forward(batch, {.attention = true}).attention_BLHTS;
  ASSERT_EQ(weights_BLHTS.size(1), model_->attention_layers());
  ASSERT_EQ(weights_BLHTS.size(2), model_->attention_heads());
  EXPECT_TRUE(torch::allclose(weights_BLHTS.sum(-1), torch::ones(weights_BLHTS.sizes().slice(0, 4)),
                              1e-5, 1e-5));
  EXPECT_EQ(weights_BLHTS[1].slice(3, 3).abs().max().item<float>(), 0);
}

// Asked for or not, what is shown changes nothing of what is computed.
TEST_P(Contract, EverythingThatIsLookedAtCanBeSeen) {
  torch::NoGradGuard no_grad;
  const Batch batch = MakeBatch(sources_, targets_);
  const DecoderOutput seen =
      model_->Forward(batch, {.attention = true, .value_norms = true, .self_attention = true});
  EXPECT_TRUE(torch::allclose(seen.hidden_BTD, model_->Forward(batch, {}).hidden_BTD, kTolerance,
                              kTolerance));
  ASSERT_EQ(seen.value_norms_BLHS.size(1), model_->attention_layers());
  ASSERT_EQ(seen.value_norms_BLHS.size(2), model_->attention_heads());
  EXPECT_GT(seen.value_norms_BLHS.min().item<float>(), 0);
  const bool has_self_attention = GetParam().options.type == ModelType::kTransformer;
  ASSERT_EQ(seen.encoder_attention_BLHSS.defined(), has_self_attention);
  ASSERT_EQ(seen.decoder_attention_BLHTT.defined(), has_self_attention);
  if (!has_self_attention) return;
  for (const Tensor& weights : {seen.encoder_attention_BLHSS, seen.decoder_attention_BLHTT}) {
    const Tensor sums = weights.sum(-1);
    EXPECT_TRUE(torch::allclose(sums, torch::ones_like(sums), 1e-5, 1e-5));
  }
  // Nothing looks at padding, nor at the future.
  EXPECT_EQ(seen.encoder_attention_BLHSS[1].slice(-1, 3).abs().max().item<float>(), 0);
  EXPECT_EQ(seen.decoder_attention_BLHTT.triu(1).abs().max().item<float>(), 0);
}

// One head written out: |(x W_V + b_V) W_O| of each source piece.
TEST(TransformerModel, ValueNormsAreThoseOfWhatAHeadAddsToTheSum) {
  ModelOptions options = Small(ModelType::kTransformer);
  auto model = MakeModel(options, {kVocabulary, kVocabulary}, 3);
  torch::NoGradGuard no_grad;
  const Batch batch = MakeBatch({{4, 5, 6}}, {{7}});
  const Tensor norms_HS = model->Forward(batch, {.value_norms = true}).value_norms_BLHS[0][1];
  const auto weights = model->named_parameters();
  const std::string layer = "decoder1.cross_attention.";
  const Tensor memory_SD = model->Encode(batch.source).memory_NSD[0];
  const Tensor value_SD =
      memory_SD.matmul(weights[layer + "value.weight"].t()) + weights[layer + "value.bias"];
  const int64_t size = value_SD.size(1) / options.heads;
  for (int64_t head = 0; head < options.heads; ++head) {
    const Tensor part_SD =
        value_SD.narrow(1, head * size, size)
            .matmul(weights[layer + "output.weight"].narrow(1, head * size, size).t());
    EXPECT_TRUE(torch::allclose(norms_HS[head], part_SD.pow(2).sum(1).sqrt(), 1e-4, 1e-6));
  }
}

TEST_P(Contract, EveryParameterGetsAGradientAndDropoutIsAFunctionOfItsStream) {
  const Batch batch = MakeBatch(sources_, targets_);
  DropoutStream first(1, 1), again(1, 1);
  const Tensor hidden = model_->Forward(batch, {.dropout = &first}).hidden_BTD;
  EXPECT_TRUE(hidden.equal(model_->Forward(batch, {.dropout = &again}).hidden_BTD));
  EXPECT_FALSE(hidden.equal(model_->Forward(batch, {}).hidden_BTD));
  model_->Logits(model_->Forward(batch, {}).hidden_BTD).square().sum().backward();
  for (const auto& parameter : model_->named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    // A bias of the keys shifts all scores of a query alike, which softmax does not feel: in dot
    // products, but not inside a tanh or a norm.
    const AttentionScore score = GetParam().options.attention;
    const bool is_product =
        score == AttentionScore::kDot || score == AttentionScore::kScaledDot ||
        score == AttentionScore::kGeneral ||
        (score == AttentionScore::kDefault && GetParam().options.type == ModelType::kTransformer);
    const bool shifts_scores = is_product && parameter.key().ends_with("key.bias");
    if (!shifts_scores) {
      EXPECT_GT(parameter.value().grad().abs().max().item<float>(), 0) << parameter.key();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Contract, testing::ValuesIn(Variants()),
                         [](const auto& info) { return info.param.name; });

TEST(Seq2Seq, CountsATiedWeightOnce) {
  ModelOptions options = Small(ModelType::kTransformer);
  options.tie_embeddings = TieEmbeddings::kNone;
  const int64_t untied = MakeModel(options, {kVocabulary, kVocabulary}, 1)->ParameterCount();
  options.tie_embeddings = TieEmbeddings::kTarget;
  const int64_t target = MakeModel(options, {kVocabulary, kVocabulary}, 1)->ParameterCount();
  options.tie_embeddings = TieEmbeddings::kAll;
  EXPECT_EQ(untied - target, kVocabulary * 12);
  EXPECT_EQ(target - MakeModel(options, {kVocabulary, kVocabulary}, 1)->ParameterCount(),
            kVocabulary * 12);
}

}  // namespace
}  // namespace nmt
