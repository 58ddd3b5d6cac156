#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>

#include "nmt/report/drawing.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

// At most two decimals, without trailing zeros: "12", "12.5".
std::string Number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

// Ends the element that `svg` is in.
void Close(std::string& svg, std::string_view element, const std::string& tooltip) {
  if (tooltip.empty()) {
    svg += "/>\n";
  } else {
    fmt::format_to(std::back_inserter(svg), "><title>{}</title></{}>\n", EscapeXml(tooltip),
                   element);
  }
}

void AppendPaint(std::string& svg, std::optional<Color> fill, std::optional<Color> stroke,
                 double stroke_width) {
  fmt::format_to(std::back_inserter(svg), R"( fill="{}")", fill ? HexOf(*fill) : "none");
  if (stroke) {
    fmt::format_to(std::back_inserter(svg), R"( stroke="{}" stroke-width="{}")", HexOf(*stroke),
                   Number(stroke_width));
  }
}

std::string PointList(const std::vector<Vertex>& points) {
  std::string list;
  for (const Vertex& point : points) {
    if (!list.empty()) list += ' ';
    list += Number(point.x) + "," + Number(point.y);
  }
  return list;
}

void Append(std::string& svg, const Box& box) {
  fmt::format_to(std::back_inserter(svg), R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}")",
                 Number(box.x), Number(box.y), Number(box.width), Number(box.height),
                 box.fill ? HexOf(*box.fill) : "none");
  if (box.stroke) {
    fmt::format_to(std::back_inserter(svg), R"( stroke="{}" stroke-width="{}")", HexOf(*box.stroke),
                   Number(box.stroke_width));
    if (box.dashed) {
      fmt::format_to(std::back_inserter(svg), R"( stroke-dasharray="{}")",
                     Number(2 * box.stroke_width));
    }
  } else {
    svg += R"( shape-rendering="crispEdges")";
  }
  Close(svg, "rect", box.tooltip);
}

void Append(std::string& svg, const Line& line) {
  fmt::format_to(std::back_inserter(svg),
                 R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}"/>)"
                 "\n",
                 Number(line.x1), Number(line.y1), Number(line.x2), Number(line.y2),
                 HexOf(line.color), Number(line.width));
}

void Append(std::string& svg, const Polyline& line) {
  fmt::format_to(std::back_inserter(svg), R"(<polyline points="{}")", PointList(line.points));
  AppendPaint(svg, {}, line.color, line.width);
  svg += R"( stroke-linejoin="round")";
  std::string dashes;
  for (const double length : line.dashes) dashes += (dashes.empty() ? "" : " ") + Number(length);
  if (!dashes.empty()) svg += R"( stroke-dasharray=")" + dashes + "\"";
  Close(svg, "polyline", line.tooltip);
}

void Append(std::string& svg, const Polygon& polygon) {
  fmt::format_to(std::back_inserter(svg), R"(<polygon points="{}")", PointList(polygon.points));
  AppendPaint(svg, polygon.fill, polygon.stroke, polygon.stroke_width);
  if (polygon.opacity != 1) svg += R"( fill-opacity=")" + Number(polygon.opacity) + "\"";
  Close(svg, "polygon", polygon.tooltip);
}

void Append(std::string& svg, const Circle& circle) {
  fmt::format_to(std::back_inserter(svg), R"(<circle cx="{}" cy="{}" r="{}")", Number(circle.x),
                 Number(circle.y), Number(circle.radius));
  AppendPaint(svg, circle.fill, circle.stroke, circle.stroke_width);
  Close(svg, "circle", circle.tooltip);
}

// The name of a clip path is made of its rectangle: where several pictures stand in one page, equal
// names mean equal paths.
void Append(std::string& svg, const Clipped& clipped) {
  const std::string x = Number(clipped.x), y = Number(clipped.y), width = Number(clipped.width),
                    height = Number(clipped.height);
  fmt::format_to(
      std::back_inserter(svg),
      R"svg(<clipPath id="clip-{0}-{1}-{2}-{3}"><rect x="{0}" y="{1}" width="{2}" height="{3}"/></clipPath>
<g clip-path="url(#clip-{0}-{1}-{2}-{3})">
)svg",
      x, y, width, height);
  for (const auto& shape : clipped.shapes) {
    std::visit([&svg](const auto& s) { Append(svg, s); }, shape);
  }
  svg += "</g>\n";
}

void Append(std::string& svg, const Text& text) {
  fmt::format_to(std::back_inserter(svg), R"(<text x="{}" y="{}" font-size="{}" fill="{}")",
                 Number(text.x), Number(text.y), Number(text.style.size), HexOf(text.color));
  // Text that is set from the right starts there: for SVG its left edge is the end.
  const bool is_right_to_left = IsRightToLeft(text.text);
  const Anchor end = is_right_to_left ? Anchor::kStart : Anchor::kEnd;
  if (is_right_to_left) svg += R"( direction="rtl" unicode-bidi="embed")";
  if (text.anchor == Anchor::kMiddle) svg += R"( text-anchor="middle")";
  if (text.anchor == end) svg += R"( text-anchor="end")";
  if (text.style.bold) svg += R"( font-weight="bold")";
  if (text.style.italic) svg += R"( font-style="italic")";
  if (text.degrees != 0) {
    fmt::format_to(std::back_inserter(svg), R"svg( transform="rotate({} {} {})")svg",
                   Number(text.degrees), Number(text.x), Number(text.y));
  }
  svg += ">" + EscapeXml(text.text) + "</text>\n";
}

std::string FontFamilyList() {
  std::string list;
  for (const std::string family : kFontFamilies) {
    if (!list.empty()) list += ", ";
    list += family.find(' ') == std::string::npos ? family : "'" + family + "'";
  }
  return list;
}

}  // namespace

std::string SvgOf(const Drawing& drawing) {
  std::string svg = fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" font-family="{2}">
<title>{3}</title>
<style>text {{ white-space: pre; }}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
)",
      Number(std::ceil(drawing.width)), Number(std::ceil(drawing.height)), FontFamilyList(),
      EscapeXml(drawing.title));
  for (const Shape& shape : drawing.shapes) {
    std::visit([&svg](const auto& s) { Append(svg, s); }, shape);
  }
  return svg + "</svg>\n";
}

}  // namespace nmt
