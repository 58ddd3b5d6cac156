#include <fmt/format.h>

#include <cmath>
#include <iterator>

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
  if (box.tooltip.empty()) {
    svg += "/>\n";
  } else {
    svg += "><title>" + EscapeXml(box.tooltip) + "</title></rect>\n";
  }
}

void Append(std::string& svg, const Line& line) {
  fmt::format_to(std::back_inserter(svg),
                 R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}"/>)"
                 "\n",
                 Number(line.x1), Number(line.y1), Number(line.x2), Number(line.y2),
                 HexOf(line.color), Number(line.width));
}

void Append(std::string& svg, const Text& text) {
  fmt::format_to(std::back_inserter(svg), R"(<text x="{}" y="{}" font-size="{}" fill="{}")",
                 Number(text.x), Number(text.y), Number(text.style.size), HexOf(text.color));
  if (text.anchor == Anchor::kMiddle) svg += R"( text-anchor="middle")";
  if (text.anchor == Anchor::kEnd) svg += R"( text-anchor="end")";
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
