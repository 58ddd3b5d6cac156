#include "nmt/attention/dot_attention.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "nmt/base/shape.h"
#include "nmt/base/vector_math.h"

namespace nmt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Rows of the small matrices are padded to whole vectors of this many numbers.
constexpr int64_t kLanes = 16;
int64_t Padded(int64_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

// Queries that are scored together: their scores are bounded by this times S.
constexpr int64_t kQueryRows = 64;

// Products worth waking a thread for.
constexpr int64_t kGrainProducts = 32768;

// A matrix in a head's scratch memory: entry (i, j) at data[i * row + j * column].
template <typename Real>
struct Matrix {
  const Real* data;
  int64_t row, column;
};

// GCC's and Clang's type for a vector register; a loop over lanes inside other loops is not turned
// into one reliably.
template <typename Real>
struct VectorOf {
  typedef Real Type __attribute__((vector_size(64)));
  static constexpr int64_t kSize = 64 / sizeof(Real);
};

// C += A B for `rows` rows and `vectors` vectors of C, which stay in registers.
template <int rows, int vectors, typename Real>
[[gnu::noinline]] void MultiplyTile(const Matrix<Real>& a, int64_t inner, const Real* b,
                                    int64_t b_row, Real* c, int64_t c_row) {
  using Vector = typename VectorOf<Real>::Type;
  Vector sums[rows][vectors] = {};
  for (int64_t i = 0; i < inner; ++i) {
    const Vector* const from = reinterpret_cast<const Vector*>(b + i * b_row);
    for (int r = 0; r < rows; ++r) {
      const Real factor = a.data[r * a.row + i * a.column];
      for (int k = 0; k < vectors; ++k) sums[r][k] += factor * from[k];
    }
  }
  for (int r = 0; r < rows; ++r) {
    Vector* const to = reinterpret_cast<Vector*>(c + r * c_row);
    for (int k = 0; k < vectors; ++k) to[k] += sums[r][k];
  }
}

template <int rows, typename Real>
void MultiplyRows(const Matrix<Real>& a, int64_t inner, const Real* b, int64_t b_row,
                  int64_t columns, Real* c, int64_t c_row) {
  constexpr int64_t kOne = VectorOf<Real>::kSize;
  int64_t j = 0;
  for (; j + 2 * kOne <= columns; j += 2 * kOne)
    MultiplyTile<rows, 2>(a, inner, b + j, b_row, c + j, c_row);
  for (; j < columns; j += kOne) MultiplyTile<rows, 1>(a, inner, b + j, b_row, c + j, c_row);
}

// C += A B; all of B and C are aligned, and `columns`, b_row and c_row are whole vectors.
template <typename Real>
void Multiply(Matrix<Real> a, int64_t rows, int64_t inner, const Real* b, int64_t b_row,
              int64_t columns, Real* c, int64_t c_row) {
  const auto next = [&](int64_t count) {
    a.data += count * a.row;
    c += count * c_row;
    rows -= count;
  };
  for (; rows >= 4; next(4)) MultiplyRows<4>(a, inner, b, b_row, columns, c, c_row);
  for (; rows >= 1; next(1)) MultiplyRows<1>(a, inner, b, b_row, columns, c, c_row);
}

// [rows columns] as it lies in a tensor, to rows of `to_row` numbers, times `scale`; the padding is 0.
template <typename Scalar, typename Real>
[[gnu::noinline]] void Read(const Scalar* __restrict from, int64_t from_row, int64_t rows,
                            int64_t columns, Real scale, Real* __restrict to, int64_t to_row) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      to[i * to_row + j] = scale * static_cast<Real>(Load(from[i * from_row + j]));
    std::fill(to + i * to_row + columns, to + (i + 1) * to_row, Real(0));
  }
}

// The transpose of [rows columns], to rows of `to_row` numbers; the padding is 0.
template <typename Real>
[[gnu::noinline]] void Transpose(const Real* __restrict from, int64_t from_row, int64_t rows,
                                 int64_t columns, Real* __restrict to, int64_t to_row) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) to[j * to_row + i] = from[i * from_row + j];
    std::fill(to + j * to_row + rows, to + (j + 1) * to_row, Real(0));
  }
}

