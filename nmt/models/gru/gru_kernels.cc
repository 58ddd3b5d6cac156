#include "nmt/models/gru/gru_kernels.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "nmt/base/shape.h"
#include "nmt/base/vector_math.h"

namespace nmt {
namespace {

// Rows that are worth waking a thread for.
constexpr int64_t kGrain = 16;

template <typename Real>
const Real* RealOrNull(const Tensor& real_B) {
  return real_B.defined() ? real_B.const_data_ptr<Real>() : nullptr;
}

// x: W x + b; u: U h; `keep`: 1, or 0 for a new state of 0. No two of the arrays overlap.
template <typename Real>
void ForwardRow(const Real* __restrict x, const Real* __restrict u, const Real* __restrict bias,
                const Real* __restrict h, int64_t H, Real keep, Real* __restrict tape,
                Real* __restrict next) {
  for (int64_t i = 0; i < H; ++i) {
    const Real r = FastSigmoid(x[i] + u[i] + bias[i]);
    const Real z = FastSigmoid(x[H + i] + u[H + i] + bias[H + i]);
    const Real recurrent_n = u[2 * H + i] + bias[2 * H + i];
    const Real n = FastTanh(x[2 * H + i] + r * recurrent_n);
    tape[i] = r;
    tape[H + i] = z;
    tape[2 * H + i] = n;
    tape[3 * H + i] = recurrent_n;
    next[i] = keep * (n + z * (h[i] - n));
  }
}

template <typename Real>
void BackwardRow(const Real* __restrict tape, const Real* __restrict h,
                 const Real* __restrict d_next, int64_t H, Real keep, Real* __restrict d_x,
                 Real* __restrict d_u, Real* __restrict d_h) {
  for (int64_t i = 0; i < H; ++i) {
    const Real r = tape[i], z = tape[H + i], n = tape[2 * H + i], recurrent_n = tape[3 * H + i];
    const Real d = keep * d_next[i];
    // d tanh = 1 - n^2, d sigma = s (1 - s)
    const Real dn = d * (1 - z) * (1 - n * n);
    const Real dz = d * (h[i] - n) * z * (1 - z);
    const Real dr = dn * recurrent_n * r * (1 - r);
    d_x[i] = d_u[i] = dr;
    d_x[H + i] = d_u[H + i] = dz;
    d_x[2 * H + i] = dn;
    d_u[2 * H + i] = dn * r;
    d_h[i] = d * z;
  }
}

}  // namespace

void GruGatesForward(const GruForward& step) {
  CheckShape(step.hidden_BH, "B H", {}, "hidden");
  const int64_t rows = step.hidden_BH.size(0), H = step.hidden_BH.size(1);
  CheckShape(step.input_B3H, "B G", {{"B", rows}, {"G", 3 * H}}, "input gates");
  CheckShape(step.recurrent_B3H, "B G", {{"B", rows}, {"G", 3 * H}}, "recurrent gates");
  const int64_t stride = step.recurrent_B3H.stride(0);
  AT_DISPATCH_FLOATING_TYPES(step.hidden_BH.scalar_type(), "GRU gates", [&] {
    const scalar_t *input = step.input_B3H.const_data_ptr<scalar_t>(),
                   *recurrent = step.recurrent_B3H.const_data_ptr<scalar_t>(),
                   *bias = step.recurrent_bias_3H.const_data_ptr<scalar_t>(),
                   *hidden = step.hidden_BH.const_data_ptr<scalar_t>(),
                   *real = RealOrNull<scalar_t>(step.real_B);
    scalar_t *tape = step.tape_B4H.mutable_data_ptr<scalar_t>(),
             *next = step.next_BH.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        ForwardRow(input + b * 3 * H, recurrent + b * stride, bias, hidden + b * H, H,
                   real == nullptr ? scalar_t(1) : real[b], tape + b * 4 * H, next + b * H);
      }
    });
  });
}

void GruGatesBackward(const GruBackward& step) {
  CheckShape(step.hidden_BH, "B H", {}, "hidden");
  const int64_t rows = step.hidden_BH.size(0), H = step.hidden_BH.size(1);
  const int64_t stride = step.d_recurrent_B3H.stride(0);
  AT_DISPATCH_FLOATING_TYPES(step.hidden_BH.scalar_type(), "GRU gates", [&] {
    const scalar_t *tape = step.tape_B4H.const_data_ptr<scalar_t>(),
                   *hidden = step.hidden_BH.const_data_ptr<scalar_t>(),
                   *d_next = step.d_next_BH.const_data_ptr<scalar_t>(),
                   *real = RealOrNull<scalar_t>(step.real_B);
    scalar_t *d_input = step.d_input_B3H.mutable_data_ptr<scalar_t>(),
             *d_recurrent = step.d_recurrent_B3H.mutable_data_ptr<scalar_t>(),
             *d_hidden = step.d_hidden_BH.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        BackwardRow(tape + b * 4 * H, hidden + b * H, d_next + b * H, H,
                    real == nullptr ? scalar_t(1) : real[b], d_input + b * 3 * H,
                    d_recurrent + b * stride, d_hidden + b * H);
      }
    });
  });
}

}  // namespace nmt
