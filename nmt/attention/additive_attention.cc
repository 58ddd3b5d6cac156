#include "nmt/attention/additive_attention.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>

#include "nmt/base/shape.h"
#include "nmt/base/vector_math.h"

namespace nmt {
namespace {

// Sums are kept one a lane, so that the compiler may use vector instructions.
constexpr int64_t kLanes = 16;

template <typename Real>
Real DotProduct(const Real* x, const Real* y, int64_t size) {
  Real sums[kLanes] = {};
  const int64_t whole = size / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  Real sum = 0;
  for (int64_t i = whole; i < size; ++i) sum += x[i] * y[i];
  for (const Real lane : sums) sum += lane;
  return sum;
}

// v^T tanh(q + k)
template <typename Real>
Real Score(const Real* query, const Real* key, const Real* v, int64_t size) {
  Real sums[kLanes] = {};
  const int64_t whole = size / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += v[i + lane] * FastTanh(query[i + lane] + key[i + lane]);
  }
  Real sum = 0;
  for (int64_t i = whole; i < size; ++i) sum += v[i] * FastTanh(query[i] + key[i]);
  for (const Real lane : sums) sum += lane;
  return sum;
}

// d q += de v (1 - tanh(q + k)^2). The arrays do not overlap, which the compiler forgets where it
// inlines this.
template <typename Real>
[[gnu::noinline]] void QueryBackward(Real de, const Real* __restrict query,
                                     const Real* __restrict key, const Real* __restrict v,
                                     int64_t size, Real* __restrict d_query) {
  for (int64_t i = 0; i < size; ++i) {
    const Real t = FastTanh(query[i] + key[i]);
    d_query[i] += de * v[i] * (1 - t * t);
  }
}

// The same for d k, and d v += de tanh(q + k).
template <typename Real>
[[gnu::noinline]] void KeyBackward(Real de, const Real* __restrict query,
                                   const Real* __restrict key, const Real* __restrict v,
                                   int64_t size, Real* __restrict d_key, Real* __restrict d_v) {
  for (int64_t i = 0; i < size; ++i) {
    const Real t = FastTanh(query[i] + key[i]);
    d_key[i] += de * v[i] * (1 - t * t);
    d_v[i] += de * t;
  }
}

// y += a x
template <typename Real>
[[gnu::noinline]] void AddMultiple(Real a, const Real* __restrict x, int64_t size,
                                   Real* __restrict y) {
  for (int64_t i = 0; i < size; ++i) y[i] += a * x[i];
}

// In place; masked entries become 0, and all of them where nothing may be seen.
template <typename Real>
void Softmax(Real* e, const bool* mask, int64_t size) {
  Real highest = -std::numeric_limits<Real>::infinity();
  for (int64_t s = 0; s < size; ++s) {
    if (mask[s]) highest = std::max(highest, e[s]);
  }
  Real sum = 0;
  for (int64_t s = 0; s < size; ++s) {
    e[s] = mask[s] ? FastExp(e[s] - highest) : Real(0);
    sum += e[s];
  }
  if (sum == 0) return;
  for (int64_t s = 0; s < size; ++s) e[s] /= sum;
}

// Sentences are shared among the threads in fixed parts.
template <typename Work>
void ForSentences(int64_t sentences, const Work& work) {
  const int64_t parts = std::min<int64_t>(sentences, at::get_num_threads());
  at::parallel_for(0, parts, /*grain_size=*/1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      for (int64_t b = sentences * part / parts; b < sentences * (part + 1) / parts; ++b)
        work(b, part);
    }
  });
}

struct Sizes {
  int64_t B, S, A, C;
};
Sizes CheckedSizes(const AdditiveMemory& memory) {
  CheckShape(memory.key_BSA, "B S A", {}, "key");
  const Sizes size{memory.key_BSA.size(0), memory.key_BSA.size(1), memory.key_BSA.size(2),
                   memory.value_BSC.size(2)};
  CheckShape(memory.value_BSC, "B S C", {{"B", size.B}, {"S", size.S}}, "value");
  CheckShape(memory.mask_BS, "B S", {{"B", size.B}, {"S", size.S}}, "mask");
  CheckShape(memory.v_A, "A", {{"A", size.A}}, "v");
  return size;
}

}  // namespace

void AdditiveAttend(const AdditiveMemory& memory, const Tensor& query_RA, const Tensor& weights_RS,
                    const Tensor& context_RC, const std::vector<int64_t>& sentences_R) {
  const auto [B, S, A, C] = CheckedSizes(memory);
  const int64_t R = sentences_R.empty() ? B : static_cast<int64_t>(sentences_R.size());
  CheckShape(query_RA, "R A", {{"R", R}, {"A", A}}, "query");
  AT_DISPATCH_FLOATING_TYPES(
      query_RA.scalar_type(), "additive attention", [&, S = S, A = A, C = C] {
        const scalar_t *query = query_RA.const_data_ptr<scalar_t>(),
                       *key = memory.key_BSA.const_data_ptr<scalar_t>(),
                       *value = memory.value_BSC.const_data_ptr<scalar_t>(),
                       *v = memory.v_A.const_data_ptr<scalar_t>();
        const bool* mask = memory.mask_BS.const_data_ptr<bool>();
        scalar_t *weights = weights_RS.mutable_data_ptr<scalar_t>(),
                 *context = context_RC.mutable_data_ptr<scalar_t>();
        ForSentences(R, [&](int64_t r, int64_t /*part*/) {
          const int64_t b = sentences_R.empty() ? r : sentences_R[static_cast<size_t>(r)];
          scalar_t* const a = weights + r * S;
          scalar_t* const c = context + r * C;
          for (int64_t s = 0; s < S; ++s) {
            a[s] =
                mask[b * S + s] ? Score(query + r * A, key + (b * S + s) * A, v, A) : scalar_t(0);
          }
          Softmax(a, mask + b * S, S);
          std::fill(c, c + C, scalar_t(0));
          for (int64_t s = 0; s < S; ++s) {
            const scalar_t* const row = value + (b * S + s) * C;
            const scalar_t weight = a[s];
            if (weight == 0) continue;
            for (int64_t i = 0; i < C; ++i) c[i] += weight * row[i];
          }
        });
      });
}

