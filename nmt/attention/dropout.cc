#include "nmt/attention/dropout.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "nmt/base/vector_math.h"

namespace nmt {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

// Counters are computed kLanes at a time, one array a word, so that the compiler turns each loop
// over lanes into vector code. It does not when it has unrolled the loop first, hence the pragmas.
constexpr int kLanes = 16;
// A counter gives four words of 32 bits, that is eight decisions of 16 bits.
constexpr int kDecisionsPerBlock = kLanes * 8;

using Lanes = uint32_t[kLanes];

// The four words of the counters (first_counter + lane, call, tail).
[[gnu::noinline]] void PhiloxLanes(uint32_t first_counter, uint32_t call,
                                   std::array<uint32_t, 2> tail, std::array<uint32_t, 2> key,
                                   Lanes* __restrict out) {
  for (int i = 0; i < kLanes; ++i) {
    out[0][i] = first_counter + static_cast<uint32_t>(i);
    out[1][i] = call;
    out[2][i] = tail[0];
    out[3][i] = tail[1];
  }
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 1
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

// The decisions of one block: `scale`, or 0 where 16 random bits are below the threshold.
template <typename Real>
[[gnu::noinline]] void BlockFactors(const Lanes* __restrict words, uint32_t threshold, Real scale,
                                    Real* __restrict factor) {
  for (int word = 0; word < 4; ++word) {
#pragma GCC unroll 1
    for (int i = 0; i < kLanes; ++i) {
      const uint32_t bits = words[word][i];
      factor[word * 2 * kLanes + i] = (bits & 0xFFFF) < threshold ? Real(0) : scale;
      factor[word * 2 * kLanes + kLanes + i] = (bits >> 16) < threshold ? Real(0) : scale;
    }
  }
}

uint32_t DropThreshold(double rate) { return static_cast<uint32_t>(std::lround(rate * 65536)); }

double KeepScale(double rate) { return 65536.0 / (65536.0 - DropThreshold(rate)); }

std::array<uint32_t, 2> Halves(uint64_t x) {
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)};
}

// The mask of one call, a block at a time. Element e of the tensor uses 16 bits of block
// e / kDecisionsPerBlock.
template <typename Real>
class MaskBlocks {
 public:
  MaskBlocks(double rate, DropoutStream::Key key)
      : threshold_(DropThreshold(rate)),
        scale_(static_cast<Real>(KeepScale(rate))),
        call_(static_cast<uint32_t>(key.call)),
        update_(Halves(key.update)),
        seed_(Halves(key.seed)) {}

  void Fill(int64_t block, Real* factor) const {
    alignas(64) Lanes words[4];
    PhiloxLanes(static_cast<uint32_t>(block * kLanes), call_, update_, seed_, words);
    BlockFactors(words, threshold_, scale_, factor);
  }

 private:
  uint32_t threshold_;
  Real scale_;
  uint32_t call_;
  std::array<uint32_t, 2> update_, seed_;
};

// out = mask * in, or base + mask * in
template <typename Real, typename In, typename Out>
void ApplyMask(const Real* base, const In* in, Out* out, int64_t size, double rate,
               DropoutStream::Key key) {
  const MaskBlocks<Real> mask(rate, key);
  const int64_t blocks = (size + kDecisionsPerBlock - 1) / kDecisionsPerBlock;
  at::parallel_for(0, blocks, /*grain_size=*/256, [&](int64_t begin, int64_t end) {
    alignas(64) Real factor[kDecisionsPerBlock];
    for (int64_t block = begin; block < end; ++block) {
      mask.Fill(block, factor);
      const int64_t first = block * kDecisionsPerBlock;
      const int64_t count = std::min<int64_t>(kDecisionsPerBlock, size - first);
      if (base == nullptr) {
        for (int64_t i = 0; i < count; ++i) Store(Load(in[first + i]) * factor[i], out[first + i]);
      } else {
        for (int64_t i = 0; i < count; ++i)
          Store(base[first + i] + Load(in[first + i]) * factor[i], out[first + i]);
      }
    }
  });
}

template <typename Real>
void FillMask(double rate, DropoutStream::Key key, int64_t first, int64_t count, Real* out) {
  const MaskBlocks<Real> mask(rate, key);
  alignas(64) Real factor[kDecisionsPerBlock];
  for (int64_t done = 0; done < count;) {
    const int64_t block = (first + done) / kDecisionsPerBlock;
    const int64_t offset = first + done - block * kDecisionsPerBlock;
    const int64_t size = std::min<int64_t>(kDecisionsPerBlock - offset, count - done);
    mask.Fill(block, factor);
    std::copy(factor + offset, factor + offset + size, out + done);
    done += size;
  }
}

