// A queue between threads that holds at most `capacity` values: the producer waits while it is
// full, the consumer while it is empty.
//
//   BoundedQueue<Batch> queue(8);
//   while (queue.Push(MakeBatch())) {}                        // producer; false once closed
//   while (std::optional<Batch> batch = queue.Pop()) Use(*batch);    // consumer
#ifndef NMT_BASE_BOUNDED_QUEUE_H_
#define NMT_BASE_BOUNDED_QUEUE_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace nmt {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Adds a value, when there is room for it; false, and the value is lost, once closed.
  bool Push(T value) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [this] { return is_closed_ || values_.size() < capacity_; });
    if (is_closed_) return false;
    values_.push_back(std::move(value));
    has_value_.notify_one();
    return true;
  }

  // Takes the oldest value, when there is one; nothing once closed and empty.
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    has_value_.wait(lock, [this] { return is_closed_ || !values_.empty(); });
    return Take();
  }

  // As Pop, but nothing also when none has come by `deadline`.
  std::optional<T> PopUntil(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    has_value_.wait_until(lock, deadline, [this] { return is_closed_ || !values_.empty(); });
    return Take();
  }

  // Ends every wait, now and later. Values already in the queue can still be taken.
  void Close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    has_room_.notify_all();
    has_value_.notify_all();
  }

 private:
  std::optional<T> Take() {
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    has_room_.notify_one();
    return value;
  }

  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable has_room_, has_value_;
  std::deque<T> values_;
  bool is_closed_ = false;
};

}  // namespace nmt

#endif  // NMT_BASE_BOUNDED_QUEUE_H_
