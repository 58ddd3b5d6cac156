#include "nmt/attention/additive_attention.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "nmt/attention/mask.h"
#include "nmt/attention/score.h"

namespace nmt {
namespace {

TEST(AdditiveAttend, AgreesWithItsPlainTwinInValueAndGradientsForAnyThreads) {
  torch::manual_seed(1);
  constexpr int64_t B = 7, S = 5, A = 19, C = 21;  // no multiple of a vector's width
  const auto leaf = [](torch::IntArrayRef sizes) {
    return torch::randn(sizes, torch::kFloat64).requires_grad_();
  };
  const Tensor query = leaf({B, A}), key = leaf({B, S, A}), value = leaf({B, S, C}), v = leaf({A});
  const Tensor mask = PaddingMask(torch::tensor({5, 3, 1, 0, 5, 2, 4}), S);  // one sees nothing
  const Tensor weights = MaskedSoftmax(
      AdditiveScore(query.view({B, 1, 1, A}), key.unsqueeze(1), v.unsqueeze(0)), mask);
  const Tensor context = Attend(weights, value.unsqueeze(1)).view({B, C});
  const Tensor direction = torch::randn({B, C}, torch::kFloat64);
  // A loss can look at the weights, too.
  const Tensor weights_direction = torch::randn({B, S}, torch::kFloat64);
  const auto gradients_of = [&](const std::vector<Tensor>& outputs,
                                const std::vector<Tensor>& directions) {
    return torch::autograd::grad(outputs, {query, key, value, v}, directions,
                                 /*retain_graph=*/true, /*create_graph=*/false,
                                 /*allow_unused=*/true);
  };
  const auto expected = gradients_of({context}, {direction});
  const auto expected_with_weights =
      gradients_of({context, weights.view({B, S})}, {direction, weights_direction});

  const torch::NoGradGuard no_grad;
  const int before = at::get_num_threads();
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    const AdditiveMemory memory{key.detach(), value.detach(), mask.squeeze(1).squeeze(1),
                                v.detach()};
    const Tensor found_BS = torch::empty({B, S}, torch::kFloat64);
    const Tensor found_BC = torch::empty({B, C}, torch::kFloat64);
    AdditiveAttend(memory, query.detach(), found_BS, found_BC);
    EXPECT_TRUE(torch::allclose(found_BS, weights.view({B, S}), 0, 1e-12));
    EXPECT_EQ(found_BS[3].abs().max().item<double>(), 0);
    EXPECT_TRUE(torch::allclose(found_BC, context, 0, 1e-12));
    // Several looks at a sentence, none at another.
    const std::vector<int64_t> sentences = {2, 0, 0};
    const Tensor rows = torch::tensor(sentences, torch::kInt64);
    const Tensor some_RS = torch::empty({3, S}, torch::kFloat64);
    const Tensor some_RC = torch::empty({3, C}, torch::kFloat64);
    AdditiveAttend(memory, query.detach().index_select(0, rows), some_RS, some_RC, sentences);
    EXPECT_TRUE(some_RS.equal(found_BS.index_select(0, rows)));
    EXPECT_TRUE(some_RC.equal(found_BC.index_select(0, rows)));
    const Tensor d_query = torch::empty({B, A}, torch::kFloat64);
    const Tensor d_scores = torch::empty({B, S}, torch::kFloat64);
    AdditiveAttendBackward(memory, query.detach(), found_BS, direction, weights_direction, d_query,
                           d_scores);
    EXPECT_TRUE(torch::allclose(d_query, expected_with_weights[0], 0, 1e-12));
    EXPECT_TRUE(torch::allclose(
        AdditiveMemoryBackward(memory, query.detach().unsqueeze(0), found_BS.unsqueeze(0),
                               direction.unsqueeze(0), d_scores.unsqueeze(0))
            .key_BSA,
        expected_with_weights[1], 0, 1e-12));
    AdditiveAttendBackward(memory, query.detach(), found_BS, direction, /*d_weights_BS=*/{},
                           d_query, d_scores);
    EXPECT_TRUE(torch::allclose(d_query, expected[0], 0, 1e-12));
    // Two looks that are the same: twice the gradient of one.
    const auto twice = [](const Tensor& x) { return torch::stack({x, x}); };
    const AdditiveMemoryGradients gradients = AdditiveMemoryBackward(
        memory, twice(query.detach()), twice(found_BS), twice(direction), twice(d_scores));
    EXPECT_TRUE(torch::allclose(gradients.key_BSA, 2 * expected[1], 0, 1e-12));
    EXPECT_TRUE(torch::allclose(gradients.value_BSC, 2 * expected[2], 0, 1e-12));
    EXPECT_TRUE(torch::allclose(gradients.v_A, 2 * expected[3], 0, 1e-12));
  }
  at::set_num_threads(before);
}

}  // namespace
}  // namespace nmt
