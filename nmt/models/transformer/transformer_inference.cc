#include "nmt/models/transformer/transformer_inference.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "nmt/base/vector_row.h"

namespace nmt {
namespace {

constexpr int64_t kBlockSteps = 16;  // the cache grows by so many positions at once
constexpr int64_t kRowGrain = 32;    // rows of attention that are worth a thread

void NormalizeRow(const PackedNorm& norm, int64_t size, const float* x, float* y) {
  const float* weight = norm.weight_D.const_data_ptr<float>();
  const float* bias = norm.bias_D.const_data_ptr<float>();
  const float mean = SumRow(x, size) / static_cast<float>(size);
  for (int64_t i = 0; i < size; ++i) y[i] = x[i] - mean;
  const float variance = DotRow(y, y, size) / static_cast<float>(size);
  const float scale = 1 / std::sqrt(variance + static_cast<float>(norm.epsilon));
  for (int64_t i = 0; i < size; ++i) y[i] = y[i] * scale * weight[i] + bias[i];
}

struct Heads {
  int64_t count, size;
  float scale;

  explicit Heads(const ModelOptions& options)
      : count(options.heads),
        size(options.hidden_size / options.heads),
        scale(options.attention == AttentionScore::kDot ? 1.0f
                                                        : 1 / std::sqrt(static_cast<float>(size))) {
  }
};

// context = sum_s weights[s] values[s] for `vectors` x 16 numbers, which stay in registers.
template <int64_t vectors>
[[gnu::noinline]] void WeighVectors(const float* weights, const float* const* values, int64_t first,
                                    int64_t count, float factor, float* context) {
  RowVector sums[vectors] = {};
  for (int64_t s = 0; s < count; ++s) {
    for (int64_t v = 0; v < vectors; ++v)
      sums[v] += weights[s] * LoadRow(values[s] + first + v * kRowLanes);
  }
  for (int64_t v = 0; v < vectors; ++v) StoreRow(factor * sums[v], context + first + v * kRowLanes);
}

void Weigh(const float* weights, const float* const* values, int64_t first, int64_t size,
           int64_t count, float factor, float* context) {
  int64_t done = 0;
  for (; done + 4 * kRowLanes <= size; done += 4 * kRowLanes)
    WeighVectors<4>(weights, values, first + done, count, factor, context);
  for (; done + 2 * kRowLanes <= size; done += 2 * kRowLanes)
    WeighVectors<2>(weights, values, first + done, count, factor, context);
  for (; done + kRowLanes <= size; done += kRowLanes)
    WeighVectors<1>(weights, values, first + done, count, factor, context);
  for (; done < size; ++done) {
    float sum = 0;
    for (int64_t s = 0; s < count; ++s) sum += weights[s] * values[s][first + done];
    context[first + done] = factor * sum;
  }
}

// One row of multi-head attention: head h of `query` looks at head h of the `count` keys, and its context
// is head h of the values weighted (Vaswani et al. 2017, section 3.2.2). `weights`: room for `count`;
// `mean`, if given: the mean of the heads' weights is added to it.
void LookRow(const Heads& heads, const float* query, int64_t count, const float* const* keys,
             const float* const* values, float* weights, float* context, float* mean) {
  for (int64_t head = 0; head < heads.count; ++head) {
    const int64_t first = head * heads.size;
    for (int64_t s = 0; s < count; ++s)
      weights[s] = heads.scale * DotRow(query + first, keys[s] + first, heads.size);
    const float factor = 1 / ExpRow<true>(weights, MaxRow(weights, count), count);
    if (mean) AddScaledRow(factor / static_cast<float>(heads.count), weights, mean, count);
    Weigh(weights, values, first, heads.size, count, factor, context);
  }
}

// What a layer works in: the numbers of its rows.
class Workspace {
 public:
  Workspace(const ModelOptions& options, int64_t rows)
      : options_(options),
        size_(options.hidden_size),
        x_(static_cast<size_t>(rows * size_)),
        in_(x_.size()),
        context_(x_.size()),
        wide_(static_cast<size_t>(rows * std::max(3 * size_, options.feed_forward_size))) {}

