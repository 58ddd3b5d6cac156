#include "nmt/models/gru/gru_kernels.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <vector>

#include "nmt/base/shape.h"
#include "nmt/base/vector_math.h"

namespace nmt {
namespace {

// Rows that are worth waking a thread for.
constexpr int64_t kGrain = 16;

// The numbers of a tensor, or null where it is undefined. bfloat16 goes as its bits, uint16_t.
template <typename Scalar>
const Scalar* DataOrNull(const Tensor& x) {
  return x.defined() ? static_cast<const Scalar*>(x.const_data_ptr()) : nullptr;
}
template <typename Scalar>
Scalar* OutputOrNull(const Tensor& x) {
  return x.defined() ? static_cast<Scalar*>(x.mutable_data_ptr()) : nullptr;
}

// What is added to the first summand of W x + b.
enum class More { kNothing, kRow, kBias };

// x: the first summand of W x + b; u: U h; `keep`: 1, or 0 for a new state of 0. No two of the arrays
// overlap.
template <More more, typename P, typename Real>
void ForwardRow(const P* __restrict x, const P* __restrict row, const Real* __restrict input_bias,
                const P* __restrict u, const Real* __restrict bias, const Real* __restrict h,
                int64_t H, Real keep, Real* __restrict tape, Real* __restrict next) {
  const auto input = [&](int64_t i) {
    if constexpr (more == More::kRow) return Load(x[i]) + Load(row[i]);
    if constexpr (more == More::kBias) return Load(x[i]) + input_bias[i];
    return Load(x[i]);
  };
  for (int64_t i = 0; i < H; ++i) {
    const Real r = FastSigmoid(input(i) + Load(u[i]) + bias[i]);
    const Real z = FastSigmoid(input(H + i) + Load(u[H + i]) + bias[H + i]);
    const Real recurrent_n = Load(u[2 * H + i]) + bias[2 * H + i];
    const Real n = FastTanh(input(2 * H + i) + r * recurrent_n);
    tape[i] = r;
    tape[H + i] = z;
    tape[2 * H + i] = n;
    tape[3 * H + i] = recurrent_n;
    next[i] = keep * (n + z * (h[i] - n));
  }
}

template <typename P, typename Real>
void BackwardRow(const Real* __restrict tape, const Real* __restrict h,
                 const Real* __restrict d_next, int64_t H, Real keep, P* __restrict d_x,
                 P* __restrict d_u, Real* __restrict d_h) {
  for (int64_t i = 0; i < H; ++i) {
    const Real r = tape[i], z = tape[H + i], n = tape[2 * H + i], recurrent_n = tape[3 * H + i];
    const Real d = keep * d_next[i];
    // d tanh = 1 - n^2, d sigma = s (1 - s)
    const Real dn = d * (1 - z) * (1 - n * n);
    const Real dz = d * (h[i] - n) * z * (1 - z);
    const Real dr = dn * recurrent_n * r * (1 - r);
    Store(dr, d_x[i]);
    Store(dr, d_u[i]);
    Store(dz, d_x[H + i]);
    Store(dz, d_u[H + i]);
    Store(dn, d_x[2 * H + i]);
    Store(dn * r, d_u[2 * H + i]);
    d_h[i] = d * z;
  }
}

// The gradient of the new state from its parts.
template <typename P, typename Real>
void AddParts(const Real* __restrict first, const P* __restrict second,
              const Real* __restrict third, int64_t H, Real* __restrict sum) {
  std::copy(first, first + H, sum);
  if (second != nullptr) {
    for (int64_t i = 0; i < H; ++i) sum[i] += Load(second[i]);
  }
  if (third != nullptr) {
    for (int64_t i = 0; i < H; ++i) sum[i] += third[i];
  }
}

// Calls work(P(), Real()) for the types of products and states.
template <typename Work>
void ForTypes(torch::ScalarType product, torch::ScalarType state, const Work& work) {
  if (state == torch::kFloat64 && product == state) return work(double(), double());
  if (state == torch::kFloat32 && product == state) return work(float(), float());
  if (state == torch::kFloat32 && product == torch::kBFloat16) return work(uint16_t(), float());
  TORCH_CHECK(false, "no GRU gates for products of type ", product, " and states of type ", state);
}

template <typename P, typename Real>
void Forward(const GruForward& step) {
  const int64_t rows = step.hidden_BH.size(0), H = step.hidden_BH.size(1);
  const int64_t stride = step.recurrent_B3H.stride(0);
  const P *input = DataOrNull<P>(step.input_B3H), *more = DataOrNull<P>(step.more_input_B3H),
          *recurrent = DataOrNull<P>(step.recurrent_B3H);
  const Real *input_bias = DataOrNull<Real>(step.input_bias_3H),
             *bias = DataOrNull<Real>(step.recurrent_bias_3H),
             *hidden = DataOrNull<Real>(step.hidden_BH), *real = DataOrNull<Real>(step.real_B);
  Real *tape = OutputOrNull<Real>(step.tape_B4H), *next = OutputOrNull<Real>(step.next_BH);
  P* const product = OutputOrNull<P>(step.next_product_BH);
  at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const auto row = [&]<More kind>() {
        ForwardRow<kind>(input + b * 3 * H, more + (more == nullptr ? 0 : b * 3 * H), input_bias,
                         recurrent + b * stride, bias, hidden + b * H, H,
                         real == nullptr ? Real(1) : real[b], tape + b * 4 * H, next + b * H);
      };
      if (more != nullptr) {
        row.template operator()<More::kRow>();
      } else if (input_bias != nullptr) {
        row.template operator()<More::kBias>();
      } else {
        row.template operator()<More::kNothing>();
      }
      if (product == nullptr) continue;
      for (int64_t i = b * H; i < (b + 1) * H; ++i) Store(next[i], product[i]);
    }
  });
}

