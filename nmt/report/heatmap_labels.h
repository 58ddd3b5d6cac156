// The words of a heatmap made ready for a picture: printable, of bounded length, measured.
//
//   LabelMaker labels(shaper, MissingGlyphs::kAsCodePoints);
//   Label label = labels.Make("月x", kLabelStyle, kMaxLabelColumns);   // "U+6708 x" without a font
//   std::vector<char32_t> missing = labels.Replaced();                 // U+6708
#ifndef NMT_REPORT_HEATMAP_LABELS_H_
#define NMT_REPORT_HEATMAP_LABELS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/report/color_scale.h"
#include "nmt/report/heatmap_layout.h"
#include "nmt/report/picture_style.h"
#include "nmt/report/text_shaper.h"

namespace nmt {

inline constexpr TextStyle kLabelStyle{.size = 13};

struct Label {
  std::string text;
  TextStyle style;
  Color color = kInk;
  TextSize size;
};

class LabelMaker {
 public:
  // `shaper` must outlive this.
  LabelMaker(const TextShaper& shaper, MissingGlyphs missing) : shaper_(shaper), policy_(missing) {}

  // `raw` may hold any bytes; longer than `max_columns` it ends in "…".
  Label Make(std::string_view raw, const TextStyle& style, int max_columns);

  // One label a word; the last is drawn as the end symbol where it stands for it.
  std::vector<Label> MakeWords(const std::vector<std::string>& words, const TextStyle& style,
                               bool ends_with_end_symbol, int max_columns = kMaxLabelColumns);

  // The characters replaced by their code points so far; sorted.
  std::vector<char32_t> Replaced() const { return {replaced_.begin(), replaced_.end()}; }

 private:
  const TextShaper& shaper_;
  const MissingGlyphs policy_;
  std::set<char32_t> replaced_;
};

// The largest measures over all labels, and over two kinds of them.
TextSize Largest(const std::vector<Label>& labels);
TextSize Larger(const TextSize& a, const TextSize& b);

}  // namespace nmt

#endif  // NMT_REPORT_HEATMAP_LABELS_H_
