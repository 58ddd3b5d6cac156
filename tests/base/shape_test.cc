#include "nmt/base/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace nmt {
namespace {

TEST(CheckShape, AcceptsWhatTheLettersSay) {
  EXPECT_NO_THROW(CheckShape(torch::zeros({2, 3, 3}), "B T T", {{"B", 2}}, "x"));
  EXPECT_NO_THROW(CheckShape(torch::zeros({2, 1}), "B 1", {}, "x"));
}

TEST(CheckShape, NamesTensorAndBothShapes) {
  const auto message = [](const torch::Tensor& tensor, std::string_view letters) -> std::string {
    try {
      CheckShape(tensor, letters, {{"D", 4}}, "query");
    } catch (const c10::Error& error) {
      return error.what_without_backtrace();
    }
    return "";
  };
  EXPECT_THAT(message(torch::zeros({2, 5}), "B D"),
              testing::AllOf(testing::HasSubstr("query"), testing::HasSubstr("[B D]"),
                             testing::HasSubstr("D=4"), testing::HasSubstr("[2, 5]")));
  for (const char* letters : {"B", "B D D", "B B", "3 D"})
    EXPECT_NE(message(torch::zeros({2, 4}), letters), "") << letters;
  EXPECT_NE(message({}, "B D"), "");
  EXPECT_EQ(message(torch::zeros({2, 4}), "B D"), "");
}

}  // namespace
}  // namespace nmt
