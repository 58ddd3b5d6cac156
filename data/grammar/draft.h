#ifndef NMT_DATA_GRAMMAR_DRAFT_H_
#define NMT_DATA_GRAMMAR_DRAFT_H_

#include <vector>

#include "data/grammar/combinations.h"
#include "data/grammar/random.h"

namespace nmt::grammar {

// One sentence in the making: its random numbers, its ids, and what it may say.
class Draft {
 public:
  enum class Mode { kPlain, kWithReserved };

  Draft(Random* random, Mode mode) : random_(random), mode_(mode) {}

  Random& random() { return *random_; }
  int NewId() { return next_id_++; }

  // Whether this sentence may use the combination.  Plain ones never use a reserved one; the
  // others may, and use nothing else where they insist.
  bool MayCombine(const Combination& combination, bool insist) const;

  // Whether the next draw insists on a reserved combination.
  bool DrawInsist() { return mode_ == Mode::kWithReserved && random_->Chance(50); }

  // No name stands for two people in one sentence.
  const Name& DrawPersonName(bool with_titles);

 private:
  Random* random_;
  Mode mode_;
  int next_id_ = 1;
  std::vector<const Name*> used_names_;
};

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_DRAFT_H_
