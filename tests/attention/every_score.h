// The parameter of tests that hold for each of the five scores.
//
//   class Thing : public testing::TestWithParam<AttentionScore> {};
//   INSTANTIATE_TEST_SUITE_P(, Thing, EveryAttentionScore(), AttentionScoreName);
#ifndef NMT_TESTS_ATTENTION_EVERY_SCORE_H_
#define NMT_TESTS_ATTENTION_EVERY_SCORE_H_

#include <gtest/gtest.h>

#include <string>

#include "nmt/config/options.h"

namespace nmt {

inline auto EveryAttentionScore() {
  return testing::Values(AttentionScore::kAdditive, AttentionScore::kDot,
                         AttentionScore::kScaledDot, AttentionScore::kCosine,
                         AttentionScore::kGeneral);
}

inline std::string AttentionScoreName(const testing::TestParamInfo<AttentionScore>& info) {
  return std::string(EnumName(info.param));
}

}  // namespace nmt

#endif  // NMT_TESTS_ATTENTION_EVERY_SCORE_H_
