// The colours of a weight in [0, 1]: white for 0, then light to dark blue.
//
//   Color color = ColorOfWeight(0.5);         // #4093d3
//   Color text = ReadableOn(color);           // black or white, whichever stands out more
//
// Lightness falls in equal steps, so that equal differences of weight look equally large, also to a
// colour-blind reader and in a black-and-white print.
#ifndef NMT_REPORT_COLOR_SCALE_H_
#define NMT_REPORT_COLOR_SCALE_H_

#include <cstdint>
#include <string>

namespace nmt {

// sRGB, 8 bits a channel.
struct Color {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Color&) const = default;
};

// Weights outside [0, 1] take the colour of the nearer end.
Color ColorOfWeight(double weight);

// Relative luminance in [0, 1] as WCAG 2 defines it.
double Luminance(Color color);

// Black or white: the one with the higher WCAG contrast to `background`, 4.5 to 1 at least.
Color ReadableOn(Color background);

// "#4093d3"
std::string HexOf(Color color);

}  // namespace nmt

#endif  // NMT_REPORT_COLOR_SCALE_H_
