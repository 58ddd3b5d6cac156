#include "nmt/distributed/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <stdexcept>

namespace nmt {
namespace {

using testing::HasSubstr;

// A board in memory.
struct SharedTexts {
  std::mutex mutex;
  std::map<std::string, std::string> texts;
  bool is_gone = false;
};

class WatchTest : public testing::Test {
 protected:
  Board board() {
    return {.write =
                [this](const std::string& name, const std::string& text) {
                  const std::lock_guard lock(shared_.mutex);
                  if (shared_.is_gone) throw std::runtime_error("gone");
                  shared_.texts[name] = text;
                },
            .read = [this](const std::string& name) -> std::optional<std::string> {
              const std::lock_guard lock(shared_.mutex);
              if (shared_.is_gone) throw std::runtime_error("gone");
              const auto found = shared_.texts.find(name);
              if (found == shared_.texts.end()) return std::nullopt;
              return found->second;
            }};
  }

  // A worker whose end is told to `lines_[rank]`.
  std::unique_ptr<Watch> Start(int64_t rank, double timeout = 0.3) {
    return std::make_unique<Watch>(
        board(), WatchOptions{.rank = rank,
                              .names = {"a, process 1", "b, process 2", "c, process 3"},
                              .timeout = timeout,
                              .silence = 0.3,
                              .interval = 0.02,
                              .end = [this, rank](const std::string& line) {
                                lines_[static_cast<size_t>(rank)].set_value(line);
                              }});
  }

  // The line with which a worker ends, or "" if it lives on for a second.
  std::string End(int64_t rank) {
    auto line = lines_[static_cast<size_t>(rank)].get_future();
    return line.wait_for(std::chrono::seconds(1)) == std::future_status::ready ? line.get() : "";
  }

  SharedTexts shared_;
  std::promise<std::string> lines_[3];
};

TEST_F(WatchTest, WorkersThatLiveAreLeftAlone) {
  const auto first = Start(0), second = Start(1), third = Start(2);
  EXPECT_EQ(End(0), "");
}

TEST_F(WatchTest, AWorkerThatGivesNoSignIsNamedToAll) {
  const auto first = Start(0), second = Start(1);
  EXPECT_THAT(End(0), HasSubstr("worker 2 of 3 (c, process 3) has given no sign"));
  EXPECT_THAT(End(1), HasSubstr("worker 2 of 3 (c, process 3) has given no sign"));
}

TEST_F(WatchTest, WithoutWorker0TheOthersEnd) {
  const auto second = Start(1), third = Start(2);
  EXPECT_THAT(End(1), HasSubstr("worker 0 of 3 (a, process 1)"));
  EXPECT_THAT(End(2), HasSubstr("worker 0 of 3 (a, process 1)"));
}

TEST_F(WatchTest, WithoutABoardWorkersEnd) {
  const auto first = Start(0), second = Start(1), third = Start(2);
  {
    const std::lock_guard lock(shared_.mutex);
    shared_.is_gone = true;
  }
  EXPECT_THAT(End(1), HasSubstr("worker 0 of 3 (a, process 1) has died, or its store"));
}

TEST_F(WatchTest, WhereTheBoardDoesNotAnswerWorkersEnd) {
  const auto first = Start(0), second = Start(1), third = Start(2);
  std::string line;
  {
    const std::lock_guard lock(shared_.mutex);  // no call to the board comes back
    line = End(1);
  }
  EXPECT_THAT(line, HasSubstr("worker 0 of 3 (a, process 1) cannot be reached"));
}

TEST_F(WatchTest, TheOneThatTheOthersWaitForIsNamed) {
  const auto first = Start(0), second = Start(1), third = Start(2);
  first->CountCall();
  third->CountCall();
  EXPECT_THAT(End(2), HasSubstr("worker 1 of 3 (b, process 2) hangs"));
}

TEST_F(WatchTest, AWorkerThatFailedTellsTheOthersWhy) {
  const auto first = Start(0), second = Start(1), third = Start(2);
  third->ReportFailure("the disk is full");
  EXPECT_EQ(End(0), "worker 2 of 3 (c, process 3): the disk is full");
  EXPECT_EQ(End(2), "");
}

TEST_F(WatchTest, WhereAConnectionBrokeADeathIsNoticedSoon) {
  const auto first = Start(0, 60), second = Start(1, 60);
  second->ReportBroken("connection closed by peer");
  EXPECT_EQ(End(0), "worker 2 of 3 (c, process 3) has died");
}

TEST_F(WatchTest, AnErrorIsWhatItIsWhereNobodyDied) {
  const auto first = Start(0, 60), second = Start(1, 60), third = Start(2, 60);
  second->ReportBroken("out of memory");
  EXPECT_EQ(End(0), "worker 1 of 3 (b, process 2): out of memory");
  EXPECT_EQ(End(2), "worker 1 of 3 (b, process 2): out of memory");
}

}  // namespace
}  // namespace nmt
