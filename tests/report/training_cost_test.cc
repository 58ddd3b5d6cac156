#include "nmt/report/training_cost.h"

#include <gtest/gtest.h>

#include "tests/testing.h"

namespace nmt {
namespace {

TEST(ReadTrainingCost, TakesCurvesSpeedAndMemoryFromTheRecords) {
  const ScratchFolder folder;
  const ModelCost cost = ReadTrainingCost(folder.Write(
      "metrics.jsonl",
      R"({"update": 10, "seconds": 2, "loss": 5, "target_tokens": 100, "tokens_per_second": 100, "peak_memory": 9e6}
{"update": 20, "seconds": 6, "loss": 4, "target_tokens": 300, "tokens_per_second": 150, "peak_memory": 7e6}
{"update": 20, "seconds": 7, "validation": {"bleu": 30, "perplexity": 8}, "alignment": {"aer": 0.25}}
{"update": 20, "seconds": 8, "averaged_checkpoints": 2, "validation": {"bleu": 99, "perplexity": 1}}
)"));
  ASSERT_EQ(cost.curves.size(), 4u);
  EXPECT_EQ(cost.curves[0].measure, "training loss");
  ASSERT_EQ(cost.curves[0].points.size(), 2u);
  EXPECT_EQ(cost.curves[0].points[1].update, 20);
  EXPECT_EQ(cost.curves[0].points[1].seconds, 6);
  EXPECT_EQ(cost.curves[0].points[1].value, 4);
  EXPECT_EQ(cost.curves[1].measure, "validation BLEU");
  ASSERT_EQ(cost.curves[1].points.size(), 1u);
  EXPECT_EQ(cost.curves[1].points[0].value, 30);
  EXPECT_EQ(cost.curves[3].points[0].value, 25);
  // By hand: 400 tokens in 1 + 2 seconds.
  EXPECT_DOUBLE_EQ(cost.training_tokens_per_second.value(), 400. / 3);
  EXPECT_EQ(cost.training_peak_bytes, 9e6);
}

TEST(ReadTrainingCost, LeavesOutWhatIsDamaged) {
  const ScratchFolder folder;
  const ModelCost cost =
      ReadTrainingCost(folder.Write("metrics.jsonl",
                                    "{\"update\": 1, \"los\n[]\n{\"loss\": 3}\n"
                                    "{\"seconds\": \"x\", \"loss\": 3, \"validation\": 7}\n"
                                    "{\"update\": 2, \"seconds\": 1, \"loss\": 2.5}\n"));
  ASSERT_EQ(cost.curves.size(), 1u);
  EXPECT_EQ(cost.curves[0].points.size(), 1u);
  EXPECT_FALSE(cost.training_tokens_per_second.has_value());
  EXPECT_TRUE(ReadTrainingCost(folder / "none.jsonl").curves.empty());
}

}  // namespace
}  // namespace nmt
