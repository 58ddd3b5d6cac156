#include "nmt/base/stop_signals.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace nmt {
namespace {

std::atomic<bool> stop_requested = false;
std::atomic<const char*> stop_message = "";

void RequestStop(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
  const char* message = stop_message;
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, message, std::strlen(message));
}

void Handle(void (*handler)(int)) {
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
  std::signal(SIGHUP, handler);  // the terminal was closed
}

}  // namespace

StopSignals::StopSignals(const char* message) {
  stop_message = message;
  Handle(RequestStop);
}

StopSignals::~StopSignals() { Handle(SIG_DFL); }

const std::atomic<bool>& StopRequested() { return stop_requested; }

}  // namespace nmt
