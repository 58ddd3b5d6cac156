#include "nmt/metrics/tercom.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>

namespace nmt {
namespace {

using Words = std::vector<int32_t>;

constexpr int64_t kMaxShiftLength = 10;
constexpr int64_t kMaxShiftDistance = 50;
constexpr int64_t kMaxCandidates = 1000;
constexpr int64_t kBeamWidth = 25;
constexpr int32_t kUnreachable = 1 << 29;

// How edits align the words of hypothesis and reference.
struct Alignment {
  // [j]: the hypothesis' word that word j of the reference is aligned with, or the last one before
  // it; -1 before the first.
  std::vector<int64_t> position;
  std::vector<bool> hypothesis_error;  // [i]: word i is not matched
  std::vector<bool> reference_error;
};

// The edit distances of every beginning of the hypothesis (rows) to every beginning of the reference
// (columns). Its hypotheses all have one length, which places the beam.
class EditTable {
 public:
  EditTable(const Words& reference, int64_t hypothesis_length)
      : reference_(reference),
        rows_(hypothesis_length + 1),
        columns_(static_cast<int64_t>(reference.size()) + 1),
        slope_(hypothesis_length > 0 ? static_cast<double>(reference.size()) / hypothesis_length
                                     : 1),
        // Beams of neighbouring rows overlap even where one side is many times longer.
        beam_width_(kBeamWidth < slope_ / 2
                        ? static_cast<int64_t>(std::ceil(slope_ / 2 + kBeamWidth))
                        : kBeamWidth),
        costs_(rows_ * columns_),
        scratch_(2 * columns_) {
    for (int64_t j = 0; j < columns_; ++j) costs_[j] = static_cast<int32_t>(j);
  }

  void Fill(const Words& hypothesis) {
    for (int64_t i = 1; i < rows_; ++i) FillRow(i, hypothesis[i - 1], Row(i - 1), Row(i));
  }

  int32_t distance() const { return costs_.back(); }

  // The distance of another hypothesis, whose first `same` words are those of the table's.
  int32_t DistanceOf(const Words& hypothesis, int64_t same) {
    const std::span<int32_t> scratch(scratch_);
    std::span<int32_t> previous = Row(same);
    for (int64_t i = same + 1; i < rows_; ++i) {
      const std::span<int32_t> row = scratch.subspan((i % 2) * columns_, columns_);
      FillRow(i, hypothesis[i - 1], previous, row);
      previous = row;
    }
    return previous.back();
  }

  // Among paths of equal cost: matches and substitutions before deletions before insertions, seen
  // from the end.
  Alignment Align(const Words& hypothesis) {
    Alignment alignment{.position = std::vector<int64_t>(columns_ - 1),
                        .hypothesis_error = std::vector<bool>(rows_ - 1, true),
                        .reference_error = std::vector<bool>(columns_ - 1, true)};
    for (int64_t i = rows_ - 1, j = columns_ - 1; j > 0;) {
      const bool is_match = i > 0 && hypothesis[i - 1] == reference_[j - 1];
      if (i > 0 && Row(i)[j] == Row(i - 1)[j - 1] + !is_match) {
        alignment.position[j - 1] = i - 1;
        alignment.hypothesis_error[i - 1] = !is_match;
        alignment.reference_error[j - 1] = !is_match;
        --i, --j;
      } else if (i > 0 && Row(i)[j] == Row(i - 1)[j] + 1) {
        --i;
      } else {
        alignment.position[j - 1] = i - 1;
        --j;
      }
    }
    return alignment;
  }

 private:
  struct Beam {
    int64_t begin, end;  // columns
  };

  Beam BeamOf(int64_t row) const {
    const auto diagonal = static_cast<int64_t>(std::floor(row * slope_));
    return {std::max<int64_t>(0, diagonal - beam_width_),
            row == rows_ - 1 ? columns_ : std::min(columns_, diagonal + beam_width_)};
  }

  std::span<int32_t> Row(int64_t i) {
    return std::span<int32_t>(costs_).subspan(i * columns_, columns_);
  }

  // Writes the row's beam, and as much around it as the next row reads.
  void FillRow(int64_t i, int32_t word, std::span<const int32_t> previous,
               std::span<int32_t> row) const {
    const Beam beam = BeamOf(i);
    int64_t j = beam.begin;
    int32_t left = kUnreachable;
    if (j == 0) {
      row[j++] = left = previous[0] + 1;
    } else {
      row[j - 1] = kUnreachable;
    }
    for (; j < beam.end; ++j) {
      left = std::min({previous[j - 1] + (reference_[j - 1] != word), previous[j] + 1, left + 1});
      row[j] = left;
    }
    if (i == rows_ - 1) return;
    for (const int64_t end = BeamOf(i + 1).end; j < end; ++j) row[j] = kUnreachable;
  }

