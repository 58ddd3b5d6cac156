#include "nmt/decoding/sampling.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nmt/text/splitmix64.h"

namespace nmt {

std::optional<int64_t> SampleToken(const Tensor& log_probability_V, const Ids& banned,
                                   const SamplingOptions& options, const DrawPlace& place) {
  const Tensor log_p = log_probability_V.to(torch::kCPU, torch::kFloat64).contiguous();
  std::vector<std::pair<double, int64_t>> tokens;  // weight, token
  for (int64_t v = 0; v < log_p.size(0); ++v) {
    if (std::find(banned.begin(), banned.end(), v) != banned.end()) continue;
    tokens.emplace_back(log_p.const_data_ptr<double>()[v] / options.temperature, v);
  }
  if (tokens.empty()) return std::nullopt;
  size_t kept = tokens.size();
  if (options.top_k > 0) kept = std::min(kept, static_cast<size_t>(options.top_k));
  if (kept < tokens.size() || options.top_p < 1) {
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    tokens.resize(kept);
  }
  const double largest = std::max_element(tokens.begin(), tokens.end())->first;
  double mass = 0;
  for (auto& [weight, token] : tokens) mass += weight = std::exp(weight - largest);
  if (options.top_p < 1) {
    double so_far = 0;
    size_t count = 0;
    while (count < tokens.size() && so_far < options.top_p * mass) so_far += tokens[count++].first;
    tokens.resize(std::max<size_t>(1, count));
    mass = std::accumulate(tokens.begin(), tokens.end(), 0.0,
                           [](double sum, const auto& entry) { return sum + entry.first; });
  }
  SplitMix64 random(MixSeed({options.seed, place.sentence, place.sample, place.step}));
  double left = random.Uniform() * mass;
  for (const auto& [weight, token] : tokens) {
    left -= weight;
    if (left < 0) return token;
  }
  return tokens.back().second;
}

}  // namespace nmt
