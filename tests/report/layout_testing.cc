#include "tests/report/layout_testing.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace nmt {
namespace {

struct Point {
  double x, y;
};
using Quad = std::array<Point, 4>;

Quad QuadOf(const Text& text, const TextShaper& shaper) {
  const TextSize size = shaper.Measure(text.text, text.style);
  const double left = text.anchor == Anchor::kStart    ? 0
                      : text.anchor == Anchor::kMiddle ? -size.width / 2
                                                       : -size.width;
  const double angle = text.degrees * std::numbers::pi / 180;
  const auto turned = [&](double x, double y) {
    return Point{text.x + x * std::cos(angle) - y * std::sin(angle),
                 text.y + x * std::sin(angle) + y * std::cos(angle)};
  };
  return {turned(left, -size.ascent), turned(left + size.width, -size.ascent),
          turned(left + size.width, size.descent), turned(left, size.descent)};
}

Quad QuadOf(const Box& box) {
  return {Point{box.x, box.y}, Point{box.x + box.width, box.y},
          Point{box.x + box.width, box.y + box.height}, Point{box.x, box.y + box.height}};
}

// Two convex shapes are apart if an edge of one has the other wholly on its far side.
bool HasSeparatingEdge(const Quad& a, const Quad& b) {
  for (size_t i = 0; i < 4; ++i) {
    const Point p = a[i], q = a[(i + 1) % 4];
    bool all_outside = true;
    for (const Point& r : b) {
      all_outside &= (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) <= 1e-9;
    }
    if (all_outside) return true;
  }
  return false;
}
bool Overlap(const Quad& a, const Quad& b) {
  return !HasSeparatingEdge(a, b) && !HasSeparatingEdge(b, a);
}

}  // namespace

void ExpectTidy(const Drawing& drawing, const TextShaper& shaper) {
  std::vector<std::pair<Quad, std::string>> texts;
  std::vector<Quad> frames;
  for (const Shape& shape : drawing.shapes) {
    if (const Text* text = std::get_if<Text>(&shape)) {
      texts.emplace_back(QuadOf(*text, shaper), text->text);
    } else if (const Box* box = std::get_if<Box>(&shape); box && box->stroke && !box->dashed) {
      frames.push_back(QuadOf(*box));
    }
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& [quad, name] = texts[i];
    for (const Point& corner : quad) {
      EXPECT_TRUE(corner.x >= 0 && corner.x <= drawing.width && corner.y >= 0 &&
                  corner.y <= drawing.height)
          << name << " is cut: (" << corner.x << ", " << corner.y << ") of " << drawing.width
          << " x " << drawing.height;
    }
    for (size_t j = i + 1; j < texts.size(); ++j) {
      EXPECT_FALSE(Overlap(quad, texts[j].first)) << name << " and " << texts[j].second;
    }
    const bool is_value = name.starts_with(".") || name == "1";
    for (const Quad& frame : frames) {
      EXPECT_TRUE(is_value || !Overlap(quad, frame)) << name << " covers a matrix";
    }
  }
}

std::vector<Text> Texts(const HeatmapLayout& layout) {
  std::vector<Text> texts;
  for (const Shape& shape : layout.drawing.shapes) {
    if (const Text* text = std::get_if<Text>(&shape)) texts.push_back(*text);
  }
  return texts;
}
std::optional<Text> Find(const HeatmapLayout& layout, const std::string& text) {
  for (const Text& candidate : Texts(layout)) {
    if (candidate.text == text) return candidate;
  }
  return std::nullopt;
}
std::optional<Box> FindCell(const HeatmapLayout& layout, const std::string& tooltip) {
  for (const Shape& shape : layout.drawing.shapes) {
    const Box* box = std::get_if<Box>(&shape);
    if (box && box->tooltip.starts_with(tooltip)) return *box;
  }
  return std::nullopt;
}

}  // namespace nmt