  const Words& reference_;
  int64_t rows_, columns_;
  double slope_;
  int64_t beam_width_;
  std::vector<int32_t> costs_;    // row by row
  std::vector<int32_t> scratch_;  // two rows
};

// Words start to start + length - 1 move to before word `target`.
struct Shift {
  int64_t start, length, target;
};

// Tercom's order of shifts, and sacreBLEU's order of targets inside the moved words: there, the words
// change places with those behind them.
void Apply(const Shift& shift, Words& words) {
  const auto [start, length, target] = shift;
  const auto at = [&words](int64_t i) { return words.begin() + i; };
  if (target < start) {
    std::rotate(at(target), at(start), at(start + length));
  } else if (target > start + length) {
    std::rotate(at(start), at(start + length), at(target));
  } else {
    const auto size = static_cast<int64_t>(words.size());
    std::rotate(at(start), at(start + length), at(std::min(target + length, size)));
  }
}

bool AnyOf(const std::vector<bool>& values, int64_t begin, int64_t length) {
  return std::any_of(values.begin() + begin, values.begin() + begin + length,
                     [](bool value) { return value; });
}

// The search for the shift that lowers the edit distance most; of equal ones, the longest, then that
// of the earliest words, then that to the earliest place.
class ShiftSearch {
 public:
  ShiftSearch(const Words& hypothesis, const Words& reference)
      : words_(hypothesis),
        reference_(reference),
        table_(reference, static_cast<int64_t>(hypothesis.size())) {}

  int64_t CountEdits() {
    for (int64_t shifts = 0;; ++shifts) {
      table_.Fill(words_);
      const std::optional<Candidate> best = FindBest();
      if (candidates_ >= kMaxCandidates || !best || best->gain <= 0) {
        return shifts + table_.distance();
      }
      Apply(best->shift, words_);
    }
  }

 private:
  struct Candidate {
    int32_t gain;  // edits saved
    Shift shift;

    bool operator>(const Candidate& other) const { return Rank() > other.Rank(); }
    std::tuple<int32_t, int64_t, int64_t, int64_t> Rank() const {
      return {gain, shift.length, -shift.start, -shift.target};
    }
  };

  std::optional<Candidate> FindBest() {
    const Alignment alignment = table_.Align(words_);
    std::optional<Candidate> best;
    const auto hypothesis_size = static_cast<int64_t>(words_.size());
    const auto reference_size = static_cast<int64_t>(reference_.size());
    for (int64_t start = 0; start < hypothesis_size; ++start) {
      const int64_t end = std::min(reference_size, start + kMaxShiftDistance + 1);
      for (int64_t place = std::max<int64_t>(0, start - kMaxShiftDistance); place < end; ++place) {
        const int64_t longest =
            std::min({kMaxShiftLength, hypothesis_size - start, reference_size - place});
        for (int64_t i = 0; i < longest && words_[start + i] == reference_[place + i]; ++i) {
          TryTargets(start, place, /*length=*/i + 1, alignment, best);
          if (candidates_ >= kMaxCandidates) return best;
        }
      }
    }
    return best;
  }

  // The words from `start` on equal the reference's from `place` on: tries them behind each word that
  // the reference's words there, and the one before them, are aligned with.
  void TryTargets(int64_t start, int64_t place, int64_t length, const Alignment& alignment,
                  std::optional<Candidate>& best) {
    if (!AnyOf(alignment.hypothesis_error, start, length)) return;
    if (!AnyOf(alignment.reference_error, place, length)) return;
    const int64_t aligned = alignment.position[place];
    if (start <= aligned && aligned < start + length) return;
    int64_t tried = -1;
    for (int64_t word = place - 1; word < place + length; ++word) {
      const int64_t target = word < 0 ? 0 : alignment.position[word] + 1;
      if (target == tried) continue;
      tried = target;
      const Shift shift{start, length, target};
      shifted_ = words_;
      Apply(shift, shifted_);
      const Candidate candidate{
          table_.distance() - table_.DistanceOf(shifted_, std::min(start, target)), shift};
      ++candidates_;
      if (!best || candidate > *best) best = candidate;
    }
  }

  Words words_;
  const Words& reference_;
  EditTable table_;
  Words shifted_;           // of the candidate at hand
  int64_t candidates_ = 0;  // tried so far, over all shifts
};

}  // namespace

int64_t CountEditsWithShifts(const std::vector<int32_t>& hypothesis,
                             const std::vector<int32_t>& reference) {
  if (reference.empty()) return static_cast<int64_t>(hypothesis.size());
  return ShiftSearch(hypothesis, reference).CountEdits();
}

}  // namespace nmt
