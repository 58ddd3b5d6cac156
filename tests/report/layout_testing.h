// Pictures looked at as shapes, before any pixel is drawn.
#ifndef NMT_TESTS_REPORT_LAYOUT_TESTING_H_
#define NMT_TESTS_REPORT_LAYOUT_TESTING_H_

#include <optional>
#include <string>
#include <vector>

#include "nmt/report/drawing.h"
#include "nmt/report/heatmap_layout.h"
#include "nmt/report/text_shaper.h"

namespace nmt {

// Fails where a text lies outside the picture, over another text or over a matrix's frame, other than
// the values in the cells.
void ExpectTidy(const Drawing& drawing, const TextShaper& shaper);

std::vector<Text> Texts(const HeatmapLayout& layout);
// The first text that is `text`.
std::optional<Text> Find(const HeatmapLayout& layout, const std::string& text);
// The first box whose tooltip begins so.
std::optional<Box> FindCell(const HeatmapLayout& layout, const std::string& tooltip);

}  // namespace nmt

#endif  // NMT_TESTS_REPORT_LAYOUT_TESTING_H_
