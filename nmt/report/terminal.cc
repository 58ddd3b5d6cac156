#include "nmt/report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace nmt {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

TerminalColors ChooseTerminalColors(const TerminalEnvironment& environment, bool is_terminal) {
  const auto& [no_color, colorterm, term] = environment;
  if (!is_terminal || !no_color.empty() || term.empty() || term == "dumb")
    return TerminalColors::kNone;
  if (colorterm == "truecolor" || colorterm == "24bit" || term.ends_with("-direct"))
    return TerminalColors::kTrueColor;
  if (term.find("256color") != std::string::npos) return TerminalColors::kAnsi256;
  // These have 16 million, whoever forgets to hand COLORTERM on (sudo and ssh do).
  for (const char* name : {"xterm-kitty", "alacritty", "foot", "wezterm", "xterm-ghostty"}) {
    if (term == name) return TerminalColors::kTrueColor;
  }
  return TerminalColors::kNone;
}

Terminal TerminalOf(int descriptor) {
  const TerminalEnvironment environment{.no_color = Variable("NO_COLOR"),
                                        .colorterm = Variable("COLORTERM"),
                                        .term = Variable("TERM")};
  Terminal terminal{.colors = ChooseTerminalColors(environment, isatty(descriptor) != 0)};
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.columns = size.ws_col;
  return terminal;
}

}  // namespace nmt