template <typename Scalar, typename Real>
[[gnu::noinline]] void Write(const Real* __restrict from, int64_t from_row, int64_t rows,
                             int64_t columns, Real scale, Scalar* __restrict to, int64_t to_row) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) Store(scale * from[i * from_row + j], to[i * to_row + j]);
  }
}

// In place: softmax of a row of `padded` numbers; entries of -inf, the padding among them, become 0,
// and all do where there is no other.
template <typename Real>
[[gnu::noinline]] void SoftmaxRow(Real* __restrict e, int64_t padded) {
  Real highest[kLanes], sums[kLanes] = {};
  std::fill(highest, highest + kLanes, -std::numeric_limits<Real>::infinity());
  for (int64_t s = 0; s < padded; s += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane)
      highest[lane] = e[s + lane] > highest[lane] ? e[s + lane] : highest[lane];
  }
  Real top = highest[0];
  for (const Real lane : highest) top = lane > top ? lane : top;
  if (top == -std::numeric_limits<Real>::infinity()) {
    // Nothing may be seen, or nothing is a number: NaN, which no maximum takes, must not be lost.
    for (int64_t s = 0; s < padded; ++s) e[s] = std::isnan(e[s]) ? e[s] : Real(0);
    return;
  }
  for (int64_t s = 0; s < padded; s += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      e[s + lane] = FastExp(e[s + lane] - top);
      sums[lane] += e[s + lane];
    }
  }
  Real sum = 0;
  for (const Real lane : sums) sum += lane;
  const Real scale = 1 / sum;
  for (int64_t s = 0; s < padded; ++s) e[s] *= scale;
}

// ds = a (da - sum_r a_r da_r), in place of da.
template <typename Real>
[[gnu::noinline]] void SoftmaxRowBackward(const Real* __restrict a, int64_t padded,
                                          Real* __restrict d) {
  Real sums[kLanes] = {};
  for (int64_t s = 0; s < padded; s += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[s + lane] * d[s + lane];
  }
  Real mean = 0;
  for (const Real lane : sums) mean += lane;
  for (int64_t s = 0; s < padded; ++s) d[s] = a[s] * (d[s] - mean);
}

// A tensor [B H T K] with any strides but the last.
template <typename Scalar>
struct Heads {
  explicit Heads(const Tensor& x)
      : data(static_cast<Scalar*>(const_cast<void*>(x.const_data_ptr()))),
        batch(x.stride(0)),
        head(x.stride(1)),
        row(x.stride(2)) {}
  Scalar* At(int64_t b, int64_t h, int64_t t) const {
    return data + b * batch + h * head + t * row;
  }
  Scalar* data;
  int64_t batch, head, row;
};

struct Sizes {
  int64_t B, H, T, S, K;
};

struct MaskStrides {
  const bool* data = nullptr;
  int64_t batch = 0, head = 0, row = 0, column = 0;
};

// What forward and backward share: the dropout, the mask, and a head's weights.
struct Looks {
  Sizes size;
  MaskStrides mask;
  double rate = 0;  // 0: no dropout
  DropoutStream::Key key{};

  // The part of a head that its queries [t, t + rows) score. All rows are padded: S to SP, K to KP.
  //   weights: softmax(scale q k^T), and as dropout leaves them in `dropped` (the same where none is)
  template <typename Real>
  void Weigh(int64_t b, int64_t h, int64_t t, int64_t rows, const Real* query, int64_t KP,
             const Real* key_KS, Real* weights, Real* factors, Real* dropped) const {
    const int64_t S = size.S, SP = Padded(S);
    std::fill(weights, weights + rows * SP, Real(0));
    Multiply<Real>({query, KP, 1}, rows, size.K, key_KS, SP, SP, weights, SP);
    for (int64_t r = 0; r < rows; ++r) {
      Real* const e = weights + r * SP;
      std::fill(e + S, e + SP, -std::numeric_limits<Real>::infinity());
      if (mask.data != nullptr) {
        const bool* const seen = mask.data + b * mask.batch + h * mask.head + (t + r) * mask.row;
        for (int64_t s = 0; s < S; ++s) {
          if (!seen[s * mask.column]) e[s] = -std::numeric_limits<Real>::infinity();
        }
      }
      SoftmaxRow(e, SP);
    }
    if (rate == 0) return;
    FillDropoutMask(rate, key, ((b * size.H + h) * size.T + t) * S, rows * S, factors);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t s = 0; s < S; ++s)
        dropped[r * SP + s] = weights[r * SP + s] * factors[r * S + s];
      std::fill(dropped + r * SP + S, dropped + (r + 1) * SP, Real(0));
    }
  }

  template <typename Work>
  void ForEachHead(const Work& work) const {
    const int64_t products = std::max<int64_t>(1, size.T * size.S * size.K);
    at::parallel_for(0, size.B * size.H, std::max<int64_t>(1, kGrainProducts / products),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) work(i / size.H, i % size.H);
                     });
  }
};

