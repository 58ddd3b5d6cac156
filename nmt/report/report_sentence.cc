#include "nmt/report/report_sentence.h"

#include <algorithm>
#include <cmath>

namespace nmt {

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

}  // namespace nmt
