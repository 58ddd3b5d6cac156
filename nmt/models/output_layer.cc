#include "nmt/models/output_layer.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nmt/base/vector_row.h"

namespace nmt {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();
// Multiplications below which a second thread costs more than it saves.
constexpr int64_t kParallelWork = int64_t{1} << 20;
// Panels of logits that are looked at together.
constexpr int64_t kBlockPanels = 4;
constexpr const char* kNan = "the model gives NaN: its weights are broken";

// What a part of the vocabulary says of some rows: sum e^(logit - largest) and the best logits, best
// first.
class PartialSoftmax {
 public:
  PartialSoftmax(int64_t rows, int64_t count)
      : count_(count),
        largest_(static_cast<size_t>(rows), kNothing),
        sum_(static_cast<size_t>(rows), 0),
        logits_(static_cast<size_t>(rows * count), kNothing),
        tokens_(static_cast<size_t>(rows * count), 0) {}

  // The logits of the `width` tokens from `first` on; overwrites none.
  void Add(int64_t row, const float* logits, int64_t first, int64_t width,
           const std::vector<int64_t>& excluded) {
    const float largest = MaxRow(logits, width);
    AddSum(row, largest, ExpRow<false>(logits, largest, width));
    const float worst = logits_[Place(row, count_ - 1)];
    if (!(largest > worst)) return;
    for (int64_t i = 0; i < width; ++i) {
      if (logits[i] > logits_[Place(row, count_ - 1)]) Offer(row, logits[i], first + i, excluded);
    }
  }

  void Add(const PartialSoftmax& other) {
    for (size_t row = 0; row < sum_.size(); ++row) {
      const auto r = static_cast<int64_t>(row);
      AddSum(r, other.largest_[row], other.sum_[row]);
      for (int64_t i = 0; i < count_; ++i) {
        const size_t place = Place(r, i);
        if (other.logits_[place] > logits_[Place(r, count_ - 1)])
          Offer(r, other.logits_[place], other.tokens_[place], {});
      }
    }
  }

  NextTokens Finish() && {
    NextTokens next{count_, std::move(tokens_), std::move(logits_)};
    for (size_t row = 0; row < sum_.size(); ++row) {
      const float log_sum = largest_[row] + std::log(sum_[row]);
      TORCH_CHECK(!std::isnan(log_sum), kNan);
      for (int64_t i = 0; i < count_; ++i)
        next.log_probabilities[Place(static_cast<int64_t>(row), i)] -= log_sum;
    }
    return next;
  }

 private:
  size_t Place(int64_t row, int64_t i) const { return static_cast<size_t>(row * count_ + i); }

  void AddSum(int64_t row, float largest, float sum) {
    const auto r = static_cast<size_t>(row);
    if (largest > largest_[r]) {
      sum_[r] *= std::exp(largest_[r] - largest);
      largest_[r] = largest;
    } else if (largest < largest_[r]) {
      sum *= std::exp(largest - largest_[r]);
    }
    sum_[r] += sum;  // NaN stays NaN
  }

  // Puts a logit that is above the worst in its place. Of equal ones the lower token is first.
  void Offer(int64_t row, float logit, int64_t token, const std::vector<int64_t>& excluded) {
    if (std::find(excluded.begin(), excluded.end(), token) != excluded.end()) return;
    int64_t i = count_ - 1;
    for (; i > 0; --i) {
      const size_t above = Place(row, i - 1);
      if (logits_[above] > logit || (logits_[above] == logit && tokens_[above] < token)) break;
      logits_[Place(row, i)] = logits_[above];
      tokens_[Place(row, i)] = tokens_[above];
    }
    logits_[Place(row, i)] = logit;
    tokens_[Place(row, i)] = token;
  }

  const int64_t count_;
  std::vector<float> largest_, sum_, logits_;
  std::vector<int64_t> tokens_;
};

}  // namespace

