#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "nmt/report/color_scale.h"
#include "nmt/report/heatmap.h"
#include "nmt/report/heatmap_layout.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

constexpr std::string_view kShades = " .:-=+*#%@";
constexpr std::string_view kReset = "\x1b[0m";
constexpr int kMinColumns = 24;

enum class Gold { kNone, kPossible, kSure };

// The index of the nearest colour in xterm's cube of 6 x 6 x 6 (16 + 36 r + 6 g + b) or its greys.
int NearestAnsi256(Color color) {
  constexpr int kLevels[] = {0, 95, 135, 175, 215, 255};
  const auto square = [](int x) { return x * x; };
  const auto distance = [&](int r, int g, int b) {
    return square(r - color.red) + square(g - color.green) + square(b - color.blue);
  };
  int best = 16;
  int best_distance = distance(0, 0, 0);
  const auto consider = [&](int index, int r, int g, int b) {
    if (distance(r, g, b) >= best_distance) return;
    best_distance = distance(r, g, b);
    best = index;
  };
  for (int i = 0; i < 216; ++i) {
    consider(16 + i, kLevels[i / 36], kLevels[i / 6 % 6], kLevels[i % 6]);
  }
  for (int i = 0; i < 24; ++i) consider(232 + i, 8 + 10 * i, 8 + 10 * i, 8 + 10 * i);
  return best;
}

// "\x1b[38;5;16;48;5;231m": dark or light text on the weight's colour.
std::string ColorCode(double weight, TerminalColors colors) {
  const Color ground = ColorOfWeight(weight);
  const Color text = ReadableOn(ground);
  if (colors == TerminalColors::kAnsi256) {
    return fmt::format("\x1b[38;5;{};48;5;{}m", NearestAnsi256(text), NearestAnsi256(ground));
  }
  return fmt::format("\x1b[38;2;{};{};{};48;2;{};{};{}m", text.red, text.green, text.blue,
                     ground.red, ground.green, ground.blue);
}

// `width` columns: 2 of shade or colour, or 3 with room for the brackets of a gold link.
std::string Cell(double weight, Gold gold, TerminalColors colors, int width) {
  const std::string_view brackets = gold == Gold::kSure       ? "[]"
                                    : gold == Gold::kPossible ? "()"
                                                              : "  ";
  if (colors == TerminalColors::kNone) {
    const int shade = static_cast<int>(std::lround(std::clamp(weight, 0.0, 1.0) * 9));
    const char ink = kShades[static_cast<size_t>(shade)];
    if (width == 2) return std::string(2, ink);
    return {brackets[0], ink, brackets[1]};
  }
  const std::string middle = width == 2 ? "  " : std::string{brackets[0], ' ', brackets[1]};
  return ColorCode(weight, colors) + middle;
}

std::vector<std::string> Labels(const std::vector<std::string>& words, bool ends_with_end_symbol) {
  std::vector<std::string> labels;
  for (const std::string& word : words) {
    labels.push_back(ElideToColumns(PrintableText(word), kMaxLabelColumns));
  }
  if (ends_with_end_symbol && !labels.empty()) labels.back() = kEndSymbol;
  return labels;
}

// Blanks at the end of a line serve nobody.
void AppendLine(std::string& text, std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

class TerminalDrawing {
 public:
  TerminalDrawing(const Heatmap& heatmap, TerminalColors colors, int columns)
      : heatmap_(heatmap),
        colors_(colors),
        columns_(std::max(columns, kMinColumns)),
        sources_(Labels(heatmap.source_labels, heatmap.source_ends_with_end_symbol)),
        targets_(Labels(heatmap.target_labels, heatmap.target_ends_with_end_symbol)),
        cell_width_(heatmap.gold.empty() ? 2 : 3),
        gold_(heatmap.weights_TS.size(), Gold::kNone) {
    for (std::string& target : targets_) {
      target = ElideToColumns(target, columns_ / 3);
      label_width_ = std::max(label_width_, DisplayWidth(target));
    }
    for (const HeatmapCell& link : heatmap.gold) {
      for (int64_t t = link.target; t < link.target + link.targets; ++t) {
        for (int64_t s = link.source; s < link.source + link.sources; ++s) {
          Gold& gold = gold_[Index(t, s)];
          gold = std::max(gold, link.possible ? Gold::kPossible : Gold::kSure);
        }
      }
    }
  }

  std::string Draw() const {
    std::string text;
    const std::string title = ElideToColumns(PrintableText(heatmap_.title), columns_);
    if (!title.empty()) text += title + "\n\n";
    const int64_t S = static_cast<int64_t>(sources_.size());
    if (S == 0 || targets_.empty()) return text + "(no words)\n";
    const int64_t block = std::max(1, (columns_ - label_width_ - 1) / cell_width_);
    for (int64_t first = 0; first < S; first += block) {
      const int64_t last = std::min(S, first + block);
      if (S > block) text += fmt::format("words {}-{} of {}\n", first + 1, last, S);
      DrawHeader(text, first, last);
      DrawRows(text, first, last);
      text += '\n';
    }
    return text + Legend();
  }

 private:
  size_t Index(int64_t t, int64_t s) const {
    return static_cast<size_t>(t) * sources_.size() + static_cast<size_t>(s);
  }

  // A staircase, which suits every script: each word starts above its column, and the columns
  // before it have lines that lead down to their cells.
  void DrawHeader(std::string& text, int64_t first, int64_t last) const {
    const std::string stem = cell_width_ == 2 ? "| " : " | ";
    std::string line = std::string(static_cast<size_t>(label_width_ + 1), ' ');
    const std::string indent = cell_width_ == 2 ? "" : " ";
    for (int64_t s = first; s < last; ++s) {
      const std::string start = line + indent;
      AppendLine(text, start + ElideToColumns(sources_[static_cast<size_t>(s)],
                                              columns_ - DisplayWidth(start)));
      line += stem;
    }
  }

  void DrawRows(std::string& text, int64_t first, int64_t last) const {
    for (size_t t = 0; t < targets_.size(); ++t) {
      std::string line = PadLeft(targets_[t], label_width_) + " ";
      for (int64_t s = first; s < last; ++s) {
        const size_t i = Index(static_cast<int64_t>(t), s);
        line += Cell(heatmap_.weights_TS[i], gold_[i], colors_, cell_width_);
      }
      if (colors_ != TerminalColors::kNone) line += kReset;
      AppendLine(text, line);
    }
  }

  std::string Legend() const {
    std::string legend = "0 ";
    if (colors_ == TerminalColors::kNone) {
      legend += fmt::format("\"{}\"", kShades);
    } else {
      for (int i = 0; i < 10; ++i) legend += ColorCode((i + 0.5) / 10, colors_) + " ";
      legend += kReset;
    }
    legend += " 1\n";
    if (!heatmap_.gold.empty()) legend += "[ ] gold, ( ) possible\n";
    return legend;
  }

  const Heatmap& heatmap_;
  const TerminalColors colors_;
  const int columns_;
  std::vector<std::string> sources_, targets_;
  const int cell_width_;
  std::vector<Gold> gold_;
  int label_width_ = 0;
};

}  // namespace

std::string DrawHeatmapInTerminal(const Heatmap& heatmap, TerminalColors colors, int columns) {
  if (const absl::Status status = CheckHeatmap(heatmap); !status.ok()) {
    return std::string(status.message()) + "\n";
  }
  return TerminalDrawing(heatmap, colors, columns).Draw();
}

}  // namespace nmt
