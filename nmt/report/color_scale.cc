#include "nmt/report/color_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nmt {
namespace {

struct LinearRgb {
  double red, green, blue;
};

// Oklab to linear sRGB (Björn Ottosson, "A perceptual color space for image processing", 2020).
LinearRgb FromOklab(double lightness, double a, double b) {
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

// The transfer curve of sRGB (IEC 61966-2-1) and its inverse.
uint8_t Encode(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<uint8_t>(std::lround(255 * encoded));
}

double Decode(uint8_t channel) {
  const double x = channel / 255.0;
  return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

constexpr Color kBlack{};
constexpr Color kWhite{.red = 255, .green = 255, .blue = 255};

}  // namespace

Color ColorOfWeight(double weight) {
  const double w = std::clamp(weight, 0.0, 1.0);
  // Lightness falls linearly from white. The chroma bulges in the middle and the hue turns from
  // sky blue to navy, as far as every colour stays inside sRGB.
  const double lightness = 1.0 - 0.72 * w;
  const double chroma = 0.30 * w * (1.0 - w) + 0.10 * w;
  const double hue = (225.0 + 40.0 * w) * std::numbers::pi / 180.0;
  const LinearRgb rgb = FromOklab(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
  return {Encode(rgb.red), Encode(rgb.green), Encode(rgb.blue)};
}

double Luminance(Color color) {
  return 0.2126 * Decode(color.red) + 0.7152 * Decode(color.green) + 0.0722 * Decode(color.blue);
}

Color ReadableOn(Color background) {
  const double ground = Luminance(background) + 0.05;
  const double with_white = 1.05 / ground;
  const double with_black = ground / (Luminance(kBlack) + 0.05);
  return with_white > with_black ? kWhite : kBlack;
}

std::string HexOf(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

}  // namespace nmt
