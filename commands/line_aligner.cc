#include "commands/line_aligner.h"

#include <fmt/format.h>

#include <algorithm>

#include "nmt/alignment/soft_merge.h"
#include "nmt/alignment/symmetrize.h"

namespace nmt {

LineAligner::LineAligner(const LineAlignerOptions& options, const AlignTexts& texts,
                         const Aligner& forward, const std::optional<Aligner>& backward,
                         RecordFile& record)
    : options_(options),
      texts_(texts),
      forward_(forward),
      backward_(backward),
      record_(record),
      pictures_(options.pictures, forward.choice, forward.trained) {}

absl::Status LineAligner::Align(const LinePairs& lines, const std::vector<AlignedPair>& opposite,
                                size_t first) {
  for (size_t begin = 0, end = 0; begin < lines.pairs.size(); begin = end) {
    end = PartEnd(forward_.trained, lines.pairs, begin);
    if (backward_) end = std::min(end, PartEnd(backward_->trained, opposite, begin));
    const CorpusAttention looks = Attend(forward_, lines.pairs, begin, end);
    const CorpusAttention opposite_looks =
        backward_ ? Attend(*backward_, opposite, begin, end) : CorpusAttention();
    for (size_t i = 0; begin + i < end; ++i) {
      NMT_RETURN_IF_ERROR(
          AlignLine(looks, opposite_looks, i, first + begin + i, lines.targets[begin + i]));
    }
  }
  return absl::OkStatus();
}

void LineAligner::Conclude() const {
  if (!texts_.gold.empty()) PrintScore();
  if (options_.measures) PrintMeasures();
  pictures_.Conclude();
}

CorpusAttention LineAligner::Attend(const Aligner& aligner, const std::vector<AlignedPair>& pairs,
                                    size_t begin, size_t end) {
  return AttendPairs(
      aligner.trained,
      {pairs.begin() + static_cast<int64_t>(begin), pairs.begin() + static_cast<int64_t>(end)},
      aligner.choice.attention.value_norms);
}

absl::StatusOr<Links> LineAligner::LinksOfLine(const CorpusAttention& looks,
                                               const CorpusAttention& opposite, size_t i) const {
  if (!backward_) return LinksOf(looks, i, forward_.choice);
  if (options_.symmetrize == kProduct) {
    return LinksOfLargest(ProductMerge(WordsOf(looks, i, forward_.choice.attention),
                                       WordsOf(opposite, i, backward_->choice.attention)));
  }
  NMT_ASSIGN_OR_RETURN(const Symmetrization method, ParseSymmetrization(options_.symmetrize));
  return Symmetrize(LinksOf(looks, i, forward_.choice),
                    Reversed(LinksOf(opposite, i, backward_->choice)), method);
}

absl::Status LineAligner::AlignLine(const CorpusAttention& looks, const CorpusAttention& opposite,
                                    size_t i, size_t line, const std::string& target) {
  NMT_ASSIGN_OR_RETURN(const Links links, LinksOfLine(looks, opposite, i));
  const std::string text = FormatLinks(links);
  fmt::print("{}\n", texts_.targets.empty() ? target + " ||| " + text : text);
  record_.Write(forward_.trained, looks.pairs[i], line + 1);
  const Links& gold = texts_.gold.empty() ? Links{} : texts_.gold[line];
  if (!texts_.gold.empty()) counts_ += CountAer(links, gold);
  if (options_.measures) Measure(looks, opposite, i, gold);
  return pictures_.Draw(looks, i, static_cast<int64_t>(line) + 1, texts_.sources[line], target,
                        gold);
}

void LineAligner::Measure(const CorpusAttention& looks, const CorpusAttention& opposite, size_t i,
                          const Links& gold) {
  const SoftMatrix weights_TS = WordsOf(looks, i, forward_.choice.attention);
  measures_.entropy += RowEntropy(weights_TS);
  measures_.coverage += CoverageDeviation(weights_TS);
  if (!gold.empty()) measures_.gold_mass += GoldMass(weights_TS, gold);
  if (!backward_) return;
  measures_.directions +=
      DirectionAgreement(weights_TS, WordsOf(opposite, i, backward_->choice.attention));
}

void LineAligner::PrintScore() const {
  const AerScore score = ComputeAer(counts_);
  const bool product = backward_ && options_.symmetrize == kProduct;
  const auto conventions = [&](const Aligner& aligner) {
    return product ? AlignmentChoice{.attention = aligner.choice.attention}.ToString()
                   : aligner.choice.ToString();
  };
  fmt::print(stderr, "AER {:.2f} %, precision {:.2f} %, recall {:.2f} %, {} links ({}",
             100 * score.aer, 100 * score.precision, 100 * score.recall, counts_.hypothesis,
             conventions(forward_));
  if (backward_)
    fmt::print(stderr, "; backward: {}; {}", conventions(*backward_), options_.symmetrize);
  fmt::print(stderr, ")\n");
}

void LineAligner::PrintMeasures() const {
  const auto print = [](const char* name, const WordSum& sum, const char* unit) {
    if (sum.Mean()) fmt::print(stderr, "{} {:.4f} {}\n", name, *sum.Mean(), unit);
  };
  print("entropy", measures_.entropy, "nats a target word");
  print("coverage deviation", measures_.coverage, "a source word");
  if (!texts_.gold.empty())
    print("gold mass", measures_.gold_mass, "a target word with gold links");
  if (backward_)
    print("agreement of directions", measures_.directions, "a word of the shorter side");
}

}  // namespace nmt
