#include "nmt/metrics/ngrams.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <unordered_map>

namespace nmt {

UnitSequence::UnitSequence(const std::vector<std::string_view>& units, std::string_view separator) {
  spans_.reserve(units.size());
  for (const std::string_view unit : units) {
    if (!spans_.empty()) text_ += separator;
    spans_.push_back({text_.size(), text_.size() + unit.size()});
    text_ += unit;
  }
}

NgramCounts& NgramCounts::operator+=(const NgramCounts& other) {
  hypothesis += other.hypothesis;
  reference += other.reference;
  matches += other.matches;
  return *this;
}

NgramCounts& NgramCounts::operator-=(const NgramCounts& other) {
  hypothesis -= other.hypothesis;
  reference -= other.reference;
  matches -= other.matches;
  return *this;
}

NgramCounts CountNgrams(const UnitSequence& hypothesis, const UnitSequence& reference, int64_t n) {
  NgramCounts counts;
  counts.hypothesis = std::max<int64_t>(0, hypothesis.size() - n + 1);
  counts.reference = std::max<int64_t>(0, reference.size() - n + 1);
  if (counts.hypothesis == 0 || counts.reference == 0) return counts;

  // The table lives for one call: its nodes come from a buffer, not one by one from the heap.
  std::array<std::byte, 16384> buffer;
  std::pmr::monotonic_buffer_resource memory(buffer.data(), buffer.size());
  std::pmr::unordered_map<std::string_view, int64_t> unmatched(&memory);
  unmatched.reserve(counts.reference);
  for (int64_t i = 0; i < counts.reference; ++i) ++unmatched[reference.Ngram(i, n)];
  for (int64_t i = 0; i < counts.hypothesis; ++i) {
    const auto found = unmatched.find(hypothesis.Ngram(i, n));
    if (found == unmatched.end() || found->second == 0) continue;
    --found->second;
    ++counts.matches;
  }
  return counts;
}

}  // namespace nmt