  float* x() { return x_.data(); }
  float* context() { return context_.data(); }
  float* wide() { return wide_.data(); }

  // x + f(x), with the norm before f or after the sum; `f` adds to its second argument.
  template <typename Block>
  void Residual(const PackedNorm& norm, int64_t rows, const Block& f) {
    float* in = in_.data();
    const auto normalize = [&](float* out) {
      for (int64_t row = 0; row < rows; ++row)
        NormalizeRow(norm, size_, x() + row * size_, out + row * size_);
    };
    if (options_.norm == NormPosition::kPre) {
      normalize(in);
      f(in, x());
    } else {
      std::memcpy(in, x(), static_cast<size_t>(rows * size_) * sizeof(float));
      f(in, x());
      normalize(x());
    }
  }

  void FeedForward(const PackedFeedForward& layer, int64_t rows) {
    Residual(layer.norm, rows, [&](const float* in, float* out) {
      layer.inner.Forward(rows, in, wide(), /*add=*/false);
      const int64_t count = rows * layer.inner.outputs();
      if (options_.activation == Activation::kRelu) {
        float* inner = wide();
        for (int64_t i = 0; i < count; ++i) inner[i] = inner[i] < 0 ? 0 : inner[i];  // NaN stays
      } else {
        Tensor all = torch::from_blob(wide(), {count});
        torch::gelu_(all);
      }
      layer.outer.Forward(rows, wide(), out, /*add=*/true);
    });
  }

  // The rows after the last layer; `norm` is that of pre-norm.
  Tensor Finish(const PackedNorm& norm, int64_t rows) {
    const Tensor out = torch::empty({rows, size_});
    for (int64_t row = 0; row < rows; ++row) {
      float* its = out.mutable_data_ptr<float>() + row * size_;
      if (options_.norm == NormPosition::kPre) {
        NormalizeRow(norm, size_, x() + row * size_, its);
      } else {
        std::memcpy(its, x() + row * size_, static_cast<size_t>(size_) * sizeof(float));
      }
    }
    return out;
  }

 private:
  const ModelOptions& options_;
  const int64_t size_;
  std::vector<float> x_, in_, context_, wide_;
};

}  // namespace

class TransformerStepDecoder : public StepDecoder {
 public:
  TransformerStepDecoder(const TransformerInference& inference, const SourceBatch& source,
                         const StartOptions& options);

  StepOutput Step(const Ids& tokens_R) override;
  void Reorder(const Ids& rows_R) override;

 private:
  // Keys and values, side by side, of kBlockSteps positions: [step row 2D].
  struct CacheBlock {
    int64_t rows, width;
    std::unique_ptr<float[]> key_values;
    float* At(int64_t step, int64_t row) const {
      return key_values.get() + (step * rows + row) * width;
    }
  };

  void LookAtPast(size_t layer);
  // `attention_RS`: if defined, gets the mean of the heads' weights.
  void LookAtSource(size_t layer, const Tensor& attention_RS);
  int32_t* AncestorsOf(int64_t row) {
    return ancestors_.data() + static_cast<size_t>(row * max_steps_);
  }