NextTokens BestOf(const Tensor& log_probability_RV, int64_t count,
                  const std::vector<int64_t>& excluded) {
  TORCH_CHECK(!log_probability_RV.isnan().any().item<bool>(), kNan);
  Tensor allowed = log_probability_RV.clone();
  for (const int64_t token : excluded) allowed.select(1, token).fill_(kNothing);
  const int64_t found = std::min(count, allowed.size(1));
  auto [best, token] = allowed.topk(found, 1);
  best =
      torch::constant_pad_nd(best, {0, count - found}, kNothing).to(torch::kCPU, torch::kFloat32);
  token = torch::constant_pad_nd(token, {0, count - found}).to(torch::kCPU);
  best = best.contiguous();
  token = token.contiguous();
  NextTokens next{count, {}, {}};
  // Of equal ones the lower token first, which topk does not promise.
  std::vector<std::pair<float, int64_t>> row(static_cast<size_t>(count));
  for (int64_t r = 0; r < best.size(0); ++r) {
    for (int64_t i = 0; i < count; ++i) {
      row[static_cast<size_t>(i)] = {-best.const_data_ptr<float>()[r * count + i],
                                     token.const_data_ptr<int64_t>()[r * count + i]};
    }
    std::sort(row.begin(), row.end());
    for (const auto& [negative, id] : row) {
      next.tokens.push_back(id);
      next.log_probabilities.push_back(-negative);
    }
  }
  return next;
}

OutputLayer::OutputLayer(const Tensor& weight_VD, const Tensor& bias_V,
                         InferencePrecision precision)
    : weight_VD_(weight_VD), bias_V_(bias_V) {
  if (weight_VD.device().is_cpu() && weight_VD.scalar_type() == torch::kFloat32 &&
      HasPanelInstructions())
    packed_.emplace(weight_VD, bias_V, precision);
}

Tensor OutputLayer::LogProbabilities(const Tensor& hidden_RD) const {
  return torch::nn::functional::linear(hidden_RD, weight_VD_, bias_V_).log_softmax(1);
}

NextTokens OutputLayer::Best(const Tensor& hidden_RD, int64_t count,
                             const std::vector<int64_t>& excluded) const {
  if (!packed_) return BestOf(LogProbabilities(hidden_RD), count, excluded);
  const Tensor hidden = hidden_RD.contiguous();
  const int64_t rows = hidden.size(0), panels = packed_->panels();
  const PackedLinear::Input input = packed_->Prepare(rows, hidden.const_data_ptr<float>());
  // Each thread takes a run of panels. Few rows are not worth a second thread.
  const int64_t threads =
      rows * packed_->inputs() * packed_->outputs() < kParallelWork ? 1 : at::get_num_threads();
  std::vector<PartialSoftmax> parts(static_cast<size_t>(threads), PartialSoftmax(rows, count));
  at::parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
    constexpr int64_t kStride = kBlockPanels * kPanelColumns;
    alignas(64) float block[PackedLinear::kRowBlock * kStride];
    for (int64_t thread = begin; thread < end; ++thread) {
      const int64_t last = panels * (thread + 1) / threads;
      for (int64_t panel = panels * thread / threads; panel < last; panel += kBlockPanels) {
        const int64_t some_panels = std::min(kBlockPanels, last - panel);
        for (int64_t first = 0; first < rows; first += PackedLinear::kRowBlock) {
          const int64_t some_rows = std::min(PackedLinear::kRowBlock, rows - first);
          int64_t width = 0;
          for (int64_t i = 0; i < some_panels; ++i) {
            packed_->ForwardPanel(panel + i, input, first, some_rows, block + width, kStride,
                                  /*add=*/false);
            width += packed_->panel_width(panel + i);
          }
          for (int64_t row = 0; row < some_rows; ++row) {
            parts[static_cast<size_t>(thread)].Add(first + row, block + row * kStride,
                                                   panel * kPanelColumns, width, excluded);
          }
        }
      }
    }
  });
  PartialSoftmax whole =
      std::move(parts[0]);  // in one order, so that the digits are the same each time
  for (size_t i = 1; i < parts.size(); ++i) whole.Add(parts[i]);
  return std::move(whole).Finish();
}

}  // namespace nmt
