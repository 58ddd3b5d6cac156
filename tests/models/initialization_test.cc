#include "nmt/models/initialization.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/models/seq2seq.h"
#include "nmt/text/tokenizer.h"

namespace nmt {
namespace {

TEST(Initialization, IsAFunctionOfTheSeed) {
  const ModelOptions options{.type = ModelType::kGru, .embedding_size = 8, .hidden_size = 8};
  const auto a = MakeModel(options, {10, 10}, 1), b = MakeModel(options, {10, 10}, 1),
             c = MakeModel(options, {10, 10}, 2);
  for (const auto& parameter : a->named_parameters()) {
    const Tensor& same = *b->named_parameters().find(parameter.key());
    EXPECT_TRUE(parameter.value().equal(same)) << parameter.key();
  }
  EXPECT_FALSE(
      a->named_parameters()["embeddings.target"].equal(c->named_parameters()["embeddings.target"]));
}

TEST(Initialization, MakesRecurrentBlocksOrthogonal) {
  const ModelOptions options{.type = ModelType::kGru, .embedding_size = 8, .hidden_size = 8};
  const auto model = MakeModel(options, {10, 10}, 1);
  for (const Tensor& gate : model->named_parameters()["decoder.cell.recurrent_weight"].chunk(3)) {
    EXPECT_TRUE(torch::allclose(gate.matmul(gate.t()), torch::eye(8), 1e-4, 1e-5));
  }
}

TEST(SpecialIds, AreThoseOfTheTokenizer) {
  EXPECT_EQ(SpecialIds::kPad, kPadId);
  EXPECT_EQ(SpecialIds::kBegin, kBeginId);
  EXPECT_EQ(SpecialIds::kEnd, kEndId);
}

}  // namespace
}  // namespace nmt