// Calls work(In(), Out(), Real()) for two types of numbers in memory and that of the sums.
template <typename Work>
void ForTypes(torch::ScalarType in, torch::ScalarType out, const Work& work) {
  const auto is = [&](torch::ScalarType first, torch::ScalarType second) {
    return in == first && out == second;
  };
  if (is(torch::kFloat64, torch::kFloat64)) return work(double(), double(), double());
  if (is(torch::kFloat32, torch::kFloat32)) return work(float(), float(), float());
  if (is(torch::kBFloat16, torch::kBFloat16)) return work(uint16_t(), uint16_t(), float());
  if (is(torch::kBFloat16, torch::kFloat32)) return work(uint16_t(), float(), float());
  if (is(torch::kFloat32, torch::kBFloat16)) return work(float(), uint16_t(), float());
  TORCH_CHECK(false, "no dropout from numbers of type ", in, " to ", out);
}

// The fast kernel: CPU only, mask, product and sum in one pass. Gives mask * y in type `out`, or
// x + mask * y where x is defined; x is of type `out`, which is then not bfloat16.
Tensor MaskedCpu(const Tensor& x, const Tensor& y, torch::ScalarType out, double rate,
                 DropoutStream::Key key) {
  const Tensor base = x.defined() ? x.contiguous() : Tensor();
  const Tensor in = y.contiguous();
  Tensor result = torch::empty(in.sizes(), in.options().dtype(out));
  ForTypes(in.scalar_type(), out, [&](auto in_type, auto out_type, auto real) {
    using Real = decltype(real);
    ApplyMask(base.defined() ? static_cast<const Real*>(base.const_data_ptr()) : nullptr,
              static_cast<const decltype(in_type)*>(in.const_data_ptr()),
              static_cast<decltype(out_type)*>(result.mutable_data_ptr()), in.numel(), rate, key);
  });
  return result;
}

// x + mask * y; without x, mask * y.
class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const std::optional<Tensor>& x,
                        const Tensor& y, double rate, int64_t seed, int64_t update, int64_t call) {
    context->saved_data["rate"] = rate;
    context->saved_data["seed"] = seed;
    context->saved_data["update"] = update;
    context->saved_data["call"] = call;
    context->saved_data["has_x"] = x.has_value();
    context->saved_data["type"] = static_cast<int64_t>(y.scalar_type());
    return MaskedCpu(x.value_or(Tensor()), y, x ? x->scalar_type() : y.scalar_type(), rate,
                     Key(context));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grad) {
    const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
    return {context->saved_data["has_x"].toBool() ? grad[0] : Tensor(),
            MaskedCpu({}, grad[0], type, context->saved_data["rate"].toDouble(), Key(context)),
            Tensor(),
            Tensor(),
            Tensor(),
            Tensor()};
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

void FillDropoutMask(double rate, DropoutStream::Key key, int64_t first, int64_t count,
                     float* mask) {
  FillMask(rate, key, first, count, mask);
}
void FillDropoutMask(double rate, DropoutStream::Key key, int64_t first, int64_t count,
                     double* mask) {
  FillMask(rate, key, first, count, mask);
}

Tensor DropoutMask(const Tensor& x, double rate, DropoutStream::Key key) {
  const auto options = x.options().device(torch::kCPU).requires_grad(false);
  return MaskedCpu({}, torch::ones(x.sizes(), options), x.scalar_type(), rate, key).to(x.device());
}

Tensor Dropout(const Tensor& x, double rate, DropoutStream* stream) {
  if (stream == nullptr || rate == 0) return x;
  const DropoutStream::Key key = stream->NextKey();
  if (!x.device().is_cpu()) return x * DropoutMask(x, rate, key);
  return DropoutFunction::apply(std::nullopt, x, rate, static_cast<int64_t>(key.seed),
                                static_cast<int64_t>(key.update), static_cast<int64_t>(key.call));
}

Tensor AddDropout(const Tensor& x, const Tensor& y, double rate, DropoutStream* stream) {
  if (stream == nullptr || rate == 0 || !x.device().is_cpu() || x.scalar_type() == torch::kBFloat16)
    return x + Dropout(y, rate, stream);
  TORCH_CHECK(x.sizes() == y.sizes(), "sizes ", x.sizes(), " and ", y.sizes(), " differ");
  const DropoutStream::Key key = stream->NextKey();
  return DropoutFunction::apply(std::optional<Tensor>(x), y, rate, static_cast<int64_t>(key.seed),
                                static_cast<int64_t>(key.update), static_cast<int64_t>(key.call));
}

}  // namespace nmt
