#include "nmt/decoding/share_among_threads.h"

#include <ATen/Parallel.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace nmt {

void ShareAmongThreads(size_t count, const std::function<void(size_t)>& work) {
  const int threads = at::get_num_threads();
  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto run = [&] {
    try {
      for (size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  if (threads == 1 || count < static_cast<size_t>(threads)) {
    run();
  } else {
    {
      std::vector<std::jthread> workers;  // joined at the end of the block
      try {
        for (int i = 0; i < threads; ++i) {
          workers.emplace_back([&] {
            at::set_num_threads(1);  // of this thread, and of those that start later
            run();
          });
        }
      } catch (const std::system_error&) {
        if (workers.empty()) run();  // the system has no more threads
      }
    }
    at::set_num_threads(threads);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nmt