// A head's memory, kept by its thread: room for `sizes` numbers each, as the last head left it, each
// at the start of a vector.
template <typename Real, size_t count>
std::array<Real*, count> Scratch(const int64_t (&sizes)[count]) {
  thread_local std::vector<Real> memory;
  int64_t total = kLanes;
  for (const int64_t size : sizes) total += Padded(size);
  if (static_cast<int64_t>(memory.size()) < total) memory.resize(static_cast<size_t>(total));
  constexpr uintptr_t kAlignment = 64;
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  Real* next = memory.data() + (kAlignment - address % kAlignment) % kAlignment / sizeof(Real);
  std::array<Real*, count> parts;
  for (size_t i = 0; i < count; ++i) {
    parts[i] = next;
    next += Padded(sizes[i]);
  }
  return parts;
}

// `Scalar` is what lies in memory (bf16 as uint16_t), `Real` what sums are taken in.
template <typename Scalar, typename Real>
void AttendForward(const Looks& looks, const Heads<Scalar>& query, const Heads<Scalar>& key,
                   const Heads<Scalar>& value, const Heads<Scalar>& context) {
  const auto [B, H, T, S, K] = looks.size;
  const int64_t KP = Padded(K), SP = Padded(S), rows = std::min(T, kQueryRows);
  const Real scale = 1 / std::sqrt(static_cast<Real>(K));
  looks.ForEachHead([&, T = T, S = S, K = K](int64_t b, int64_t h) {
    const auto [q, k, k_KS, v, weights, factors, dropped, c] = Scratch<Real>(
        {rows * KP, S * KP, K * SP, S * KP, rows * SP, rows * S, rows * SP, rows * KP});
    Read(key.At(b, h, 0), key.row, S, K, Real(1), k, KP);
    Transpose(k, KP, S, K, k_KS, SP);
    Read(value.At(b, h, 0), value.row, S, K, Real(1), v, KP);
    for (int64_t t = 0; t < T; t += rows) {
      const int64_t some = std::min(rows, T - t);
      Read(query.At(b, h, t), query.row, some, K, scale, q, KP);
      looks.Weigh(b, h, t, some, q, KP, k_KS, weights, factors, dropped);
      std::fill(c, c + some * KP, Real(0));
      const Real* const a = looks.rate == 0 ? weights : dropped;
      Multiply<Real>({a, SP, 1}, some, S, v, KP, KP, c, KP);
      Write(c, KP, some, K, Real(1), context.At(b, h, t), context.row);
    }
  });
}

template <typename Scalar>
struct HeadGradients {
  Heads<Scalar> query, key, value;
};

