#include "nmt/distributed/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace nmt {
namespace {

constexpr const char* kVerdict = "verdict";
constexpr const char* kBroken = "broken";

std::string SignOf(int64_t rank) { return fmt::format("sign/{}", rank); }

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string DescribeWorker(int64_t rank, const std::vector<std::string>& names) {
  return fmt::format("worker {} of {} ({})", rank, names.size(), names[static_cast<size_t>(rank)]);
}

Watch::Watch(Board board, WatchOptions options)
    : board_(std::move(board)),
      options_(std::move(options)),
      last_call_(Now()),
      answered_(last_call_) {
  const auto size = static_cast<int64_t>(options_.names.size());
  seen_.assign(options_.names.size(), {.when = last_call_});
  if (options_.rank > 0) watched_ = {0};
  for (int64_t rank = 1; options_.rank == 0 && rank < size; ++rank) watched_.push_back(rank);
  thread_ = std::thread([this] { Run(); });
  guard_ = std::thread([this] { Guard(); });
}

void Watch::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  {
    const std::lock_guard lock(mutex_);
    unguarded_ = true;
  }
  wake_.notify_all();
  if (guard_.joinable()) guard_.join();
}

void Watch::ReportFailure(const std::string& why) {
  Stop();
  try {
    // The first word counts: what follows from it says less.
    if (board_.read(kVerdict)) return;
    board_.write(kVerdict,
                 fmt::format("{}: {}", DescribeWorker(options_.rank, options_.names), why));
  } catch (const std::exception&) {
    // Nobody is left to be told.
  }
}

void Watch::ReportBroken(const std::string& what) {
  try {
    if (board_.read(kBroken)) return;
    board_.write(kBroken,
                 fmt::format("{}: {}", DescribeWorker(options_.rank, options_.names), what));
  } catch (const std::exception&) {
    // Run() finds it too, and ends the process.
  }
}

void Watch::ReadSign(int64_t rank, Seconds now) {
  Seen& seen = seen_[static_cast<size_t>(rank)];
  const std::optional<std::string> sign = board_.read(SignOf(rank));
  if (!sign || *sign == seen.sign) return;
  const int64_t calls = std::stoll(sign->substr(sign->find(' ') + 1));
  if (calls != seen.calls) last_call_ = now;
  seen = {*sign, calls, now};
}

std::optional<std::string> Watch::FindSilent(Seconds now) const {
  const Seconds limit =
      broken_since_ ? std::min(options_.silence, options_.timeout) : options_.timeout;
  for (const int64_t rank : watched_) {
    if (now - seen_[static_cast<size_t>(rank)].when < limit) continue;
    const std::string worker = DescribeWorker(rank, options_.names);
    return broken_since_ ? fmt::format("{} has died", worker)
                         : fmt::format(
                               "{} has given no sign for {:.0f} s: it is stopped, or its "
                               "machine cannot be reached",
                               worker, options_.timeout);
  }
  // Everybody is there, so that it was not a death that broke the connection.
  if (broken_since_ && now - *broken_since_ > 2 * options_.silence) return broken_what_;
  return std::nullopt;
}

std::optional<std::string> Watch::FindHung(Seconds now) const {
  if (now - last_call_ < options_.timeout) return std::nullopt;
  const auto [least, most] = std::minmax_element(
      seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) { return a.calls < b.calls; });
  if (least->calls == most->calls) return std::nullopt;  // a long work of all, not a wait
  return fmt::format("{} hangs: the others have waited for it for {:.0f} s",
                     DescribeWorker(least - seen_.begin(), options_.names), options_.timeout);
}

std::optional<std::string> Watch::Look(Seconds now) {
  if (auto verdict = board_.read(kVerdict)) return verdict;
  if (const auto broken = board_.read(kBroken); broken && !broken_since_) {
    broken_since_ = now;
    broken_what_ = *broken;
  }
  for (const int64_t rank : watched_) ReadSign(rank, now);
  std::optional<std::string> verdict = FindSilent(now);
  if (!verdict && options_.rank == 0) {
    ReadSign(0, now);
    verdict = FindHung(now);
  }
  if (verdict) board_.write(kVerdict, *verdict);
  return verdict;
}

void Watch::End(const std::string& line) {
  if (!ended_.exchange(true)) options_.end(line);
}

void Watch::Guard() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::duration<double>(options_.interval),
                         [this] { return unguarded_; })) {
    if (Now() - answered_ < options_.timeout) continue;
    lock.unlock();
    return End(fmt::format("{} cannot be reached: its store has not answered for {:.0f} s",
                           DescribeWorker(0, options_.names), options_.timeout));
  }
}

void Watch::Run() {
  for (int64_t signs = 0;; ++signs) {
    std::optional<std::string> verdict;
    try {
      board_.write(SignOf(options_.rank), fmt::format("{} {}", signs, calls_.load()));
      verdict = Look(Now());
    } catch (const std::exception&) {
      verdict = fmt::format("{} has died, or its store cannot be reached",
                            DescribeWorker(0, options_.names));
    }
    answered_ = Now();
    std::unique_lock lock(mutex_);
    if (stopped_) return;
    if (verdict) {
      lock.unlock();
      // The board may end with worker 0: the others read it first.
      if (options_.rank == 0)
        std::this_thread::sleep_for(std::chrono::duration<double>(2 * options_.interval));
      return End(*verdict);
    }
    wake_.wait_for(lock, std::chrono::duration<double>(options_.interval),
                   [this] { return stopped_; });
    if (stopped_) return;
  }
}

}  // namespace nmt
