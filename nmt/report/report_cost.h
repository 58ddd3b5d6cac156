// What a model cost beyond parameters and training time, which ModelResult has: work, memory, and how
// it learned.
//
//   model.cost.curves.push_back({.measure = "validation BLEU", .points = {{1000, 61.5, 12.3}}});
#ifndef NMT_REPORT_REPORT_COST_H_
#define NMT_REPORT_REPORT_COST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

struct CurvePoint {
  int64_t update = 0;
  double seconds = 0;  // of training until then
  double value = 0;
};

struct Curve {
  std::string measure;  // "validation BLEU": curves of one name are drawn together
  std::vector<CurvePoint> points;
};

struct ModelCost {
  std::optional<double> multiply_adds;  // of one sentence of the test set, forced, on average
  std::optional<double> training_tokens_per_second;
  std::optional<double> training_peak_bytes, decode_peak_bytes;
  std::vector<Curve> curves;
};

}  // namespace nmt

#endif  // NMT_REPORT_REPORT_COST_H_
