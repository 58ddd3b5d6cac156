#include "nmt/report/heatmap_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "nmt/report/picture_style.h"

namespace nmt {
namespace {

// Lengths in pixels.
constexpr double kMinValueSize = 8, kMaxValueSize = 11;
constexpr double kValueMargin = 8;   // around a value, both sides together
constexpr double kMinLinedCell = 7;  // lines between smaller cells would be all one sees
constexpr double kKeySize = 20, kKeyGap = 20, kKeyTextGap = 6;  // of a gold link in the legend

// ".87"; "1" for what rounds to it; nothing for what rounds to .00, so that the large stand out.
void AddValue(double weight, double x, double y, const TextStyle& style, Color background,
              std::vector<Shape>& shapes) {
  const int hundredths = static_cast<int>(std::lround(weight * 100));
  if (hundredths <= 0) return;
  shapes.push_back(Text{.x = x,
                        .y = y + 0.36 * style.size,
                        .anchor = Anchor::kMiddle,
                        .color = ReadableOn(background),
                        .style = style,
                        .text = hundredths >= 100 ? "1" : fmt::format(".{:02d}", hundredths)});
}

void AddCells(const Matrix& matrix, std::vector<Shape>& shapes) {
  for (int64_t t = 0; t < matrix.T(); ++t) {
    for (int64_t s = 0; s < matrix.S(); ++s) {
      const double weight = matrix.heatmap->weights_TS[static_cast<size_t>(t * matrix.S() + s)];
      const Color color = ColorOfWeight(weight);
      Box box{.x = matrix.x + matrix.cell * static_cast<double>(s),
              .y = matrix.y + matrix.cell * static_cast<double>(t),
              .width = matrix.cell,
              .height = matrix.cell,
              .fill = color,
              .stroke = {},
              .tooltip = {}};
      if (matrix.cell < kMinLinedCell) {
        // Without a line over it, readers of PDF show the seam to the next cell, which covers this.
        if (s + 1 < matrix.S()) box.width += matrix.cell / 2;
        if (t + 1 < matrix.T()) box.height += matrix.cell / 2;
      }
      if (matrix.has_tooltips) {
        box.tooltip = fmt::format("{} → {}: {:.3f}", matrix.sources[static_cast<size_t>(s)].text,
                                  matrix.targets[static_cast<size_t>(t)].text, std::abs(weight));
      }
      shapes.push_back(std::move(box));
      if (matrix.values)
        AddValue(weight, matrix.ColumnMiddle(s), matrix.RowMiddle(t), *matrix.values, color,
                 shapes);
    }
  }
}

void AddLines(const Matrix& matrix, std::vector<Shape>& shapes) {
  const double right = matrix.x + matrix.width(), bottom = matrix.y + matrix.height();
  if (matrix.cell >= kMinLinedCell) {
    for (int64_t s = 1; s < matrix.S(); ++s) {
      const double x = matrix.x + matrix.cell * static_cast<double>(s);
      shapes.push_back(Line{x, matrix.y, x, bottom, kGridColor, 0.75});
    }
    for (int64_t t = 1; t < matrix.T(); ++t) {
      const double y = matrix.y + matrix.cell * static_cast<double>(t);
      shapes.push_back(Line{matrix.x, y, right, y, kGridColor, 0.75});
    }
  }
  shapes.push_back(Box{.x = matrix.x,
                       .y = matrix.y,
                       .width = matrix.width(),
                       .height = matrix.height(),
                       .fill = {},
                       .stroke = kFrameColor,
                       .tooltip = {}});
}

struct Rectangle {
  double x, y, width, height;
};

Box GoldBox(const Rectangle& around, double cell, bool possible) {
  const double width = std::clamp(cell * 0.06, 0.9, 2.5);
  const double inset = std::min(0.75, cell * 0.05) + width / 2;
  return {.x = around.x + inset,
          .y = around.y + inset,
          .width = around.width - 2 * inset,
          .height = around.height - 2 * inset,
          .fill = {},
          .stroke = kGoldColor,
          .stroke_width = width,
          .dashed = possible,
          .tooltip = {}};
}

// The links that are outlined: every sure link is a possible one too, and some files list it as both.
std::vector<HeatmapCell> Outlined(const Heatmap& heatmap) {
  std::set<std::pair<int64_t, int64_t>> sure;
  for (const HeatmapCell& link : heatmap.gold) {
    if (!link.possible) sure.emplace(link.source, link.target);
  }
  std::vector<HeatmapCell> outlined;
  for (const HeatmapCell& link : heatmap.gold) {
    if (!link.possible || !sure.contains({link.source, link.target})) outlined.push_back(link);
  }
  return outlined;
}

void AddGold(const Matrix& matrix, std::vector<Shape>& shapes) {
  for (const HeatmapCell& link : Outlined(*matrix.heatmap)) {
    const double cell = matrix.cell;
    const Rectangle around{matrix.x + cell * static_cast<double>(link.source),
                           matrix.y + cell * static_cast<double>(link.target),
                           cell * static_cast<double>(link.sources),
                           cell * static_cast<double>(link.targets)};
    Box box = GoldBox(around, cell, link.possible);
    // White on both sides sets the outline off from any blue.
    Box halo = box;
    halo.stroke = kWhite;
    halo.stroke_width += std::min(1.25, cell * 0.08);
    halo.dashed = false;
    shapes.push_back(std::move(halo));
    shapes.push_back(std::move(box));
  }
}

const char* KeyText(bool possible) { return possible ? "possible gold link" : "gold link"; }

// Returns the x behind the text.
double AddLegendText(const char* text, double x, double y, const TextShaper& shaper,
                     std::vector<Shape>& shapes) {
  shapes.push_back(Text{.x = x, .y = y, .color = kInk, .style = kLegendStyle, .text = text});
  return x + shaper.Measure(text, kLegendStyle).width;
}

// Returns the x behind it.
double AddColorBar(double top, const TextShaper& shaper, std::vector<Shape>& shapes) {
  constexpr double kBarWidth = 160, kBarHeight = 12, kSteps = 80;
  const double x = AddLegendText("attention weight", kMargin, top + 11, shaper, shapes) + 12;
  for (int i = 0; i < kSteps; ++i) {
    const double begin = i * kBarWidth / kSteps;
    shapes.push_back(Box{.x = x + begin,
                         .y = top,
                         .width = kBarWidth - begin,  // the next covers it: no seam in a PDF
                         .height = kBarHeight,
                         .fill = ColorOfWeight((i + 0.5) / kSteps),
                         .stroke = {},
                         .tooltip = {}});
  }
  shapes.push_back(Box{.x = x,
                       .y = top,
                       .width = kBarWidth,
                       .height = kBarHeight,
                       .fill = {},
                       .stroke = kFrameColor,
                       .tooltip = {}});
  const double tick_y = top + kBarHeight + 4;
  for (const auto& [value, text] :
       {std::pair{0.0, "0"}, {0.25, ".25"}, {0.5, ".5"}, {0.75, ".75"}, {1.0, "1"}}) {
    const double tick_x = x + value * kBarWidth;
    shapes.push_back(Line{tick_x, tick_y - 4, tick_x, tick_y, kFrameColor, 1});
    shapes.push_back(Text{.x = tick_x,
                          .y = tick_y + kTickStyle.size,
                          .anchor = Anchor::kMiddle,
                          .color = kInk,
                          .style = kTickStyle,
                          .text = text});
  }
  return x + kBarWidth + 8;
}

}  // namespace

std::optional<TextStyle> ValueStyle(const TextShaper& shaper, double cell) {
  const TextStyle style{.size = std::clamp(cell * 0.27, kMinValueSize, kMaxValueSize)};
  if (shaper.Measure(".88", style).width + kValueMargin > cell) return std::nullopt;
  return style;
}

void AddMatrix(const Matrix& matrix, std::vector<Shape>& shapes) {
  AddCells(matrix, shapes);
  AddLines(matrix, shapes);
  AddGold(matrix, shapes);
}

void AddLabel(const Label& label, const Text& place, std::vector<Shape>& shapes) {
  if (label.text.empty()) return;
  Text text = place;
  text.color = label.color;
  text.style = label.style;
  text.text = label.text;
  shapes.push_back(std::move(text));
}

GoldKinds GoldKindsOf(const Heatmap& heatmap) {
  GoldKinds kinds;
  for (const HeatmapCell& link : Outlined(heatmap)) {
    (link.possible ? kinds.possible : kinds.sure) = true;
  }
  return kinds;
}

void AddHeatmapLegend(double top, const GoldKinds& gold, const TextShaper& shaper,
                      Drawing& drawing) {
  const double bar_end = AddColorBar(top, shaper, drawing.shapes);
  std::vector<bool> keys;
  if (gold.sure) keys.push_back(false);
  if (gold.possible) keys.push_back(true);
  double width = 0;
  for (const bool possible : keys) {
    width +=
        kKeyGap + kKeySize + kKeyTextGap + shaper.Measure(KeyText(possible), kLegendStyle).width;
  }
  // Beside the bar if the picture is wide enough anyway, else below it.
  const bool fits = bar_end + width + kMargin <= drawing.width;
  double x = fits ? bar_end : kMargin - kKeyGap;
  const double y = fits ? top : top + 42;
  double right = bar_end;
  for (const bool possible : keys) {
    x += kKeyGap;
    drawing.shapes.push_back(GoldBox({x, y - 4, kKeySize, kKeySize}, kKeySize, possible));
    x = AddLegendText(KeyText(possible), x + kKeySize + kKeyTextGap, y + 11, shaper,
                      drawing.shapes);
    right = std::max(right, x);
  }
  drawing.width = std::ceil(std::max(drawing.width, right + kMargin));
  drawing.height = std::ceil((keys.empty() || fits ? top + 14 : y) + 18 + kMargin);
}

}  // namespace nmt
