#include "nmt/base/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace nmt {
namespace {

TEST(BoundedQueue, GivesValuesInTheirOrder) {
  BoundedQueue<std::unique_ptr<int>> queue(2);
  std::thread producer([&] {
    for (int i = 0; i < 1000; ++i) queue.Push(std::make_unique<int>(i));
  });
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(**queue.Pop(), i);
  producer.join();
}

TEST(BoundedQueue, HoldsAtMostItsCapacity) {
  BoundedQueue<int> queue(3);
  std::atomic<int> pushed = 0;
  std::thread producer([&] {
    while (queue.Push(0)) ++pushed;
  });
  while (pushed < 3) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(pushed, 3);
  queue.Close();
  producer.join();
  EXPECT_EQ(pushed, 3);
}

TEST(BoundedQueue, ClosingKeepsWhatIsInItAndEndsEveryWait) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.Push(7));
  queue.Close();
  EXPECT_FALSE(queue.Push(8));
  EXPECT_EQ(queue.Pop(), 7);
  EXPECT_EQ(queue.Pop(), std::nullopt);

  BoundedQueue<int> empty(2);
  std::thread consumer([&] { EXPECT_EQ(empty.Pop(), std::nullopt); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  empty.Close();
  consumer.join();
}

TEST(BoundedQueue, PopUntilWaitsNoLongerThanItMay) {
  BoundedQueue<int> queue(2);
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto begin = now();
  EXPECT_EQ(queue.PopUntil(begin + std::chrono::milliseconds(30)), std::nullopt);
  EXPECT_GE(now() - begin, std::chrono::milliseconds(30));
  queue.Push(7);
  EXPECT_EQ(queue.PopUntil(begin), 7);  // what is there is taken even when time is up
  queue.Close();
  EXPECT_EQ(queue.PopUntil(now() + std::chrono::hours(1)), std::nullopt);
}

}  // namespace
}  // namespace nmt
