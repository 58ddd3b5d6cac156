#include "nmt/base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace nmt {
namespace {

constexpr int kBarWidth = 24;

int TerminalColumns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

ProgressBar::ProgressBar(std::string_view name, int64_t total)
    : name_(name), total_(total), is_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressBar::Update(int64_t done, std::string_view note) {
  if (!is_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (first_done_ < 0) {
    first_done_ = done;
    start_ = now;
  }
  if (drawn_ && done < total_ && now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;

  std::string line = name_ + " ";
  if (total_ > 0) {
    const double share =
        std::clamp(static_cast<double>(done) / static_cast<double>(total_), 0.0, 1.0);
    const int filled = static_cast<int>(share * kBarWidth);
    for (int i = 0; i < kBarWidth; ++i) line += i < filled ? "#" : ".";
    line += fmt::format(" {:3d}%", static_cast<int>(share * 100));
    const double seconds = std::chrono::duration<double>(now - start_).count();
    if (done > first_done_ && done < total_ && seconds > 1) {
      const double left =
          seconds / static_cast<double>(done - first_done_) * static_cast<double>(total_ - done);
      line += ", " + FormatDuration(left) + " left";
    }
  } else {
    line += WithThousands(done);
  }
  if (!note.empty()) line += fmt::format(", {}", note);
  line.resize(std::min<size_t>(line.size(), static_cast<size_t>(TerminalColumns() - 1)));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::Clear() {
  if (!drawn_) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

std::string FormatDuration(double seconds) {
  const int64_t total = static_cast<int64_t>(seconds + 0.5);
  if (total >= 3600) return fmt::format("{} h {:02d} min", total / 3600, total % 3600 / 60);
  if (total >= 60) return fmt::format("{} min {:02d} s", total / 60, total % 60);
  return fmt::format("{} s", total);
}

std::string WithThousands(int64_t value) {
  std::string digits = fmt::format("{}", value);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > (value < 0 ? 1 : 0); i -= 3) {
    digits.insert(static_cast<size_t>(i), ",");
  }
  return digits;
}

}  // namespace nmt
