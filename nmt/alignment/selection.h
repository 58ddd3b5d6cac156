// Which layer, head, shift and extraction read the best links off a model's attention: found on
// validation pairs, stored in the run, the default from then on.
//
//   NMT_ASSIGN_OR_RETURN(SelectedAlignment selected, SelectByGold(trained, pairs, gold));
//   NMT_RETURN_IF_ERROR(SaveAlignmentChoice(run.alignment(), selected));
//
// The best choice has the least alignment error rate where people made links; else the links of two
// models of opposite directions should agree; else it is what training guided by links; else attention
// should be sure of itself and near the diagonal, which is a guess.
#ifndef NMT_ALIGNMENT_SELECTION_H_
#define NMT_ALIGNMENT_SELECTION_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "nmt/alignment/aer.h"
#include "nmt/alignment/extraction.h"
#include "nmt/alignment/soft_measures.h"
#include "nmt/alignment/word_attention.h"

namespace nmt {

enum class SelectionCriterion { kAer, kAgreement, kGuided, kCertainty };
NMT_ENUM_NAMES(SelectionCriterion, {{SelectionCriterion::kAer, "AER"},
                                    {SelectionCriterion::kAgreement, "agreement"},
                                    {SelectionCriterion::kGuided, "guided"},
                                    {SelectionCriterion::kCertainty, "certainty"}});

struct SelectedAlignment {
  AlignmentChoice choice;
  SelectionCriterion criterion = SelectionCriterion::kAer;
  // On the pairs it was selected on: AER, 0 to 1; agreement (LinkAgreement), 0 to 1; AttentionCost; 0 where
  // training guided it.
  double value = 0;

  // "layer 2, head 1, shift 0, argmax (AER 12.3 %)"
  std::string ToString() const;
};

// Every layer, every head and their mean, shifts 0 to 2, weights with and without value norms.
std::vector<AttentionChoice> AttentionChoices(int64_t layers, int64_t heads);

// How unsure attention is and how far from the diagonal, a target word that has attention: 0 to 2.
//
//   cost_t = H_t / ln(S + 1) + sum_s a_ts |s / (S - 1) - t / (T - 1)|
//
// with a distance of 1 for </s>, and the entropy H_t of soft_measures.h over S words and </s>.
WordSum AttentionCost(const SoftMatrix& weights_TS);

// Of sentence pairs in any number of parts the choice with the least AER; `argmax_only` tries no other
// extraction.
class GoldSelector {
 public:
  GoldSelector(int64_t layers, int64_t heads, bool argmax_only = false);
  // A data error when there are not as many lines of links as pairs.
  absl::Status Add(const CorpusAttention& part, const std::vector<Links>& gold);
  SelectedAlignment Best() const;

 private:
  std::vector<AttentionChoice> attention_;
  std::vector<AlignmentChoice> extractions_;
  std::vector<std::vector<AerCounts>> counts_;  // [attention][extraction]
};

absl::StatusOr<SelectedAlignment> SelectByGold(const TrainedModel& model,
                                               const std::vector<AlignedPair>& pairs,
                                               const std::vector<Links>& gold,
                                               bool argmax_only = false);

// Of two directions, in any number of parts, the choices that give most nearly the same links.
class AgreementSelector {
 public:
  AgreementSelector(size_t forward_choices, size_t backward_choices);
  // The links of a part, [choice][pair], both source first.
  void Add(const std::vector<std::vector<Links>>& forward,
           const std::vector<std::vector<Links>>& backward);
  struct Found {
    size_t forward = 0, backward = 0;  // choices
    double agreement = 0;
  };
  Found Best() const;

 private:
  std::vector<std::vector<WordSum>> agreement_;  // [forward][backward]
};

// By argmax. `backward_pairs` are the same pairs, source and target exchanged.
struct SelectedDirections {
  SelectedAlignment forward, backward;
};
SelectedDirections SelectByAgreement(const TrainedModel& forward,
                                     const std::vector<AlignedPair>& forward_pairs,
                                     const TrainedModel& backward,
                                     const std::vector<AlignedPair>& backward_pairs);

// The layer whose mean of heads has the least AttentionCost, with shift 0 and the weights as they are. A
// guess goes no further: no shift can be told without links, and the head that is surest of itself is
// often surely wrong (of the demo's transformer 13.5 % AER, where the mean of its layer has 9.0).
SelectedAlignment SelectByCertainty(const TrainedModel& model,
                                    const std::vector<AlignedPair>& pairs);

absl::Status SaveAlignmentChoice(const std::filesystem::path& path,
                                 const SelectedAlignment& selected);
// The stored choice; where none is stored, the last layer's mean of heads with shift 0.
absl::StatusOr<AlignmentChoice> LoadAlignmentChoice(const std::filesystem::path& path,
                                                    const Seq2Seq& model);

}  // namespace nmt

#endif  // NMT_ALIGNMENT_SELECTION_H_