template <typename P, typename Real>
void Backward(const GruBackward& step) {
  const int64_t rows = step.hidden_BH.size(0), H = step.hidden_BH.size(1);
  const int64_t stride = step.d_recurrent_B3H.stride(0);
  const Real *tape = DataOrNull<Real>(step.tape_B4H), *hidden = DataOrNull<Real>(step.hidden_BH),
             *d_next = DataOrNull<Real>(step.d_next_BH),
             *d_output = DataOrNull<Real>(step.d_output_BH), *real = DataOrNull<Real>(step.real_B);
  const P* const d_product = DataOrNull<P>(step.d_product_BH);
  P *d_input = OutputOrNull<P>(step.d_input_B3H),
    *d_recurrent = OutputOrNull<P>(step.d_recurrent_B3H);
  Real* const d_hidden = OutputOrNull<Real>(step.d_hidden_BH);
  at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
    std::vector<Real> sum(static_cast<size_t>(H));
    for (int64_t b = begin; b < end; ++b) {
      AddParts(d_next + b * H, d_product == nullptr ? nullptr : d_product + b * H,
               d_output == nullptr ? nullptr : d_output + b * H, H, sum.data());
      BackwardRow(tape + b * 4 * H, hidden + b * H, sum.data(), H,
                  real == nullptr ? Real(1) : real[b], d_input + b * 3 * H,
                  d_recurrent + b * stride, d_hidden + b * H);
    }
  });
}

}  // namespace

void GruGatesForward(const GruForward& step) {
  CheckShape(step.hidden_BH, "B H", {}, "hidden");
  const int64_t rows = step.hidden_BH.size(0), H = step.hidden_BH.size(1);
  CheckShape(step.input_B3H, "B G", {{"B", rows}, {"G", 3 * H}}, "input gates");
  CheckShape(step.recurrent_B3H, "B G", {{"B", rows}, {"G", 3 * H}}, "recurrent gates");
  const auto type = step.recurrent_B3H.scalar_type();
  TORCH_CHECK(step.input_B3H.scalar_type() == type, "gates of two types");
  ForTypes(type, step.hidden_BH.scalar_type(),
           [&](auto product, auto state) { Forward<decltype(product), decltype(state)>(step); });
}

void GruGatesBackward(const GruBackward& step) {
  CheckShape(step.hidden_BH, "B H", {}, "hidden");
  const auto type = step.d_recurrent_B3H.scalar_type();
  TORCH_CHECK(step.d_input_B3H.scalar_type() == type, "gradients of gates of two types");
  ForTypes(type, step.hidden_BH.scalar_type(),
           [&](auto product, auto state) { Backward<decltype(product), decltype(state)>(step); });
}

}  // namespace nmt
