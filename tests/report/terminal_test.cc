#include "nmt/report/terminal.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace nmt {
namespace {

TerminalColors Choice(const TerminalEnvironment& environment) {
  return ChooseTerminalColors(environment, /*is_terminal=*/true);
}

TEST(ChooseTerminalColors, TakesTheMostThatTheTerminalSaysItHas) {
  EXPECT_EQ(Choice({.colorterm = "truecolor", .term = "xterm-256color"}),
            TerminalColors::kTrueColor);
  EXPECT_EQ(Choice({.colorterm = "24bit", .term = "screen"}), TerminalColors::kTrueColor);
  EXPECT_EQ(Choice({.term = "xterm-direct"}), TerminalColors::kTrueColor);
  EXPECT_EQ(Choice({.term = "xterm-kitty"}), TerminalColors::kTrueColor);
  EXPECT_EQ(Choice({.term = "xterm-256color"}), TerminalColors::kAnsi256);
  EXPECT_EQ(Choice({.term = "tmux-256color"}), TerminalColors::kAnsi256);
  EXPECT_EQ(Choice({.colorterm = "rxvt", .term = "rxvt-unicode-256color"}),
            TerminalColors::kAnsi256);
}

TEST(ChooseTerminalColors, TakesNoneWhereAFewOrNoneAreKnown) {
  for (const char* term : {"", "dumb", "linux", "vt100", "xterm", "screen", "xterm-16color"})
    EXPECT_EQ(Choice({.term = term}), TerminalColors::kNone) << term;
  EXPECT_EQ(Choice({.colorterm = "truecolor", .term = "dumb"}), TerminalColors::kNone);
}

TEST(ChooseTerminalColors, TakesNoneWhereTheUserWantsNone) {
  EXPECT_EQ(Choice({.no_color = "1", .colorterm = "truecolor", .term = "xterm-256color"}),
            TerminalColors::kNone);
}

TEST(ChooseTerminalColors, TakesNoneInAFile) {
  EXPECT_EQ(ChooseTerminalColors({.colorterm = "truecolor", .term = "xterm-256color"},
                                 /*is_terminal=*/false),
            TerminalColors::kNone);
}

TEST(TerminalOf, APipeHasNoColorsAndAFixedWidth) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Terminal terminal = TerminalOf(ends[1]);
  EXPECT_EQ(terminal.colors, TerminalColors::kNone);
  EXPECT_EQ(terminal.columns, 100);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace nmt
