// What the terminal behind a stream can show, by what it says of itself.
//
//   const Terminal terminal = TerminalOf(STDERR_FILENO);
//   std::fputs(DrawHeatmapInTerminal(heatmap, terminal.colors, terminal.columns).c_str(), stderr);
#ifndef NMT_REPORT_TERMINAL_H_
#define NMT_REPORT_TERMINAL_H_

#include <string>

#include "nmt/report/heatmap.h"

namespace nmt {

// The environment variables that speak of colours; empty where they are not set.
struct TerminalEnvironment {
  std::string no_color;   // NO_COLOR, not empty: the user wants none (no-color.org)
  std::string colorterm;  // COLORTERM: "truecolor" or "24bit" where there are 16 million
  std::string term;       // TERM: the terminal's name in terminfo; "-direct" has 16 million
};

// The most colours that a terminal says it has; none where what is written goes to a file or a pipe,
// to a terminal of 16 colours or less, or to one that nothing is known of.
TerminalColors ChooseTerminalColors(const TerminalEnvironment& environment, bool is_terminal);

struct Terminal {
  TerminalColors colors = TerminalColors::kNone;
  int columns = 100;  // where no terminal says its width
};

// Of a file descriptor and this process's environment.
Terminal TerminalOf(int descriptor);

}  // namespace nmt

#endif  // NMT_REPORT_TERMINAL_H_
