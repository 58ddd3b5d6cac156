#include "nmt/attention/dropout.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace nmt {
namespace {

// The known answers of the Random123 distribution (Salmon et al. 2011) for philox4x32-10.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Dropout, IsTheIdentityInEvaluationAndAtRateZero) {
  const Tensor x = torch::randn({5, 7});
  DropoutStream stream(1, 1);
  EXPECT_TRUE(Dropout(x, 0.5, nullptr).equal(x));
  EXPECT_TRUE(Dropout(x, 0, &stream).equal(x));
}

TEST(Dropout, DropsItsShareAndKeepsTheMean) {
  DropoutStream stream(3, 9);
  const Tensor y = Dropout(torch::ones({1000000}), 0.3, &stream);
  EXPECT_NEAR(y.eq(0).to(torch::kFloat64).mean().item<double>(), 0.3, 0.002);
  EXPECT_NEAR(y.mean().item<double>(), 1, 0.004);
}

TEST(Dropout, GivesEachCallUpdateAndSeedItsOwnMask) {
  const Tensor x = torch::ones({4096});
  DropoutStream first(1, 1), again(1, 1), other_update(1, 2), other_seed(2, 1);
  const Tensor a = Dropout(x, 0.5, &first);
  EXPECT_TRUE(a.equal(Dropout(x, 0.5, &again)));
  for (DropoutStream* stream : {&first, &other_update, &other_seed}) {
    EXPECT_NEAR(a.eq(Dropout(x, 0.5, stream)).to(torch::kFloat64).mean().item<double>(), 0.5, 0.05);
  }
}

TEST(Dropout, GivesTheSameMaskForAnyNumberOfThreads) {
  const Tensor x = torch::ones({300, 1001});
  std::vector<Tensor> masks;
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    DropoutStream stream(5, 6);
    masks.push_back(Dropout(x, 0.1, &stream));
  }
  EXPECT_TRUE(masks[0].equal(masks[1]));
}

TEST(Dropout, AgreesWithItsPlainTwinInValueAndGradient) {
  Tensor x = torch::randn({17, 31}, torch::kFloat64).requires_grad_();
  const Tensor direction = torch::randn({17, 31}, torch::kFloat64);
  DropoutStream stream(7, 8), same(7, 8);
  const Tensor mask = DropoutMask(x, 0.25, same.NextKey());
  const Tensor y = Dropout(x, 0.25, &stream);
  EXPECT_TRUE(y.equal(x * mask));
  (y * direction).sum().backward();
  EXPECT_TRUE(x.grad().equal(direction * mask));
}

TEST(AddDropout, AgreesWithItsPlainTwinInValueAndGradients) {
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kBFloat16}) {
    const auto sum_type = type == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
    const Tensor x = torch::randn({17, 31}, sum_type).requires_grad_();
    const Tensor y = torch::randn({17, 31}, torch::kFloat64).to(type).requires_grad_();
    const Tensor direction = torch::randn({17, 31}, sum_type);
    DropoutStream stream(7, 8), same(7, 8);
    const Tensor expected = x + y.to(sum_type) * DropoutMask(x, 0.25, same.NextKey());
    const Tensor found = AddDropout(x, y, 0.25, &stream);
    ASSERT_EQ(found.scalar_type(), sum_type);
    EXPECT_TRUE(torch::allclose(found, expected, 1e-6, 1e-6));
    const auto gradients = torch::autograd::grad({found}, {x, y}, {direction});
    const auto others = torch::autograd::grad({expected}, {x, y}, {direction});
    EXPECT_TRUE(gradients[0].equal(others[0]));
    EXPECT_EQ(gradients[1].scalar_type(), type);
    EXPECT_TRUE(torch::allclose(gradients[1], others[1], 1e-6, 1e-6));
  }
}

TEST(AddDropout, IsTheSumInEvaluation) {
  const Tensor x = torch::randn({3, 5}), y = torch::randn({3, 5});
  EXPECT_TRUE(AddDropout(x, y, 0.5, nullptr).equal(x + y));
}

TEST(FillDropoutMask, GivesAnyPartOfTheMask) {
  const DropoutStream::Key key{1, 2, 3};
  const Tensor mask = DropoutMask(torch::ones({1000}), 0.3, key);
  for (const auto& [first, count] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 1000}, {0, 5}, {127, 2}, {128, 128}, {300, 411}, {999, 1}, {5, 0}}) {
    std::vector<float> part(static_cast<size_t>(count));
    FillDropoutMask(0.3, key, first, count, part.data());
    EXPECT_TRUE(torch::tensor(part).equal(mask.narrow(0, first, count))) << first;
  }
}

}  // namespace
}  // namespace nmt