void AdditiveAttendBackward(const AdditiveMemory& memory, const Tensor& query_BA,
                            const Tensor& weights_BS, const Tensor& d_context_BC,
                            const Tensor& d_weights_BS, const Tensor& d_query_BA,
                            const Tensor& d_scores_BS) {
  const auto [B, S, A, C] = CheckedSizes(memory);
  CheckShape(query_BA, "B A", {{"B", B}, {"A", A}}, "query");
  if (d_weights_BS.defined())
    CheckShape(d_weights_BS, "B S", {{"B", B}, {"S", S}}, "gradient of the weights");
  AT_DISPATCH_FLOATING_TYPES(
      query_BA.scalar_type(), "additive attention", [&, S = S, A = A, C = C] {
        const scalar_t *query = query_BA.const_data_ptr<scalar_t>(),
                       *key = memory.key_BSA.const_data_ptr<scalar_t>(),
                       *value = memory.value_BSC.const_data_ptr<scalar_t>(),
                       *v = memory.v_A.const_data_ptr<scalar_t>(),
                       *weights = weights_BS.const_data_ptr<scalar_t>(),
                       *d_context = d_context_BC.const_data_ptr<scalar_t>(),
                       *d_weights = d_weights_BS.defined() ? d_weights_BS.const_data_ptr<scalar_t>()
                                                           : nullptr;
        scalar_t *d_query = d_query_BA.mutable_data_ptr<scalar_t>(),
                 *d_scores = d_scores_BS.mutable_data_ptr<scalar_t>();
        ForSentences(B, [&](int64_t b, int64_t /*part*/) {
          const scalar_t* const a = weights + b * S;
          scalar_t* const de = d_scores + b * S;
          scalar_t mean = 0;  // sum_s a_s da_s
          for (int64_t s = 0; s < S; ++s) {
            // Of a, until the mean is known.
            de[s] =
                a[s] == 0 ? scalar_t(0) : DotProduct(d_context + b * C, value + (b * S + s) * C, C);
            if (d_weights && a[s] != 0) de[s] += d_weights[b * S + s];
            mean += a[s] * de[s];
          }
          std::fill(d_query + b * A, d_query + (b + 1) * A, scalar_t(0));
          for (int64_t s = 0; s < S; ++s) {
            de[s] = a[s] * (de[s] - mean);
            if (de[s] == 0) continue;
            QueryBackward(de[s], query + b * A, key + (b * S + s) * A, v, A, d_query + b * A);
          }
        });
      });
}

AdditiveMemoryGradients AdditiveMemoryBackward(const AdditiveMemory& memory,
                                               const Tensor& query_TBA, const Tensor& weights_TBS,
                                               const Tensor& d_context_TBC,
                                               const Tensor& d_scores_TBS) {
  const auto [B, S, A, C] = CheckedSizes(memory);
  CheckShape(query_TBA, "T B A", {{"B", B}, {"A", A}}, "query");
  const int64_t T = query_TBA.size(0);
  const AdditiveMemoryGradients gradients{
      torch::zeros_like(memory.key_BSA), torch::zeros_like(memory.value_BSC), {}};
  // One row a thread; their sum is v's gradient.
  const Tensor d_v_PA = torch::zeros({at::get_num_threads(), A}, memory.v_A.options());
  AT_DISPATCH_FLOATING_TYPES(
      query_TBA.scalar_type(), "additive attention", [&, B = B, S = S, A = A, C = C] {
        const scalar_t *query = query_TBA.const_data_ptr<scalar_t>(),
                       *key = memory.key_BSA.const_data_ptr<scalar_t>(),
                       *v = memory.v_A.const_data_ptr<scalar_t>(),
                       *weights = weights_TBS.const_data_ptr<scalar_t>(),
                       *d_context = d_context_TBC.const_data_ptr<scalar_t>(),
                       *d_scores = d_scores_TBS.const_data_ptr<scalar_t>();
        scalar_t *d_key = gradients.key_BSA.mutable_data_ptr<scalar_t>(),
                 *d_value = gradients.value_BSC.mutable_data_ptr<scalar_t>(),
                 *d_v = d_v_PA.mutable_data_ptr<scalar_t>();
        ForSentences(B, [&](int64_t b, int64_t part) {
          for (int64_t s = 0; s < S; ++s) {
            const int64_t row = b * S + s;
            for (int64_t t = 0; t < T; ++t) {
              const int64_t look = t * B + b;
              const scalar_t a = weights[look * S + s], de = d_scores[look * S + s];
              if (a != 0) AddMultiple(a, d_context + look * C, C, d_value + row * C);
              if (de == 0) continue;
              KeyBackward(de, query + look * A, key + row * A, v, A, d_key + row * A,
                          d_v + part * A);
            }
          }
        });
      });
  return {gradients.key_BSA, gradients.value_BSC, d_v_PA.sum(0)};
}

}  // namespace nmt
