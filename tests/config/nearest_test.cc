#include "nmt/config/nearest.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsSubstitutionsAndNeighboursSwapped) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("seed", "seed"), 0u);
  EXPECT_EQ(EditDistance("learning_rat", "learning_rate"), 1u);
  EXPECT_EQ(EditDistance("hidden_sizze", "hidden_size"), 1u);
  EXPECT_EQ(EditDistance("daviCe", "device"), 2u);
  EXPECT_EQ(EditDistance("ehads", "heads"), 1u);
  EXPECT_EQ(EditDistance("sede", "seed"), 1u);
}

TEST(EditDistance, IsThatOfTheClassicExample) {
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("ca", "abc"), 3u);  // 2 without the rule that no part is edited twice
}

TEST(Nearest, TakesTheFirstOfTheSmallestDistance) {
  EXPECT_EQ(Nearest("transfomer", {"gru", "transformer"}), "transformer");
  EXPECT_EQ(Nearest("bat", {"cat", "hat"}), "cat");
}

TEST(Nearest, IsNothingWhenMoreThanHalfOfTheLettersDiffer) {
  EXPECT_EQ(Nearest("lstm", {"gru", "transformer"}), "");
  EXPECT_EQ(Nearest("grxy", {"gru"}), "gru");
  EXPECT_EQ(Nearest("gxyz", {"gru"}), "");
}

TEST(Nearest, KnowsAbbreviations) {
  EXPECT_EQ(Nearest("tgt_lang", {"source_language", "target_language"}), "target_language");
  EXPECT_EQ(Nearest("lr", {"log_every", "learning_rate"}), "log_every");  // both: the first
  EXPECT_EQ(Nearest("lrt", {"log_every", "learning_rate"}), "learning_rate");
  EXPECT_EQ(Nearest("rate", {"learning_rate"}), "");
  EXPECT_EQ(Nearest("l", {"learning_rate"}), "");
  EXPECT_EQ(Slips("beam", "beam_size"), 1u);
  EXPECT_EQ(Slips("beam_siz", "beam_size"), 1u);
}

}  // namespace
}  // namespace nmt
