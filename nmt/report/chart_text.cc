#include "nmt/report/chart_text.h"

#include <algorithm>
#include <string>

#include "nmt/report/printable.h"

namespace nmt {
namespace {

// The longest start of `word` within `width`, one character at least.
std::string StartOf(const std::string& word, const TextStyle& style, double width,
                    LabelMaker& labels) {
  std::string start;
  // Eliding cuts between characters, with "…" in the last column.
  const std::string_view ellipsis = "…";
  for (int columns = 2; columns <= DisplayWidth(word); ++columns) {
    std::string longer = ElideToColumns(word, columns);
    if (!longer.ends_with(ellipsis)) break;
    longer.resize(longer.size() - ellipsis.size());
    if (!start.empty() && labels.Make(longer, style, kMaxChartTextColumns).size.width > width) {
      break;
    }
    start = longer;
  }
  return start;
}

std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

TextBlock Wrapped(std::string_view raw, const TextStyle& style, double width, LabelMaker& labels) {
  const auto measured = [&](const std::string& text) {
    return labels.Make(text, style, kMaxChartTextColumns);
  };
  TextBlock block;
  std::string line;
  for (std::string word : WordsOf(ElideToColumns(PrintableText(raw), kMaxChartTextColumns))) {
    if (!line.empty() && measured(line + " " + word).size.width <= width) {
      line += " " + word;
      continue;
    }
    if (!line.empty()) block.lines.push_back(measured(line));
    while (measured(word).size.width > width) {
      const std::string start = StartOf(word, style, width, labels);
      if (start.empty() || start.size() == word.size()) break;
      block.lines.push_back(measured(start));
      word.erase(0, start.size());
    }
    line = word;
  }
  if (!line.empty()) block.lines.push_back(measured(line));

  const TextSize largest = Largest(block.lines);
  block.width = largest.width;
  block.ascent = std::max(largest.ascent, 0.78 * style.size);
  block.line_height = block.ascent + std::max(largest.descent, 0.24 * style.size) + 3;
  return block;
}

}  // namespace nmt
