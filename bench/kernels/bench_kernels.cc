// Times each kernel of nmt beside its plain twin of LibTorch operations, in turn, those of training
// forward and backward, at the shapes of the transformer "tiny" and the GRU of bench/train.
//
//   build/bin/bench_kernels --rounds 9
#include <fmt/format.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>

#include "nmt/attention/additive_attention.h"
#include "nmt/attention/dot_attention.h"
#include "nmt/attention/dropout.h"
#include "nmt/attention/mask.h"
#include "nmt/attention/score.h"
#include "nmt/models/gru/gru_cell.h"
#include "nmt/models/gru/gru_sequence.h"
#include "nmt/models/loss.h"
#include "nmt/models/output_layer.h"

namespace nmt {
namespace {

using Clock = std::chrono::steady_clock;

struct Contest {
  std::string name, shape;
  std::function<void()> twin, kernel;
};

double Milliseconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Tensor Leaf(torch::IntArrayRef sizes, torch::ScalarType type = torch::kFloat32) {
  return torch::randn(sizes).to(type).requires_grad_();
}

// Forward, and the gradients of all leaves.
std::function<void()> WithGradients(const std::function<Tensor()>& forward,
                                    const std::vector<Tensor>& leaves) {
  const Tensor direction = torch::randn_like(forward().detach());
  return [=] { torch::autograd::grad({forward()}, leaves, {direction}); };
}

Contest DropoutContest() {
  const Tensor x = Leaf({4090, 128});
  const auto kernel = [x] {
    DropoutStream stream(1, 1);
    return Dropout(x, 0.3, &stream);
  };
  return {"dropout", "4090 x 128", WithGradients([x] { return torch::dropout(x, 0.3, true); }, {x}),
          WithGradients(kernel, {x})};
}

Contest ResidualContest() {
  const Tensor x = Leaf({4090, 128}), y = Leaf({4090, 128}, torch::kBFloat16);
  const auto twin = [x, y] { return x + torch::dropout(y, 0.3, true); };
  const auto kernel = [x, y] {
    DropoutStream stream(1, 1);
    return AddDropout(x, y, 0.3, &stream);
  };
  return {"residual and dropout, bf16", "4090 x 128", WithGradients(twin, {x, y}),
          WithGradients(kernel, {x, y})};
}

Contest DotAttentionContest(torch::ScalarType type, const char* name) {
  constexpr int64_t B = 290, H = 4, T = 14, S = 14, K = 32;
  const auto leaf = [&](int64_t length) { return Leaf({B, length, H * K}, type); };
  const Tensor query = leaf(T), key = leaf(S), value = leaf(S);
  const Tensor mask = PaddingMask(torch::randint(S / 2, S + 1, {B}), S);
  const auto heads = [](const Tensor& x) {
    return x.view({x.size(0), x.size(1), H, K}).transpose(1, 2);
  };
  const auto twin = [=] {
    const Tensor weights = MaskedSoftmax(ScaledDotScore(heads(query), heads(key)), mask);
    return Attend(torch::dropout(weights, 0.3, true), heads(value)).transpose(1, 2).contiguous();
  };
  const auto kernel = [=] {
    DropoutStream stream(1, 1);
    return DotAttention(heads(query), heads(key), heads(value), mask, 0.3, &stream)
        .transpose(1, 2)
        .contiguous();
  };
  return {name, "290 x 4 heads of 14 x 14 x 32", WithGradients(twin, {query, key, value}),
          WithGradients(kernel, {query, key, value})};
}

Contest LossContest() {
  constexpr int64_t N = 4090, D = 128, V = 10000;
  const Tensor hidden = Leaf({N, D}), weight = Leaf({V, D}), bias = Leaf({V});
  const Tensor target = torch::randint(4, V, {N});
  const auto twin = [=] {
    return LabelSmoothedLoss(torch::nn::functional::linear(hidden, weight, bias), target, 0.1).loss;
  };
  const auto kernel = [=] {
    return LinearLabelSmoothedLoss(hidden, weight, bias, target, 0.1).loss;
  };
  return {"logits, softmax and loss", "4090 x 128 x 10000",
          WithGradients(twin, {hidden, weight, bias}),
          WithGradients(kernel, {hidden, weight, bias})};
}

Contest RDropContest() {
  constexpr int64_t N = 4090, D = 128, V = 10000;
  const Tensor hidden = Leaf({N, D}), other = Leaf({N, D}), weight = Leaf({V, D}), bias = Leaf({V});
  const Tensor target = torch::randint(4, V, {N});
  const auto twin = [=] {
    const auto logits = [&](const Tensor& x) {
      return torch::nn::functional::linear(x, weight, bias);
    };
    const Tensor logits_p = logits(hidden), logits_q = logits(other);
    const Tensor log_p = logits_p.log_softmax(1), log_q = logits_q.log_softmax(1);
    const Tensor divergence = ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum();
    return (LabelSmoothedLoss(logits_p, target, 0.1).loss +
            LabelSmoothedLoss(logits_q, target, 0.1).loss) /
               2 +
           divergence / 4;
  };
  const auto kernel = [=] {
    return LinearRDropLoss(hidden, other, weight, bias, target, 0.1, /*weight=*/1).loss;
  };
  return {"R-Drop loss", "2 x 4090 x 128 x 10000",
          WithGradients(twin, {hidden, other, weight, bias}),
          WithGradients(kernel, {hidden, other, weight, bias})};
}

// A whole sequence of additive attention and GRU steps, the decoder of the GRU translator.
Contest DecoderContest() {
  constexpr int64_t T = 14, B = 290, S = 14, H = 512, A = 512, C = 512;
  DecoderSequence sequence{.input_gates_TB3H = Leaf({T, B, 3 * H}),
                           .initial_BH = Leaf({B, H}),
                           .key_BSA = Leaf({B, S, A}),
                           .value_BSC = Leaf({B, S, C}),
                           .mask_BS = torch::ones({B, S}, torch::kBool),
                           .query_weight_AH = Leaf({A, H}),
                           .v_A = Leaf({A}),
                           .context_weight_3HC = Leaf({3 * H, C}),
                           .context_bias_3H = {},
                           .recurrent_weight_3HH = Leaf({3 * H, H}),
                           .recurrent_bias_3H = Leaf({3 * H}),
                           .first_weight_3HH = {},
                           .first_bias_3H = {}};
  const std::vector<Tensor> leaves = {
      sequence.input_gates_TB3H,   sequence.initial_BH,           sequence.key_BSA,
      sequence.value_BSC,          sequence.query_weight_AH,      sequence.v_A,
      sequence.context_weight_3HC, sequence.recurrent_weight_3HH, sequence.recurrent_bias_3H};
  const auto twin = [sequence] {
    namespace F = torch::nn::functional;
    const Tensor mask_B11S = sequence.mask_BS.unsqueeze(1).unsqueeze(1);
    Tensor state = sequence.initial_BH;
    std::vector<Tensor> contexts;
    for (int64_t t = 0; t < T; ++t) {
      const Tensor query = F::linear(state, sequence.query_weight_AH).view({B, 1, 1, A});
      const Tensor weights = MaskedSoftmax(
          AdditiveScore(query, sequence.key_BSA.unsqueeze(1), sequence.v_A.unsqueeze(0)),
          mask_B11S);
      const Tensor context = Attend(weights, sequence.value_BSC.unsqueeze(1)).view({B, C});
      contexts.push_back(context);
      const Tensor input =
          F::linear(context, sequence.context_weight_3HC) + sequence.input_gates_TB3H[t];
      const Tensor recurrent =
          F::linear(state, sequence.recurrent_weight_3HH, sequence.recurrent_bias_3H);
      state = GruGates(input, recurrent, state);
    }
    return torch::stack(contexts);
  };
  const auto kernel = [sequence] { return GruDecoderSequence(sequence).context_TBC; };
  return {"GRU decoder with additive attention", "14 steps of 290, 512 units, 14 source pieces",
          WithGradients(twin, leaves), WithGradients(kernel, leaves)};
}

// Products of a decoding step, many so that they can be timed.
Contest PackedLinearContest(int64_t rows, InferencePrecision precision, const std::string& name) {
  constexpr int kTimes = 200;
  const Tensor weight = torch::randn({512, 128}), bias = torch::randn({512});
  const Tensor x = torch::randn({rows, 128});
  const PackedLinear packed(weight, bias, precision);
  const auto twin = [=] {
    const torch::InferenceMode inference;
    for (int i = 0; i < kTimes; ++i) torch::nn::functional::linear(x, weight, bias);
  };
  const auto kernel = [=] {
    const torch::InferenceMode inference;
    for (int i = 0; i < kTimes; ++i) packed.Forward(x);
  };
  return {name, fmt::format("{} times {} x 128 x 512", kTimes, rows), twin, kernel};
}

Contest OutputLayerContest(InferencePrecision precision, const std::string& name) {
  constexpr int kTimes = 10;
  const auto output =
      std::make_shared<OutputLayer>(torch::randn({10000, 128}), torch::randn({10000}), precision);
  const Tensor hidden = torch::randn({320, 128});
  const auto twin = [=] {
    const torch::InferenceMode inference;
    for (int i = 0; i < kTimes; ++i) BestOf(output->LogProbabilities(hidden), 5, {0, 2});
  };
  const auto kernel = [=] {
    const torch::InferenceMode inference;
    for (int i = 0; i < kTimes; ++i) output->Best(hidden, 5, {0, 2});
  };
  return {name, fmt::format("{} times 320 x 128 x 10000, 5 best", kTimes), twin, kernel};
}

int Main(int argc, char** argv) {
  CLI::App app("times each kernel beside its plain twin");
  int64_t rounds = 9, threads = 2;
  app.add_option("--rounds", rounds)->check(CLI::Range(1, 1000));
  app.add_option("--threads", threads)->check(CLI::Range(1, 1024));
  CLI11_PARSE(app, argc, argv);
  at::set_num_threads(static_cast<int>(threads));
  torch::manual_seed(1);
  fmt::print("| kernel | shape | twin ms | kernel ms | twin / kernel, median (range) |\n");
  fmt::print("|---|---|--:|--:|--:|\n");
  for (const Contest& contest :
       {DropoutContest(), ResidualContest(), DotAttentionContest(torch::kFloat32, "dot attention"),
        DotAttentionContest(torch::kBFloat16, "dot attention, bf16"), LossContest(), RDropContest(),
        DecoderContest(), PackedLinearContest(5, InferencePrecision::kFp32, "packed linear"),
        PackedLinearContest(64, InferencePrecision::kFp32, "packed linear"),
        PackedLinearContest(64, InferencePrecision::kInt8, "packed linear, int8"),
        OutputLayerContest(InferencePrecision::kFp32, "best tokens"),
        OutputLayerContest(InferencePrecision::kInt8, "best tokens, int8")}) {
    contest.twin();
    contest.kernel();
    std::vector<double> twins, kernels, ratios;
    for (int64_t i = 0; i < rounds; ++i) {
      twins.push_back(Milliseconds(contest.twin));
      kernels.push_back(Milliseconds(contest.kernel));
      ratios.push_back(twins.back() / kernels.back());
    }
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.1f} ({:.1f}–{:.1f}) |\n", contest.name,
               contest.shape, Median(twins), Median(kernels), Median(ratios),
               *std::min_element(ratios.begin(), ratios.end()),
               *std::max_element(ratios.begin(), ratios.end()));
  }
  return 0;
}

}  // namespace
}  // namespace nmt

int main(int argc, char** argv) { return nmt::Main(argc, argv); }
