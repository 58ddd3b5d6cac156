#ifndef NMT_DATA_GRAMMAR_RANDOM_H_
#define NMT_DATA_GRAMMAR_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt::grammar {

// SplitMix64 with hand-written draws.  The distributions of <random> may differ from one standard
// library to the next; these few lines give the same numbers, and so the same corpus, everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  // A number from 0 to n - 1, by multiply and shift.
  size_t Below(size_t n) { return static_cast<size_t>(((Next() >> 32) * n) >> 32); }

  // True in `percent` of a hundred draws.
  bool Chance(int percent) { return static_cast<int>(Below(100)) < percent; }

  template <typename T>
  const T& Pick(const std::vector<T>& items) {
    return items[Below(items.size())];
  }

  // The index of a weight, drawn in proportion to the weights.
  size_t Weighted(const std::vector<int>& weights) {
    int total = 0;
    for (int weight : weights) total += weight;
    int rest = static_cast<int>(Below(static_cast<size_t>(total)));
    size_t index = 0;
    while (rest >= weights[index]) rest -= weights[index++];
    return index;
  }

 private:
  uint64_t state_;
};

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_RANDOM_H_
