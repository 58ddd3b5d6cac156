#include "data/grammar/draft.h"

#include <algorithm>

namespace nmt::grammar {

bool Draft::MayCombine(const Combination& combination, bool insist) const {
  const bool reserved = IsReserved(combination);
  return mode_ == Mode::kPlain ? !reserved : reserved || !insist;
}

const Name& Draft::DrawPersonName(bool with_titles) {
  while (true) {
    const Name& name = random_->Pick(PersonNames());
    const bool titled = name.en.find(' ') != std::string::npos;
    const bool used = std::find(used_names_.begin(), used_names_.end(), &name) != used_names_.end();
    if (used || (titled && !with_titles)) continue;
    used_names_.push_back(&name);
    return name;
  }
}

}  // namespace nmt::grammar
