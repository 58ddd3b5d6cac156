#include "nmt/attention/dropout.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <cmath>

#include "nmt/base/vector_math.h"

namespace nmt {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

// Counters are computed kLanes at a time, one array a word, so that the compiler turns each line
// into vector code.
constexpr int kLanes = 16;
// A counter gives four words of 32 bits, that is eight decisions of 16 bits.
constexpr int kDecisionsPerBlock = kLanes * 8;

using Lanes = uint32_t[kLanes];

void PhiloxLanes(uint32_t first_counter, uint32_t call, std::array<uint32_t, 2> tail,
                 std::array<uint32_t, 2> key, Lanes out[4]) {
  for (int i = 0; i < kLanes; ++i) {
    out[0][i] = first_counter + static_cast<uint32_t>(i);
    out[1][i] = call;
    out[2][i] = tail[0];
    out[3][i] = tail[1];
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t product0 = uint64_t{kMultiplier0} * out[0][i];
      const uint64_t product1 = uint64_t{kMultiplier1} * out[2][i];
      const uint32_t word1 = out[1][i], word3 = out[3][i];
      out[0][i] = static_cast<uint32_t>(product1 >> 32) ^ word1 ^ key[0];
      out[1][i] = static_cast<uint32_t>(product1);
      out[2][i] = static_cast<uint32_t>(product0 >> 32) ^ word3 ^ key[1];
      out[3][i] = static_cast<uint32_t>(product0);
    }
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
}

uint32_t DropThreshold(double rate) { return static_cast<uint32_t>(std::lround(rate * 65536)); }

double KeepScale(double rate) { return 65536.0 / (65536.0 - DropThreshold(rate)); }

// out = mask * in. Element e of the tensor uses 16 bits of block e / kDecisionsPerBlock.
template <typename Scalar, typename Real>
void ApplyMask(const Scalar* in, Scalar* out, int64_t size, double rate, DropoutStream::Key key) {
  const uint32_t threshold = DropThreshold(rate);
  const Real scale = static_cast<Real>(KeepScale(rate));
  const std::array<uint32_t, 2> seed = {static_cast<uint32_t>(key.seed),
                                        static_cast<uint32_t>(key.seed >> 32)};
  const std::array<uint32_t, 2> tail = {static_cast<uint32_t>(key.update),
                                        static_cast<uint32_t>(key.update >> 32)};
  const int64_t blocks = (size + kDecisionsPerBlock - 1) / kDecisionsPerBlock;
  at::parallel_for(0, blocks, /*grain_size=*/256, [&](int64_t begin, int64_t end) {
    alignas(64) Lanes words[4];
    alignas(64) Real factor[kDecisionsPerBlock];
    for (int64_t block = begin; block < end; ++block) {
      PhiloxLanes(static_cast<uint32_t>(block * kLanes), static_cast<uint32_t>(key.call), tail,
                  seed, words);
      for (int word = 0; word < 4; ++word) {
        for (int i = 0; i < kLanes; ++i) {
          const uint32_t bits = words[word][i];
          factor[word * 32 + i] = (bits & 0xFFFF) < threshold ? Real(0) : scale;
          factor[word * 32 + 16 + i] = (bits >> 16) < threshold ? Real(0) : scale;
        }
      }
      const int64_t first = block * kDecisionsPerBlock;
      const int64_t count = std::min<int64_t>(kDecisionsPerBlock, size - first);
      for (int64_t i = 0; i < count; ++i) Store(Load(in[first + i]) * factor[i], out[first + i]);
    }
  });
}

// The fast kernel: CPU only, mask and product in one pass.
Tensor MaskedCpu(const Tensor& x, double rate, DropoutStream::Key key) {
  const Tensor in = x.contiguous();
  Tensor out = torch::empty_like(in);
  const int64_t size = in.numel();
  void* const to = out.mutable_data_ptr();
  const void* const from = in.const_data_ptr();
  switch (in.scalar_type()) {
    case torch::kFloat64:
      ApplyMask<double, double>(static_cast<const double*>(from), static_cast<double*>(to), size,
                                rate, key);
      break;
    case torch::kFloat32:
      ApplyMask<float, float>(static_cast<const float*>(from), static_cast<float*>(to), size, rate,
                              key);
      break;
    case torch::kBFloat16:
      ApplyMask<uint16_t, float>(static_cast<const uint16_t*>(from), static_cast<uint16_t*>(to),
                                 size, rate, key);
      break;
    default:
      TORCH_CHECK(false, "no dropout for numbers of type ", in.scalar_type());
  }
  return out;
}

class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, double rate,
                        int64_t seed, int64_t update, int64_t call) {
    context->saved_data["rate"] = rate;
    context->saved_data["seed"] = seed;
    context->saved_data["update"] = update;
    context->saved_data["call"] = call;
    return MaskedCpu(x, rate, Key(context));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grad) {
    return {MaskedCpu(grad[0], context->saved_data["rate"].toDouble(), Key(context)), Tensor(),
            Tensor(), Tensor(), Tensor()};
  }

 private:
  static DropoutStream::Key Key(torch::autograd::AutogradContext* context) {
    return {static_cast<uint64_t>(context->saved_data["seed"].toInt()),
            static_cast<uint64_t>(context->saved_data["update"].toInt()),
            static_cast<uint64_t>(context->saved_data["call"].toInt())};
  }
};

}  // namespace

std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  Lanes out[4];
  PhiloxLanes(counter[0], counter[1], {counter[2], counter[3]}, key, out);
  return {out[0][0], out[1][0], out[2][0], out[3][0]};
}

Tensor DropoutMask(const Tensor& x, double rate, DropoutStream::Key key) {
  return MaskedCpu(torch::ones(x.sizes(), x.options().device(torch::kCPU).requires_grad(false)),
                   rate, key)
      .to(x.device());
}

Tensor Dropout(const Tensor& x, double rate, DropoutStream* stream) {
  if (stream == nullptr || rate == 0) return x;
  const DropoutStream::Key key = stream->NextKey();
  if (!x.device().is_cpu()) return x * DropoutMask(x, rate, key);
  return DropoutFunction::apply(x, rate, static_cast<int64_t>(key.seed),
                                static_cast<int64_t>(key.update), static_cast<int64_t>(key.call));
}

}  // namespace nmt
