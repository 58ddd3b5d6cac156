// Many small pieces of work side by side, each on one thread.
//
//   ShareAmongThreads(batches.size(), [&](size_t i) { Translate(batches[i]); });
#ifndef NMT_DECODING_SHARE_AMONG_THREADS_H_
#define NMT_DECODING_SHARE_AMONG_THREADS_H_

#include <cstddef>
#include <functional>

namespace nmt {

// Runs work(i) for all i below `count` on as many threads as LibTorch has (at::get_num_threads()), each of
// which computes alone: two searches side by side are faster than one after another on both threads.
// Fewer pieces than threads run one after another on all of them. The first exception is thrown
// again when all have ended; the number of threads is then what it was.
void ShareAmongThreads(size_t count, const std::function<void(size_t)>& work);

}  // namespace nmt

#endif  // NMT_DECODING_SHARE_AMONG_THREADS_H_
