#include "nmt/config/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing.h"

namespace nmt {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kConfig[] =
    "run_dir: runs/one\n"
    "data:\n"
    "  train: {source: a.en, target: a.de}\n"
    "  valid: {source: b.en, target: b.de}\n"
    "  test: {source: c.en, target: c.de, alignment: c.links}\n"
    "model: {type: gru}\n";

class PlanTest : public ::testing::Test {
 protected:
  absl::StatusOr<Plan> Read(const std::string& yaml) {
    folder_.Write("small.yaml", kConfig);
    return ReadPlan(folder_.Write("plans/plan.yaml", yaml));
  }
  std::string Error(const std::string& yaml) {
    const absl::StatusOr<Plan> plan = Read(yaml);
    return plan.ok() ? "no error" : std::string(plan.status().message());
  }
  static std::vector<std::string> Names(const Plan& plan) {
    std::vector<std::string> names;
    for (const PlannedRun& run : plan.runs) names.push_back(run.name);
    return names;
  }

  const ScratchFolder folder_;
};

TEST_F(PlanTest, ListsEveryCombinationOfValuesAndSeeds) {
  const absl::StatusOr<Plan> plan = Read(
      "out: ../runs/plan\n"
      "seeds: [3, 4]\n"
      "set: {threads: 1}\n"
      "runs:\n"
      "  - config: ../small.yaml\n"
      "    set: {model.attention: [additive, dot], model.dropout: [0, 0.5]}\n"
      "  - {config: ../small.yaml, name: plain}\n");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(
      Names(*plan),
      ElementsAre("small-additive-0-seed3", "small-additive-0-seed4", "small-additive-0.5-seed3",
                  "small-additive-0.5-seed4", "small-dot-0-seed3", "small-dot-0-seed4",
                  "small-dot-0.5-seed3", "small-dot-0.5-seed4", "plain-seed3", "plain-seed4"));
  EXPECT_EQ(plan->seeds, 2u);
  const PlannedRun& run = plan->runs[7];
  EXPECT_EQ(run.options.model.attention, AttentionScore::kDot);
  EXPECT_EQ(run.options.model.dropout, 0.5);
  EXPECT_EQ(run.options.seed, 4);
  EXPECT_EQ(run.options.threads, 1);
  EXPECT_EQ(run.options.run_dir, (folder_ / "runs/plan/small-dot-0.5-seed4").string());
  EXPECT_THAT(run.overrides, Contains("model.attention=dot"));
  EXPECT_EQ(plan->test.source, (folder_ / "c.en").string());
  EXPECT_EQ(plan->test.gold, (folder_ / "c.links").string());
}

TEST_F(PlanTest, WithoutSeedsTakesThatOfTheConfig) {
  const absl::StatusOr<Plan> plan = Read(
      "out: x\nruns: [{config: ../small.yaml}]\n"
      "test: {source: t.en, reference: t.de}\n"
      "parts: {unseen: {source: u.en, reference: u.de, gold: u.links}}\n");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Names(*plan), ElementsAre("small"));
  EXPECT_EQ(plan->runs[0].options.seed, 1);
  EXPECT_EQ(plan->test.reference, (folder_ / "plans/t.de").string());
  EXPECT_EQ(plan->test.gold, "");
  ASSERT_EQ(plan->parts.size(), 1u);
  EXPECT_EQ(plan->parts[0].name, "unseen");
  EXPECT_EQ(plan->parts[0].gold, (folder_ / "plans/u.links").string());
}

TEST_F(PlanTest, AnEntrysOwnValueStandsInPlaceOfThatForAll) {
  const absl::StatusOr<Plan> plan = Read(
      "out: x\nset: {model.dropout: [0.1, 0.2], threads: 1}\nruns:\n"
      "  - {config: ../small.yaml, set: {model.dropout: 0.3}}\n");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(Names(*plan), ElementsAre("small"));
  EXPECT_EQ(plan->runs[0].options.model.dropout, 0.3);
}

TEST_F(PlanTest, NamesTheLineOfEachFault) {
  const std::string run = "out: x\nruns:\n  - config: ../small.yaml\n";
  EXPECT_THAT(Error(run + "    sett: {}\n"),
              HasSubstr("plan.yaml:4: runs: unknown key \"sett\", did you mean \"set\"?"));
  EXPECT_THAT(Error(run + "    set: {model.attention: [dot, dit]}\n"),
              HasSubstr("plan.yaml:3: small-dit: --set model.attention=dit"));
  EXPECT_THAT(Error(run + "  - config: ../small.yaml\n"),
              HasSubstr("plan.yaml:4: a second run \"small\""));
  EXPECT_THAT(Error(run + "    set: {seed: 3}\n"),
              HasSubstr("plan.yaml:4: set: seed is the plan's own"));
  EXPECT_THAT(Error(run + "    set: {model.dropout: {}}\n"),
              HasSubstr("a value or a list of values"));
  EXPECT_THAT(Error(run + "    set: {model.dropout: []}\n"),
              HasSubstr("a value or a list of values"));
  EXPECT_THAT(Error("out: x\nseeds: [1, one]\nruns: [{config: ../small.yaml}]\n"),
              HasSubstr("plan.yaml:2: seeds: expected a list of numbers"));
  EXPECT_THAT(Error("out: x\nseeds: [1, 1]\nruns: [{config: ../small.yaml}]\n"),
              HasSubstr("plan.yaml:2: seeds: 1 is given twice"));
  EXPECT_THAT(Error("runs: [{config: ../small.yaml}]\n"), HasSubstr("plan.yaml:1: out: not given"));
  EXPECT_THAT(Error("out: x\nruns: []\n"), HasSubstr("plan.yaml:2: runs: expected a list"));
  EXPECT_THAT(Error("out: x\nruns: [{name: y}]\n"), HasSubstr("an entry needs a config"));
  EXPECT_THAT(Error("out: x\nruns: [{config: ../small.yaml, name: a/b}]\n"),
              HasSubstr("\"a/b\" cannot be the name of a folder"));
  EXPECT_THAT(Error("out: x\nruns: [{config: none.yaml}]\n"), HasSubstr("none.yaml"));
  EXPECT_THAT(Error(run + "test: {source: t.en}\n"),
              HasSubstr("plan.yaml:4: test: needs source and reference"));
  EXPECT_THAT(Error(run + "    set: {threads: 1, threads: 2}\n"),
              HasSubstr("threads is given twice"));
  EXPECT_THAT(Error("out: x\nruns: [{config: ../small.yaml, name: report}]\n"),
              HasSubstr("experiment's own"));
  EXPECT_THAT(Error("- a\n"), HasSubstr("plan: expected a mapping"));
  EXPECT_THAT(Error("out: [\n"), HasSubstr("not YAML"));
}

}  // namespace
}  // namespace nmt