  const TransformerInference& inference_;
  const int64_t size_, beam_size_, max_steps_;
  const bool attention_;
  const Heads heads_;
  const PackedSource source_;
  int64_t rows_, most_rows_;  // now, and while no more sentences leave
  int64_t position_ = 0;
  Ids sentences_R_;  // of each row
  std::vector<Tensor>
      memory_;  // of each layer: keys and values, side by side, of the source's rows
  std::vector<std::vector<CacheBlock>> cache_;  // of each layer
  // For each row, at each position of its past, the row in the cache.
  std::vector<int32_t> ancestors_, moved_ancestors_;
  Workspace work_;
};

TransformerStepDecoder::TransformerStepDecoder(const TransformerInference& inference,
                                               const SourceBatch& source,
                                               const StartOptions& options)
    : inference_(inference),
      size_(inference.options_.hidden_size),
      beam_size_(options.beam_size),
      max_steps_(options.max_steps),
      attention_(options.attention),
      heads_(inference.options_),
      source_(inference.Encode(source)),
      rows_(static_cast<int64_t>(source_.lengths_N.size())),
      most_rows_(rows_ * beam_size_),
      cache_(inference.decoder_.size()),
      ancestors_(static_cast<size_t>(rows_ * max_steps_)),
      work_(inference.options_, most_rows_) {
  for (int64_t n = 0; n < rows_; ++n) sentences_R_.push_back(n);
  for (const PackedDecoderLayer& layer : inference.decoder_) {
    const Tensor memory = torch::empty({source_.memory_PD.size(0), 2 * size_});
    layer.cross_key_value.Forward(source_.rows, source_.memory_PD.const_data_ptr<float>(),
                                  memory.mutable_data_ptr<float>(), /*add=*/false);
    memory_.push_back(memory);
  }
}

// From queries, keys and values in wide() to context().
void TransformerStepDecoder::LookAtPast(size_t layer) {
  const float* projected = work_.wide();
  float* context = work_.context();
  std::vector<CacheBlock>& blocks = cache_[layer];
  if (position_ % kBlockSteps == 0) {
    const auto numbers = static_cast<size_t>(kBlockSteps * most_rows_ * 2 * size_);
    blocks.push_back({most_rows_, 2 * size_, std::make_unique_for_overwrite<float[]>(numbers)});
  }
  for (int64_t row = 0; row < rows_; ++row) {
    std::memcpy(blocks.back().At(position_ % kBlockSteps, row), projected + row * 3 * size_ + size_,
                static_cast<size_t>(2 * size_) * sizeof(float));
  }
  at::parallel_for(0, rows_, kRowGrain, [&](int64_t begin, int64_t end) {
    const auto count = static_cast<size_t>(position_ + 1);
    std::vector<const float*> keys(count), values(count);
    std::vector<float> weights(count);
    for (int64_t row = begin; row < end; ++row) {
      const int32_t* ancestors = AncestorsOf(row);
      for (int64_t step = 0; step <= position_; ++step) {
        const CacheBlock& block = blocks[static_cast<size_t>(step / kBlockSteps)];
        const auto s = static_cast<size_t>(step);
        keys[s] = block.At(step % kBlockSteps, ancestors[step]);
        values[s] = keys[s] + size_;
      }
      LookRow(heads_, projected + row * 3 * size_, position_ + 1, keys.data(), values.data(),
              weights.data(), context + row * size_, /*mean=*/nullptr);
    }
  });
}

// From queries in wide() to context().
void TransformerStepDecoder::LookAtSource(size_t layer, const Tensor& attention_RS) {
  const float* queries = work_.wide();
  const float* memory = memory_[layer].const_data_ptr<float>();
  float* context = work_.context();
  float* mean = attention_RS.defined() ? attention_RS.mutable_data_ptr<float>() : nullptr;
  at::parallel_for(0, rows_, kRowGrain, [&](int64_t begin, int64_t end) {
    const auto longest = static_cast<size_t>(source_.longest);
    std::vector<const float*> keys(longest), values(longest);
    std::vector<float> weights(longest);
    for (int64_t row = begin; row < end; ++row) {
      const auto sentence = static_cast<size_t>(sentences_R_[static_cast<size_t>(row)]);
      const int64_t length = source_.lengths_N[sentence], first = source_.first_row_N[sentence];
      for (int64_t step = 0; step < length; ++step) {
        const auto s = static_cast<size_t>(step);
        keys[s] = memory + (first + step) * 2 * size_;
        values[s] = keys[s] + size_;
      }
      LookRow(heads_, queries + row * size_, length, keys.data(), values.data(), weights.data(),
              context + row * size_, mean ? mean + row * source_.longest : nullptr);
    }
  });
}

StepOutput TransformerStepDecoder::Step(const Ids& tokens_R) {
  TORCH_CHECK(static_cast<int64_t>(tokens_R.size()) == rows_ && position_ < max_steps_,
              tokens_R.size(), " tokens for ", rows_, " rows at step ", position_, " of ",
              max_steps_);
  const Tensor x_RD =
      inference_.transformer_->EmbedTarget(torch::tensor(tokens_R, torch::kInt64), position_)
          .contiguous();
  std::memcpy(work_.x(), x_RD.const_data_ptr<float>(), x_RD.nbytes());
  for (int64_t row = 0; row < rows_; ++row) AncestorsOf(row)[position_] = static_cast<int32_t>(row);
  Tensor attention_RS;
  for (size_t i = 0; i < inference_.decoder_.size(); ++i) {
    const PackedDecoderLayer& layer = inference_.decoder_[i];
    work_.Residual(layer.self.norm, rows_, [&](const float* in, float* out) {
      layer.self.query_key_value.Forward(rows_, in, work_.wide(), /*add=*/false);
      LookAtPast(i);
      layer.self.output.Forward(rows_, work_.context(), out, /*add=*/true);
    });
    work_.Residual(layer.cross_norm, rows_, [&](const float* in, float* out) {
      layer.cross_query.Forward(rows_, in, work_.wide(), /*add=*/false);
      if (attention_ && i + 1 == inference_.decoder_.size())
        attention_RS = torch::zeros({rows_, source_.longest});
      LookAtSource(i, attention_RS);
      layer.cross_output.Forward(rows_, work_.context(), out, /*add=*/true);
    });
    work_.FeedForward(layer.feed_forward, rows_);
  }
  ++position_;
  return {work_.Finish(inference_.decoder_norm_, rows_), attention_RS};
}

void TransformerStepDecoder::Reorder(const Ids& rows_R) {
  moved_ancestors_.resize(rows_R.size() * static_cast<size_t>(max_steps_));
  for (size_t row = 0; row < rows_R.size(); ++row) {
    std::copy_n(AncestorsOf(rows_R[row]), position_,
                moved_ancestors_.data() + row * static_cast<size_t>(max_steps_));
  }
  ancestors_.swap(moved_ancestors_);
  Ids sentences;
  int64_t left = 0;
  for (const int64_t row : rows_R) {
    const int64_t n = sentences_R_[static_cast<size_t>(row)];
    left += sentences.empty() || sentences.back() != n;
    sentences.push_back(n);
  }
  sentences_R_ = std::move(sentences);
  rows_ = static_cast<int64_t>(rows_R.size());
  most_rows_ = left * beam_size_;
}

TransformerInference::TransformerInference(const std::shared_ptr<TransformerModel>& model,
                                           InferencePrecision precision)
    : Inference(model, precision), transformer_(model), options_(model->options()) {
  const torch::NoGradGuard no_grad;
  const auto parameters = model->named_parameters();
  const auto norm = [&](const std::string& name) {
    return PackedNorm{parameters[name + ".weight"].detach().contiguous(),
                      parameters[name + ".bias"].detach().contiguous()};
  };
  // Several products of one input as one.
  const auto linear = [&](const std::string& prefix, const std::vector<std::string>& names) {
    std::vector<Tensor> weights, biases;
    for (const std::string& name : names) {
      weights.push_back(parameters[prefix + name + ".weight"].detach());
      biases.push_back(parameters[prefix + name + ".bias"].detach());
    }
    return PackedLinear(torch::cat(weights), torch::cat(biases), precision);
  };
  const auto self_attention = [&](const std::string& layer) {
    return PackedSelfAttention{
        .norm = norm(layer + "self_residual.norm"),
        .query_key_value = linear(layer + "self_attention.", {"query", "key", "value"}),
        .output = linear(layer + "self_attention.", {"output"})};
  };
  const auto feed_forward = [&](const std::string& layer) {
    return PackedFeedForward{.norm = norm(layer + "feed_forward_residual.norm"),
                             .inner = linear(layer + "feed_forward.", {"inner"}),
                             .outer = linear(layer + "feed_forward.", {"outer"})};
  };
  for (int64_t i = 0; i < options_.encoder_layers; ++i) {
    const std::string layer = "encoder" + std::to_string(i) + ".";
    encoder_.push_back({self_attention(layer), feed_forward(layer)});
  }
  for (int64_t i = 0; i < options_.decoder_layers; ++i) {
    const std::string layer = "decoder" + std::to_string(i) + ".";
    decoder_.push_back({.self = self_attention(layer),
                        .cross_norm = norm(layer + "cross_residual.norm"),
                        .cross_query = linear(layer + "cross_attention.", {"query"}),
                        .cross_key_value = linear(layer + "cross_attention.", {"key", "value"}),
                        .cross_output = linear(layer + "cross_attention.", {"output"}),
                        .feed_forward = feed_forward(layer)});
  }
  if (options_.norm == NormPosition::kPre) {
    encoder_norm_ = norm("encoder_norm");
    decoder_norm_ = norm("decoder_norm");
  }
}

PackedSource TransformerInference::Encode(const SourceBatch& source) const {
  const int64_t size = options_.hidden_size, sentences = source.lengths_B.size(0);
  const Tensor lengths_N = source.lengths_B.contiguous();
  PackedSource packed{.longest = source.ids_BS.size(1)};
  for (int64_t n = 0; n < sentences; ++n) {
    packed.first_row_N.push_back(packed.rows);
    packed.lengths_N.push_back(lengths_N.const_data_ptr<int64_t>()[n]);
    packed.rows += packed.lengths_N.back();
  }
  const Tensor x_NSD = transformer_->EmbedSource(source.ids_BS).contiguous();
  Workspace work(options_, packed.rows);
  for (int64_t n = 0; n < sentences; ++n) {
    const auto i = static_cast<size_t>(n);
    std::memcpy(work.x() + packed.first_row_N[i] * size,
                x_NSD.const_data_ptr<float>() + n * packed.longest * size,
                static_cast<size_t>(packed.lengths_N[i] * size) * sizeof(float));
  }
  const Heads heads(options_);
  for (const PackedEncoderLayer& layer : encoder_) {
    work.Residual(layer.self.norm, packed.rows, [&](const float* in, float* out) {
      layer.self.query_key_value.Forward(packed.rows, in, work.wide(), /*add=*/false);
      at::parallel_for(0, sentences, /*grain_size=*/4, [&](int64_t begin, int64_t end) {
        const auto longest = static_cast<size_t>(packed.longest);
        std::vector<const float*> keys(longest), values(longest);
        std::vector<float> weights(longest);
        for (int64_t n = begin; n < end; ++n) {
          const auto i = static_cast<size_t>(n);
          const int64_t length = packed.lengths_N[i], first = packed.first_row_N[i];
          const float* projected = work.wide() + first * 3 * size;
          for (int64_t s = 0; s < length; ++s) {
            keys[static_cast<size_t>(s)] = projected + s * 3 * size + size;
            values[static_cast<size_t>(s)] = projected + s * 3 * size + 2 * size;
          }
          for (int64_t s = 0; s < length; ++s) {
            LookRow(heads, projected + s * 3 * size, length, keys.data(), values.data(),
                    weights.data(), work.context() + (first + s) * size, /*mean=*/nullptr);
          }
        }
      });
      layer.self.output.Forward(packed.rows, work.context(), out, /*add=*/true);
    });
    work.FeedForward(layer.feed_forward, packed.rows);
  }
  packed.memory_PD = work.Finish(encoder_norm_, packed.rows);
  return packed;
}

bool TransformerInference::Takes(const ModelOptions& options) {
  return options.attention == AttentionScore::kDefault ||
         options.attention == AttentionScore::kScaledDot ||
         options.attention == AttentionScore::kDot;
}

std::unique_ptr<StepDecoder> TransformerInference::Start(const SourceBatch& source,
                                                         const StartOptions& options) const {
  return std::make_unique<TransformerStepDecoder>(*this, source, options);
}

}  // namespace nmt
