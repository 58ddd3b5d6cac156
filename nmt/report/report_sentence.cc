#include "nmt/report/report_sentence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nmt {
namespace {

// What a matrix takes in JSON: its base64, and the names and numbers of its record.
int64_t CostOf(const SentenceAttention& attention) {
  return (static_cast<int64_t>(attention.weights.bytes.size()) + 2) / 3 * 4 + 80;
}

double LargestDivergence(const SentenceRecord& sentence) {
  double most = 0;
  for (const std::optional<double>& value : sentence.divergence)
    most = std::max(most, value.value_or(0));
  return most;
}

}  // namespace

QuantizedWeights Quantize(const SoftMatrix& weights_TS) {
  QuantizedWeights quantized{.rows = weights_TS.rows(), .columns = weights_TS.columns()};
  quantized.bytes.reserve(weights_TS.values().size());
  for (const float weight : weights_TS.values()) {
    const float in_range = weight > 0 ? std::min(weight, 1.0f) : 0.0f;  // 0 for NaN
    quantized.bytes += static_cast<char>(std::lround(255 * in_range));
  }
  return quantized;
}

std::string Base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

int64_t LimitAttention(std::vector<SentenceRecord>& sentences, int64_t budget) {
  std::vector<size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return LargestDivergence(sentences[a]) > LargestDivergence(sentences[b]);
  });
  int64_t choices = 0;
  for (const SentenceRecord& sentence : sentences) {
    for (const SentenceAttention& one : sentence.attention)
      choices = std::max(choices, one.choice + 1);
  }
  std::vector<std::vector<SentenceAttention>> kept(sentences.size());
  int64_t left_out = 0;
  for (int64_t choice = 0; choice < choices; ++choice) {
    for (const size_t i : order) {
      for (SentenceAttention& one : sentences[i].attention) {
        if (one.choice != choice) continue;
        if (CostOf(one) > budget) {
          ++left_out;
          continue;
        }
        budget -= CostOf(one);
        kept[i].push_back(std::move(one));
      }
    }
  }
  for (size_t i = 0; i < sentences.size(); ++i) sentences[i].attention = std::move(kept[i]);
  return left_out;
}

}  // namespace nmt
