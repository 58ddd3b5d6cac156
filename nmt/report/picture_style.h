// What heatmaps and charts have in common, so that they look alike on one page.
#ifndef NMT_REPORT_PICTURE_STYLE_H_
#define NMT_REPORT_PICTURE_STYLE_H_

#include "nmt/report/color_scale.h"
#include "nmt/report/text_shaper.h"

namespace nmt {

inline constexpr double kMargin = 16;  // around everything, in pixels

inline constexpr TextStyle kTitleStyle{.size = 15, .bold = true};
inline constexpr TextStyle kLegendStyle{.size = 12};
inline constexpr TextStyle kTickStyle{.size = 11};

inline constexpr Color kInk{.red = 0x1a, .green = 0x1a, .blue = 0x1a};
inline constexpr Color kGrey{.red = 0x6b, .green = 0x6b, .blue = 0x6b};  // 5.3 to 1 on white
inline constexpr Color kWhite{.red = 0xff, .green = 0xff, .blue = 0xff};
inline constexpr Color kGridColor{.red = 0xdc, .green = 0xdf, .blue = 0xe3};
inline constexpr Color kFrameColor{.red = 0x8a, .green = 0x90, .blue = 0x98};

}  // namespace nmt

#endif  // NMT_REPORT_PICTURE_STYLE_H_
