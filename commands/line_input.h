// The lines of stdin in chunks of what is there.
//
//   LineInput input;
//   while (!(lines = input.NextChunk(1024)).empty()) ...
#ifndef NMT_COMMANDS_LINE_INPUT_H_
#define NMT_COMMANDS_LINE_INPUT_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nmt/base/bounded_queue.h"
#include "nmt/text/lines.h"

namespace nmt {

// The lines of stdin, read ahead by a thread of its own, so that a chunk can be what is there.
class LineInput {
 public:
  LineInput() {
    // The thread may still wait for a line when the program ends: it owns what it uses.
    std::thread([shared = shared_] {
      LineReader reader(stdin);
      bool is_first = true;
      while (std::optional<std::string> line = reader.Next()) {
        if (is_first) line = std::string(WithoutByteOrderMark(*line));
        is_first = false;
        if (!shared->lines.Push(std::move(*line))) break;
      }
      shared->failed = std::ferror(stdin) != 0;
      shared->lines.Close();
    }).detach();
  }

  ~LineInput() { shared_->lines.Close(); }
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  // At least one line and at most `count`; none at the end.
  std::vector<std::string> NextChunk(int64_t count) {
    std::vector<std::string> chunk;
    std::optional<std::string> line = shared_->lines.Pop();
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (line) {
      chunk.push_back(std::move(*line));
      if (static_cast<int64_t>(chunk.size()) == count) break;
      line = shared_->lines.PopUntil(deadline);
    }
    return chunk;
  }

  // Whether stdin could not be read to its end.
  bool failed() const { return shared_->failed; }

 private:
  // For a pipe whose writer is slower: how long to wait for more lines before translating those there are.
  static constexpr std::chrono::milliseconds kPatience{20};

  struct Shared {
    BoundedQueue<std::string> lines{4096};
    std::atomic<bool> failed = false;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace nmt

#endif  // NMT_COMMANDS_LINE_INPUT_H_
