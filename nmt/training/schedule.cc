#include "nmt/training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nmt {

double LearningRate(const TrainingOptions& options, int64_t update, double scale) {
  const double peak = options.learning_rate * scale;
  const double u = static_cast<double>(update);
  const double warmup = static_cast<double>(options.warmup_updates);
  if (u < warmup) return peak * u / warmup;
  switch (options.schedule) {
    case Schedule::kConstant:
    case Schedule::kPlateau:
      return peak;
    case Schedule::kInverseSqrt:
      return peak * std::sqrt(std::max(warmup, 1.0) / u);
    case Schedule::kCosine: {
      const double span = std::max(1.0, static_cast<double>(options.max_updates) - warmup);
      const double share = std::clamp((u - warmup) / span, 0.0, 1.0);
      return peak * (1 + std::cos(std::numbers::pi * share)) / 2;
    }
  }
  return peak;
}

}  // namespace nmt