template <typename Scalar, typename Real>
void AttendBackward(const Looks& looks, const Heads<Scalar>& query, const Heads<Scalar>& key,
                    const Heads<Scalar>& value, const Heads<Scalar>& d_context,
                    const HeadGradients<Scalar>& gradients) {
  const auto [B, H, T, S, K] = looks.size;
  const int64_t KP = Padded(K), SP = Padded(S), rows = std::min(T, kQueryRows);
  const Real scale = 1 / std::sqrt(static_cast<Real>(K));
  looks.ForEachHead([&, T = T, S = S, K = K](int64_t b, int64_t h) {
    const auto [q, k, k_KS, v, v_KS, weights, factors, dropped, dc, da, dq, dk, dv] =
        Scratch<Real>({rows * KP, S * KP, K * SP, S * KP, K * SP, rows * SP, rows * S, rows * SP,
                       rows * KP, rows * SP, rows * KP, S * KP, S * KP});
    Read(key.At(b, h, 0), key.row, S, K, Real(1), k, KP);
    Transpose(k, KP, S, K, k_KS, SP);
    Read(value.At(b, h, 0), value.row, S, K, Real(1), v, KP);
    Transpose(v, KP, S, K, v_KS, SP);
    std::fill(dk, dk + S * KP, Real(0));
    std::fill(dv, dv + S * KP, Real(0));
    for (int64_t t = 0; t < T; t += rows) {
      const int64_t some = std::min(rows, T - t);
      Read(query.At(b, h, t), query.row, some, K, scale, q, KP);
      looks.Weigh(b, h, t, some, q, KP, k_KS, weights, factors, dropped);
      Read(d_context.At(b, h, t), d_context.row, some, K, Real(1), dc, KP);
      const Real* const a = looks.rate == 0 ? weights : dropped;
      Multiply<Real>({a, 1, SP}, S, some, dc, KP, KP, dv, KP);  // dv += a^T dc
      std::fill(da, da + some * SP, Real(0));
      Multiply<Real>({dc, KP, 1}, some, K, v_KS, SP, SP, da, SP);
      for (int64_t r = 0; r < some; ++r) {
        if (looks.rate != 0) {
          for (int64_t s = 0; s < S; ++s) da[r * SP + s] *= factors[r * S + s];
        }
        SoftmaxRowBackward(weights + r * SP, SP, da + r * SP);
      }
      std::fill(dq, dq + some * KP, Real(0));
      Multiply<Real>({da, SP, 1}, some, S, k, KP, KP, dq, KP);
      Write(dq, KP, some, K, scale, gradients.query.At(b, h, t), gradients.query.row);
      Multiply<Real>({da, 1, SP}, S, some, q, KP, KP, dk, KP);  // q is scaled already
    }
    Write(dk, KP, S, K, Real(1), gradients.key.At(b, h, 0), gradients.key.row);
    Write(dv, KP, S, K, Real(1), gradients.value.At(b, h, 0), gradients.value.row);
  });
}

// Calls work(Scalar(), Real()) for the type of a tensor.
template <typename Work>
void ForType(torch::ScalarType type, const Work& work) {
  switch (type) {
    case torch::kFloat64:
      return work(double(), double());
    case torch::kFloat32:
      return work(float(), float());
    case torch::kBFloat16:
      return work(uint16_t(), float());
    default:
      TORCH_CHECK(false, "no dot attention for numbers of type ", type);
  }
}

Tensor RowsWithUnitStride(const Tensor& x) { return x.stride(-1) == 1 ? x : x.contiguous(); }

// A tensor [B H T K] that lies as [B T H K], the order that joining the heads wants.
Tensor Room(const Tensor& like_BHTK) {
  const auto size = like_BHTK.sizes();
  return torch::empty({size[0], size[2], size[1], size[3]}, like_BHTK.options()).transpose(1, 2);
}

Looks MakeLooks(const Tensor& query_BHTK, const Tensor& key_BHSK, const Tensor& mask) {
  Looks looks;
  looks.size = {query_BHTK.size(0), query_BHTK.size(1), query_BHTK.size(2), key_BHSK.size(2),
                query_BHTK.size(3)};
  if (mask.defined()) {
    const auto [B, H, T, S, K] = looks.size;
    const Tensor full = mask.expand({B, H, T, S});
    looks.mask = {mask.const_data_ptr<bool>(), full.stride(0), full.stride(1), full.stride(2),
                  full.stride(3)};
  }
  return looks;
}

