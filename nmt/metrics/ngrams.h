// Counting n-grams, of words for BLEU and of characters for chrF.
//
//   UnitSequence hypothesis({"the", "the", "cat"}, /*separator=*/" ");
//   UnitSequence reference({"the", "cat"}, " ");
//   NgramCounts counts = CountNgrams(hypothesis, reference, 1);   // 3, 2, and 2 matches
#ifndef NMT_METRICS_NGRAMS_H_
#define NMT_METRICS_NGRAMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

// A sentence as units (words or characters) laid out in one string, so that every n-gram is a
// slice of it. Two n-grams of one order are equal exactly when their slices are: words are kept
// apart by a separator that occurs in none of them, characters are told apart by UTF-8 itself.
class UnitSequence {
 public:
  UnitSequence(const std::vector<std::string_view>& units, std::string_view separator);

  int64_t size() const { return static_cast<int64_t>(spans_.size()); }

  // All units with the separator between them.
  const std::string& text() const { return text_; }

  // Units `first` to `first + n - 1`.
  std::string_view Ngram(int64_t first, int64_t n) const {
    const size_t begin = spans_[first].begin;
    return std::string_view(text_).substr(begin, spans_[first + n - 1].end - begin);
  }

 private:
  struct Span {
    size_t begin, end;
  };
  std::string text_;
  std::vector<Span> spans_;
};

struct NgramCounts {
  int64_t hypothesis = 0;
  int64_t reference = 0;
  int64_t matches = 0;  // each n-gram counts at most as often as it occurs in the reference

  NgramCounts& operator+=(const NgramCounts& other);
  NgramCounts& operator-=(const NgramCounts& other);
  bool operator==(const NgramCounts&) const = default;
};

NgramCounts CountNgrams(const UnitSequence& hypothesis, const UnitSequence& reference, int64_t n);

}  // namespace nmt

#endif  // NMT_METRICS_NGRAMS_H_
