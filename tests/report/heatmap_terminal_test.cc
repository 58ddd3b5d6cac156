#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "nmt/report/heatmap.h"
#include "nmt/report/printable.h"
#include "tests/report/report_testing.h"

namespace nmt {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> LinesOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// `text` without terminal codes "ESC [ ... m".
std::string WithoutColors(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

TEST(DrawHeatmapInTerminal, DrawsShadesUnderAStaircaseOfSourceWords) {
  Heatmap heatmap{.title = "GRU",
                  .source_labels = {"das", "Haus", "</s>"},
                  .target_labels = {"the", "house", "</s>"},
                  .weights_TS = {1.0f, 0.0f, 0.0f, 0.11f, 0.67f, 0.22f, 0.0f, 0.33f, 0.67f},
                  .gold = {},
                  .source_ends_with_end_symbol = true,
                  .target_ends_with_end_symbol = false};
  EXPECT_EQ(DrawHeatmapInTerminal(heatmap, TerminalColors::kNone, 80),
            "GRU\n"
            "\n"
            "      das\n"
            "      | Haus\n"
            "      | | ⟨/s⟩\n"
            "  the @@\n"
            "house ..**::\n"
            " </s>   --**\n"
            "\n"
            "0 \" .:-=+*#%@\" 1\n");
}

TEST(DrawHeatmapInTerminal, PutsGoldLinksInBrackets) {
  Heatmap heatmap{.title = "",
                  .source_labels = {"das", "Haus"},
                  .target_labels = {"the", "house"},
                  .weights_TS = {1.0f, 0.0f, 0.0f, 1.0f},
                  .gold = {{.source = 0, .target = 0},
                           {.source = 0, .target = 0, .possible = true},
                           {.source = 0, .target = 1, .possible = true}}};
  EXPECT_EQ(DrawHeatmapInTerminal(heatmap, TerminalColors::kNone, 80),
            "       das\n"
            "       |  Haus\n"
            "  the [@]\n"
            "house ( ) @\n"
            "\n"
            "0 \" .:-=+*#%@\" 1\n"
            "[ ] gold, ( ) possible\n");
}

TEST(DrawHeatmapInTerminal, PutsEveryPieceOfAGoldLinkInBrackets) {
  Heatmap heatmap = HeatmapOf("▁a b ▁c", "▁x y");
  heatmap.gold = {{.source = 0, .target = 0, .sources = 2, .targets = 2}};
  const std::string drawing = DrawHeatmapInTerminal(heatmap, TerminalColors::kNone, 80);
  EXPECT_EQ(CountOf(drawing, "["), 5u) << "four, and the legend";
}

TEST(DrawHeatmapInTerminal, AlignsWideWordsByTheirColumns) {
  Heatmap heatmap = HeatmapOf("猫 月亮", "猫 луну e\xcc\x81");
  heatmap.weights_TS = {1, 0, 1, 0, 1, 0};
  const std::vector<std::string> lines =
      LinesOf(DrawHeatmapInTerminal(heatmap, TerminalColors::kNone, 80));
  EXPECT_EQ(lines[2], "     猫");
  EXPECT_EQ(lines[3], "     | 月亮");
  EXPECT_EQ(lines[4], "  猫 @@");
  EXPECT_EQ(lines[5], "луну @@");
  EXPECT_EQ(lines[6], "   e\xcc\x81 @@");
}

TEST(DrawHeatmapInTerminal, KeepsWithinTheColumnsAndShowsEveryWord) {
  for (const int columns : {24, 40, 80, 200}) {
    for (const bool has_gold : {false, true}) {
      Heatmap heatmap =
          HeatmapOf(ManyWords(45), ManyWords(8) + "donaudampfschifffahrtsgesellschaft");
      if (has_gold) heatmap.gold = {{.source = 44, .target = 8}};
      const std::string drawing = DrawHeatmapInTerminal(heatmap, TerminalColors::kAnsi256, columns);
      for (const std::string& line : LinesOf(WithoutColors(drawing))) {
        EXPECT_LE(DisplayWidth(line), columns) << line;
      }
      // 10 colours of the legend, and a cell for each pair of words however they are split.
      EXPECT_EQ(CountOf(drawing, "\x1b[38;5;"), 45u * 9 + 10);
    }
  }
}

TEST(DrawHeatmapInTerminal, SaysWhichWordsABlockShows) {
  const std::string drawing =
      DrawHeatmapInTerminal(HeatmapOf("a b c d e f g h i j k l", "x"), TerminalColors::kNone, 24);
  EXPECT_THAT(drawing, HasSubstr("words 1-11 of 12\n"));
  EXPECT_THAT(drawing, HasSubstr("words 12-12 of 12\n"));
}

TEST(DrawHeatmapInTerminal, UsesTheColorScaleWithReadableText) {
  Heatmap heatmap = HeatmapOf("a b", "x");
  heatmap.weights_TS = {1, 0};
  // White is 231 and the navy of weight 1 (#102459) nearest to 17 (#00005f) in xterm's table.
  EXPECT_THAT(DrawHeatmapInTerminal(heatmap, TerminalColors::kAnsi256, 80),
              HasSubstr("x \x1b[38;5;231;48;5;17m  \x1b[38;5;16;48;5;231m  \x1b[0m\n"));
  EXPECT_THAT(
      DrawHeatmapInTerminal(heatmap, TerminalColors::kTrueColor, 80),
      HasSubstr(
          "x \x1b[38;2;255;255;255;48;2;16;36;89m  \x1b[38;2;0;0;0;48;2;255;255;255m  \x1b[0m"));
}

TEST(DrawHeatmapInTerminal, LetsNoLabelControlTheTerminal) {
  Heatmap heatmap = HeatmapOf("a", "x");
  heatmap.title = heatmap.source_labels[0] = heatmap.target_labels[0] = "\x1b[2J\r\n\xe2\x80\xae";
  const std::string drawing = DrawHeatmapInTerminal(heatmap, TerminalColors::kNone, 80);
  EXPECT_THAT(drawing, Not(HasSubstr("\x1b")));
  EXPECT_THAT(drawing, Not(HasSubstr("\r")));
  EXPECT_THAT(drawing, Not(HasSubstr("\xe2\x80\xae")));
}

TEST(DrawHeatmapInTerminal, DrawsEmptySentencesAndRefusesBrokenMatrices) {
  EXPECT_EQ(DrawHeatmapInTerminal(Heatmap{}, TerminalColors::kNone, 80), "(no words)\n");
  Heatmap heatmap = HeatmapOf("a b", "x");
  heatmap.weights_TS.clear();
  EXPECT_EQ(DrawHeatmapInTerminal(heatmap, TerminalColors::kNone, 80),
            "heatmap \"GRU, additive attention\": 0 weights, expected 1 (target words) x 2 (source "
            "words)\n");
}

}  // namespace
}  // namespace nmt