class DotAttentionFunction : public torch::autograd::Function<DotAttentionFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& key,
                        const Tensor& value, const std::optional<Tensor>& mask, double rate,
                        int64_t seed, int64_t update, int64_t call) {
    const Tensor query_BHTK = RowsWithUnitStride(query), key_BHSK = RowsWithUnitStride(key),
                 value_BHSK = RowsWithUnitStride(value);
    context->save_for_backward({query_BHTK, key_BHSK, value_BHSK, mask.value_or(Tensor())});
    context->saved_data["rate"] = rate;
    context->saved_data["seed"] = seed;
    context->saved_data["update"] = update;
    context->saved_data["call"] = call;
    Looks looks = MakeLooks(query_BHTK, key_BHSK, mask.value_or(Tensor()));
    SetDropout(context, &looks);
    const Tensor context_BHTK = Room(query_BHTK);
    ForType(query.scalar_type(), [&](auto scalar, auto real) {
      using Scalar = decltype(scalar);
      using Real = decltype(real);
      AttendForward<Scalar, Real>(looks, Heads<Scalar>(query_BHTK), Heads<Scalar>(key_BHSK),
                                  Heads<Scalar>(value_BHSK), Heads<Scalar>(context_BHTK));
    });
    return context_BHTK;
  }

  static variable_list backward(AutogradContext* context, variable_list grad) {
    const auto saved = context->get_saved_variables();
    const Tensor &query_BHTK = saved[0], &key_BHSK = saved[1], &value_BHSK = saved[2];
    Looks looks = MakeLooks(query_BHTK, key_BHSK, saved[3]);
    SetDropout(context, &looks);
    const Tensor d_context_BHTK = RowsWithUnitStride(grad[0]);
    const Tensor d_query_BHTK = Room(query_BHTK), d_key_BHSK = Room(key_BHSK),
                 d_value_BHSK = Room(value_BHSK);
    ForType(query_BHTK.scalar_type(), [&](auto scalar, auto real) {
      using Scalar = decltype(scalar);
      using Real = decltype(real);
      AttendBackward<Scalar, Real>(
          looks, Heads<Scalar>(query_BHTK), Heads<Scalar>(key_BHSK), Heads<Scalar>(value_BHSK),
          Heads<Scalar>(d_context_BHTK),
          {Heads<Scalar>(d_query_BHTK), Heads<Scalar>(d_key_BHSK), Heads<Scalar>(d_value_BHSK)});
    });
    return {d_query_BHTK, d_key_BHSK, d_value_BHSK, Tensor(),
            Tensor(),     Tensor(),   Tensor(),     Tensor()};
  }

 private:
  static void SetDropout(AutogradContext* context, Looks* looks) {
    looks->rate = context->saved_data["rate"].toDouble();
    looks->key = {static_cast<uint64_t>(context->saved_data["seed"].toInt()),
                  static_cast<uint64_t>(context->saved_data["update"].toInt()),
                  static_cast<uint64_t>(context->saved_data["call"].toInt())};
  }
};

}  // namespace

bool DotAttentionTakes(const Tensor& key_BHSK) {
  const auto type = key_BHSK.scalar_type();
  return key_BHSK.device().is_cpu() &&
         (type == torch::kFloat32 || type == torch::kFloat64 || type == torch::kBFloat16);
}

Tensor DotAttention(const Tensor& query_BHTK, const Tensor& key_BHSK, const Tensor& value_BHSK,
                    const Tensor& mask, double dropout, DropoutStream* stream) {
  CheckShape(query_BHTK, "B H T K", {}, "query");
  const int64_t B = query_BHTK.size(0), H = query_BHTK.size(1), K = query_BHTK.size(3);
  CheckShape(key_BHSK, "B H S K", {{"B", B}, {"H", H}, {"K", K}}, "key");
  CheckShape(value_BHSK, "B H S K", {{"B", B}, {"H", H}, {"S", key_BHSK.size(2)}, {"K", K}},
             "value");
  TORCH_CHECK(key_BHSK.scalar_type() == query_BHTK.scalar_type() &&
                  value_BHSK.scalar_type() == query_BHTK.scalar_type(),
              "query, key and value must be of one type");
  const bool drops = stream != nullptr && dropout > 0;
  const DropoutStream::Key key = drops ? stream->NextKey() : DropoutStream::Key{};
  return DotAttentionFunction::apply(
      query_BHTK, key_BHSK, value_BHSK, mask.defined() ? std::optional<Tensor>(mask) : std::nullopt,
      drops ? dropout : 0.0, static_cast<int64_t>(key.seed), static_cast<int64_t>(key.update),
      static_cast<int64_t>(key.call));
}

}  // namespace nmt
