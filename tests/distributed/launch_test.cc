#include "nmt/distributed/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace nmt {
namespace {

using testing::HasSubstr;
using Environment = std::map<std::string, std::string>;

absl::StatusOr<WorkerPlace> Read(const Environment& variables) {
  return ReadWorkerPlace([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string Refusal(const Environment& variables) {
  const auto place = Read(variables);
  EXPECT_FALSE(place.ok());
  EXPECT_EQ(ExitCode(place.status()), 2);
  return std::string(place.status().message());
}

const Environment kTorchrun = {{"RANK", "5"},
                               {"WORLD_SIZE", "8"},
                               {"LOCAL_RANK", "1"},
                               {"LOCAL_WORLD_SIZE", "4"},
                               {"MASTER_ADDR", "10.0.0.1"},
                               {"MASTER_PORT", "29500"},
                               {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                               {"TORCHELASTIC_RESTART_COUNT", "2"}};

Environment Without(Environment variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

Environment With(Environment variables, const std::string& name, const std::string& value) {
  variables[name] = value;
  return variables;
}

TEST(WorkerPlaceTest, WithoutALauncherAProcessIsAlone) {
  for (const Environment& variables :
       {Environment(), Environment{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}},
        Environment{{"RANK", "0"}, {"WORLD_SIZE", "1"}}}) {
    const auto place = Read(variables);
    ASSERT_TRUE(place.ok()) << place.status();
    EXPECT_EQ(place->rank, 0);
    EXPECT_EQ(place->size, 1);
  }
}

TEST(WorkerPlaceTest, UnderstandsTorchrun) {
  const auto place = Read(kTorchrun);
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->rank, 5);
  EXPECT_EQ(place->size, 8);
  EXPECT_EQ(place->local_rank, 1);
  EXPECT_EQ(place->local_size, 4);
  EXPECT_EQ(place->address, "10.0.0.1");
  EXPECT_EQ(place->port, 29500);
  EXPECT_TRUE(place->store_is_there);
  EXPECT_EQ(place->restarts, 2);
}

TEST(WorkerPlaceTest, UnderstandsSlurm) {
  const auto place = Read({{"SLURM_PROCID", "3"},
                           {"SLURM_STEP_NUM_TASKS", "4"},
                           {"SLURM_LOCALID", "1"},
                           {"SLURM_STEP_NODELIST", "node[07-08]"},
                           {"SLURM_JOB_ID", "123456"}});
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->rank, 3);
  EXPECT_EQ(place->size, 4);
  EXPECT_EQ(place->address, "node07");
  EXPECT_EQ(place->port, 23456);
  EXPECT_FALSE(place->store_is_there);
}

TEST(WorkerPlaceTest, UnderstandsMpi) {
  const auto place = Read({{"OMPI_COMM_WORLD_RANK", "1"},
                           {"OMPI_COMM_WORLD_SIZE", "2"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                           {"MASTER_ADDR", "127.0.0.1"},
                           {"MASTER_PORT", "4000"}});
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->rank, 1);
  EXPECT_EQ(place->local_size, 2);
}

TEST(WorkerPlaceTest, NamesTheVariableThatIsWrong) {
  EXPECT_THAT(Refusal(Without(kTorchrun, "MASTER_ADDR")), HasSubstr("MASTER_ADDR: is not set"));
  EXPECT_THAT(Refusal(Without(kTorchrun, "MASTER_PORT")), HasSubstr("MASTER_PORT: is not set"));
  EXPECT_THAT(Refusal(Without(kTorchrun, "RANK")), HasSubstr("RANK: is not set"));
  EXPECT_THAT(Refusal(With(kTorchrun, "RANK", "8")),
              HasSubstr("RANK: found \"8\", expected a number from 0 to 7"));
  EXPECT_THAT(Refusal(With(kTorchrun, "WORLD_SIZE", "two")),
              HasSubstr("WORLD_SIZE: found \"two\""));
  EXPECT_THAT(Refusal(With(kTorchrun, "MASTER_PORT", "70000")), HasSubstr("MASTER_PORT"));
}

TEST(FirstHostTest, ReadsListsOfSlurm) {
  EXPECT_EQ(FirstHost("alone"), "alone");
  EXPECT_EQ(FirstHost("one,two"), "one");
  EXPECT_EQ(FirstHost("node[007-012,020],other"), "node007");
  EXPECT_EQ(FirstHost("node[3,5]"), "node3");
  EXPECT_EQ(FirstHost("gpu-a[1]"), "gpu-a1");
}

}  // namespace
}  // namespace nmt
