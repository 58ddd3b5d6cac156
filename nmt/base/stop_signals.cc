#include "nmt/base/stop_signals.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace nmt {
namespace {

std::atomic<bool> stop_requested = false;
std::atomic<const char*> stop_message = "";

void Handle(void (*handler)(int)) {
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
  // The terminal was closed; under nohup that is ignored, and stays so.
  if (std::signal(SIGHUP, handler) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

void RequestStop(int) {
  stop_requested = true;
  Handle(SIG_DFL);
  const char* message = stop_message;
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, message, std::strlen(message));
}

}  // namespace

StopSignals::StopSignals(const char* message) {
  stop_message = message;
  Handle(RequestStop);
}

StopSignals::~StopSignals() { Handle(SIG_DFL); }

const std::atomic<bool>& StopRequested() { return stop_requested; }

}  // namespace nmt
