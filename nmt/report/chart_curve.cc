#include "nmt/report/chart_curve.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace nmt {
namespace {

Vertex Between(const Vertex& a, const Vertex& b, double t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

// The stretch [from, to] of a + t (b - a), 0 <= t <= 1, that lies inside (Liang and Barsky, "A new
// concept and method for line clipping", 1984).
std::optional<std::pair<double, double>> VisibleStretch(const Vertex& a, const Vertex& b,
                                                        const PlotArea& plot) {
  double from = 0, to = 1;
  // Inside is where each `gain` t <= `room`.
  const auto cut = [&from, &to](double gain, double room) {
    if (gain == 0) return room >= 0;
    if (gain < 0) {
      from = std::max(from, room / gain);
    } else {
      to = std::min(to, room / gain);
    }
    return from <= to;
  };
  const bool is_visible = cut(a.x - b.x, a.x - plot.left) && cut(b.x - a.x, plot.right - a.x) &&
                          cut(a.y - b.y, a.y - plot.top) && cut(b.y - a.y, plot.bottom - a.y);
  if (!is_visible) return std::nullopt;
  return std::pair{from, to};
}

// The part of `polygon` on one side of a vertical or level line (Sutherland and Hodgman,
// "Reentrant polygon clipping", 1974). `room` is the distance to it, negative outside.
template <typename Room>
std::vector<Vertex> Side(const std::vector<Vertex>& polygon, Room room) {
  std::vector<Vertex> side;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Vertex &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double room_a = room(a), room_b = room(b);
    if (room_a >= 0) side.push_back(a);
    if ((room_a >= 0) != (room_b >= 0)) side.push_back(Between(a, b, room_a / (room_a - room_b)));
  }
  return side;
}

}  // namespace

bool PlotArea::Contains(const Vertex& point) const {
  constexpr double kRounding = 0.01;
  return point.x >= left - kRounding && point.x <= right + kRounding &&
         point.y >= top - kRounding && point.y <= bottom + kRounding;
}

std::vector<std::vector<Vertex>> VisiblePieces(const std::vector<Vertex>& points,
                                               const PlotArea& plot) {
  std::vector<std::vector<Vertex>> pieces;
  bool goes_on = false;  // the last piece ends at points[i - 1]
  for (size_t i = 1; i < points.size(); ++i) {
    const Vertex &a = points[i - 1], &b = points[i];
    const auto stretch = VisibleStretch(a, b, plot);
    if (!stretch) {
      goes_on = false;
      continue;
    }
    const auto [from, to] = *stretch;
    if (!goes_on) pieces.push_back({from == 0 ? a : Between(a, b, from)});
    pieces.back().push_back(to == 1 ? b : Between(a, b, to));
    goes_on = to == 1;
  }
  return pieces;
}

std::vector<Vertex> VisibleArea(std::vector<Vertex> polygon, const PlotArea& plot) {
  polygon = Side(polygon, [&plot](const Vertex& v) { return v.x - plot.left; });
  polygon = Side(polygon, [&plot](const Vertex& v) { return plot.right - v.x; });
  polygon = Side(polygon, [&plot](const Vertex& v) { return v.y - plot.top; });
  return Side(polygon, [&plot](const Vertex& v) { return plot.bottom - v.y; });
}

std::vector<Vertex> Thinned(const std::vector<Vertex>& points) {
  constexpr double kColumn = 0.5;
  const auto column = [](const Vertex& v) { return std::floor(v.x / kColumn); };
  const auto is_higher = [](const Vertex& a, const Vertex& b) { return a.y < b.y; };
  std::vector<Vertex> thinned;
  for (auto first = points.begin(); first != points.end();) {
    const auto end = std::find_if(first, points.end(),
                                  [&](const Vertex& v) { return column(v) != column(*first); });
    const auto [top, bottom] = std::minmax_element(first, end, is_higher);
    auto kept = {first, std::min(top, bottom), std::max(top, bottom), end - 1};
    auto last = points.end();
    for (const auto& point : kept) {
      if (point != last) thinned.push_back(*point);
      last = point;
    }
    first = end;
  }
  return thinned;
}

}  // namespace nmt
