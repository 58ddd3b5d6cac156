// Dropout whose masks are a pure function of (seed, update, call, element): the same for any number
// of threads, nothing to save for an exact resume, and regenerated in the backward pass instead of
// being kept.
//
//   DropoutStream dropout(seed, update);            // one a forward pass, owned by the trainer
//   y = Dropout(x, 0.1, &dropout);                  // the n-th call takes the n-th stream
//   y = Dropout(x, 0.1, nullptr);                   // evaluation: y is x
//
// Random numbers: Philox 4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2,
// 3"), a counter-based generator; torch::dropout draws from one serial Mersenne Twister, which
// takes a quarter of a small transformer's step.
#ifndef NMT_ATTENTION_DROPOUT_H_
#define NMT_ATTENTION_DROPOUT_H_

#include <torch/types.h>

#include <array>
#include <cstdint>

namespace nmt {

using torch::Tensor;

class DropoutStream {
 public:
  DropoutStream(uint64_t seed, uint64_t update) : seed_(seed), update_(update) {}

  struct Key {
    uint64_t seed;
    uint64_t update;
    uint64_t call;
  };
  Key NextKey() { return {seed_, update_, calls_++}; }

 private:
  uint64_t seed_;
  uint64_t update_;
  uint64_t calls_ = 0;
};

// Sets each element to 0 with probability `rate` (rounded to a multiple of 1/65536) and multiplies
// the others by 1 / (1 - rate). `stream` null: evaluation.
Tensor Dropout(const Tensor& x, double rate, DropoutStream* stream);

// x + Dropout(y, rate, stream), the residual connection, in one pass; y may be of a narrower type
// than x, which is that of the sum.
Tensor AddDropout(const Tensor& x, const Tensor& y, double rate, DropoutStream* stream);

// The plain twin, for tests and other devices: the mask itself, 0 or 1 / (1 - rate), of x's shape.
Tensor DropoutMask(const Tensor& x, double rate, DropoutStream::Key key);

// Elements [first, first + count) of that mask, for kernels that apply it in passing.
void FillDropoutMask(double rate, DropoutStream::Key key, int64_t first, int64_t count,
                     float* mask);
void FillDropoutMask(double rate, DropoutStream::Key key, int64_t first, int64_t count,
                     double* mask);

// Four random words for one counter and key.
std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

}  // namespace nmt

#endif  // NMT_ATTENTION_DROPOUT_H_
