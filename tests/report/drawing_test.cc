#include "nmt/report/drawing.h"

#include <gtest/gtest.h>
#include <pango/pangocairo.h>

#include <algorithm>

#include "nmt/report/text_shaper.h"
#include "tests/report/picture.h"
#include "tests/report/report_testing.h"

namespace nmt {
namespace {

constexpr Color kRed{.red = 255};

TEST(SvgOf, WritesEveryPropertyOfEveryShape) {
  const Drawing drawing{
      .width = 99.5,
      .height = 50,
      .title = "a & b",
      .shapes = {
          Box{.x = 1,
              .y = 2.5,
              .width = 3,
              .height = 4,
              .fill = kRed,
              .stroke = {},
              .tooltip = "<tip>"},
          Box{.x = 1,
              .y = 2,
              .width = 3,
              .height = 4,
              .fill = {},
              .stroke = kRed,
              .stroke_width = 1.5,
              .dashed = true,
              .tooltip = {}},
          Line{0, 1, 2, 3.125, kRed, 0.75},
          Polyline{.points = {{0, 1}, {2.5, 3}, {4, 0}},
                   .color = kRed,
                   .width = 1.5,
                   .dashes = {6, 2.5},
                   .tooltip = "a<b"},
          Polyline{.points = {{0, 1}, {2, 3}}, .color = {}, .dashes = {}, .tooltip = {}},
          Polygon{.points = {{0, 0}, {4, 0}, {2, 3}},
                  .fill = kRed,
                  .opacity = 0.25,
                  .stroke = {},
                  .tooltip = {}},
          Polygon{.points = {{0, 0}, {4, 0}, {2, 3}},
                  .fill = {},
                  .stroke = kRed,
                  .stroke_width = 2,
                  .tooltip = "<p>"},
          Circle{.x = 1, .y = 2, .radius = 3.5, .fill = kRed, .stroke = {}, .tooltip = "<c>"},
          Circle{.x = 1,
                 .y = 2,
                 .radius = 3,
                 .fill = {},
                 .stroke = kRed,
                 .stroke_width = 2,
                 .tooltip = {}},
          Clipped{1, 2.5, 3, 4, {Polyline{.points = {{0, 1}, {2, 3}}}}},
          Text{.x = 5, .y = 6, .color = kRed, .style = {.size = 13}, .text = "a  b"},
          Text{.x = 5,
               .y = 6,
               .degrees = -45,
               .anchor = Anchor::kEnd,
               .color = {},
               .style = {.size = 10.5, .bold = true, .italic = true},
               .text = "猫<"},
          Text{.x = 5, .y = 6, .anchor = Anchor::kMiddle, .color = {}, .style = {}, .text = "m"}}};
  EXPECT_EQ(SvgOf(drawing),
            R"svg(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50" role="img" font-family="'DejaVu Sans', 'Noto Sans', sans-serif">
<title>a &amp; b</title>
<style>text { white-space: pre; }</style>
<rect width="100%" height="100%" fill="#ffffff"/>
<rect x="1" y="2.5" width="3" height="4" fill="#ff0000" shape-rendering="crispEdges"><title>&lt;tip&gt;</title></rect>
<rect x="1" y="2" width="3" height="4" fill="none" stroke="#ff0000" stroke-width="1.5" stroke-dasharray="3"/>
<line x1="0" y1="1" x2="2" y2="3.12" stroke="#ff0000" stroke-width="0.75"/>
<polyline points="0,1 2.5,3 4,0" fill="none" stroke="#ff0000" stroke-width="1.5" stroke-linejoin="round" stroke-dasharray="6 2.5"><title>a&lt;b</title></polyline>
<polyline points="0,1 2,3" fill="none" stroke="#000000" stroke-width="1" stroke-linejoin="round"/>
<polygon points="0,0 4,0 2,3" fill="#ff0000" fill-opacity="0.25"/>
<polygon points="0,0 4,0 2,3" fill="none" stroke="#ff0000" stroke-width="2"><title>&lt;p&gt;</title></polygon>
<circle cx="1" cy="2" r="3.5" fill="#ff0000"><title>&lt;c&gt;</title></circle>
<circle cx="1" cy="2" r="3" fill="none" stroke="#ff0000" stroke-width="2"/>
<clipPath id="clip-1-2.5-3-4"><rect x="1" y="2.5" width="3" height="4"/></clipPath>
<g clip-path="url(#clip-1-2.5-3-4)">
<polyline points="0,1 2,3" fill="none" stroke="#000000" stroke-width="1" stroke-linejoin="round"/>
</g>
<text x="5" y="6" font-size="13" fill="#ff0000">a  b</text>
<text x="5" y="6" font-size="10.5" fill="#000000" text-anchor="end" font-weight="bold" font-style="italic" transform="rotate(-45 5 6)">猫&lt;</text>
<text x="5" y="6" font-size="13" fill="#000000" text-anchor="middle">m</text>
</svg>
)svg");
}

TEST(SvgOf, TextFromTheRightStartsAtItsRightEdge) {
  const auto svg = [](Anchor anchor, const char* text) {
    return SvgOf({.width = 9,
                  .height = 9,
                  .title = "",
                  .shapes = {Text{
                      .x = 5, .y = 6, .anchor = anchor, .color = {}, .style = {}, .text = text}}});
  };
  const std::string rtl = R"( direction="rtl" unicode-bidi="embed")";
  EXPECT_EQ(CountOf(svg(Anchor::kStart, "אב."), rtl + R"( text-anchor="end">אב.<)"), 1u);
  EXPECT_EQ(CountOf(svg(Anchor::kEnd, "(אב"), rtl + ">(אב<"), 1u);
  EXPECT_EQ(CountOf(svg(Anchor::kMiddle, "12 قط"), rtl + R"( text-anchor="middle">12 قط<)"), 1u);
  EXPECT_EQ(CountOf(svg(Anchor::kEnd, "a אב"), "rtl"), 0u) << "its first letter is Latin";
  EXPECT_EQ(CountOf(svg(Anchor::kEnd, "12."), "rtl"), 0u);
}

class PngOfTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<TextShaper> shaper = TextShaper::Create();
    if (!shaper.ok()) GTEST_SKIP() << std::string(shaper.status().message());
    shaper_.emplace(*std::move(shaper));
  }
  std::string Png(std::vector<Shape> shapes) {
    return *PngOf({.width = 60, .height = 40, .title = "", .shapes = std::move(shapes)}, *shaper_);
  }
  static Text Word(TextStyle style, Anchor anchor = Anchor::kStart) {
    return {.x = 30, .y = 20, .anchor = anchor, .color = {}, .style = style, .text = "il"};
  }
  std::optional<TextShaper> shaper_;
};

TEST_F(PngOfTest, HasTwoPixelsAUnitOnAWhiteGround) {
  const Picture picture = Picture::Decoded(Png({}));
  EXPECT_EQ(picture.width(), 120);
  EXPECT_EQ(picture.height(), 80);
  EXPECT_EQ(picture.Count({255, 255, 255}), 120 * 80);
}

TEST_F(PngOfTest, NoSeamShowsBetweenNeighbouringBoxes) {
  const auto box = [](double x, double width) {
    return Box{
        .x = x, .y = 0, .width = width, .height = 40, .fill = kRed, .stroke = {}, .tooltip = {}};
  };
  const Picture picture = Picture::Decoded(Png({box(0, 20.3), box(20.3, 39.7)}));
  EXPECT_EQ(picture.Count(kRed), 120 * 80);
}

TEST_F(PngOfTest, DashesEndWithTheirBox) {
  const auto frame = [](double y, bool dashed) {
    return Box{.x = 5,
               .y = y,
               .width = 50,
               .height = 10,
               .fill = {},
               .stroke = kRed,
               .stroke_width = 2,
               .dashed = dashed,
               .tooltip = {}};
  };
  const Picture picture = Picture::Decoded(Png({frame(5, true), frame(25, false)}));
  int dashed = 0, plain = 0;
  for (int x = 10; x < 110; ++x) {
    dashed += picture.At(x, 10) == kRed;
    plain += picture.At(x, 50) == kRed;
  }
  EXPECT_LT(dashed, 70);
  EXPECT_EQ(plain, 100);
}

TEST_F(PngOfTest, APolylineFollowsItsPointsWithItsWidthAndDashes) {
  Polyline line{.points = {{10, 10}, {50, 10}, {50, 30}},
                .color = kRed,
                .width = 4,
                .dashes = {},
                .tooltip = {}};
  const int solid = Picture::Decoded(Png({line})).Count(kRed);
  EXPECT_NEAR(solid, 4 * (40 * 4 + 20 * 4), 20);  // 4 pixels a square unit
  EXPECT_EQ(Picture::Decoded(Png({line})).At(60, 40), (Color{255, 255, 255})) << "is not closed";
  EXPECT_EQ(Picture::Decoded(Png({line})).At(103, 16), (Color{255, 255, 255})) << "a round corner";
  line.dashes = {3, 3};
  Line after{10, 35, 50, 35, {.blue = 255}, 2};
  const Picture dashed = Picture::Decoded(Png({line, after}));
  EXPECT_NEAR(dashed.Count(kRed), solid / 2, 100);
  EXPECT_EQ(dashed.Count({.blue = 255}), 80 * 4) << "dashes end with their line";
}

TEST_F(PngOfTest, OnlyClippedShapesEndAtTheirRectangle) {
  const Polygon all{.points = {{0, 0}, {60, 0}, {60, 40}, {0, 40}}, .fill = kRed};
  const Picture picture =
      Picture::Decoded(Png({Clipped{10, 5, 20, 10, {all}}, Line{0, 35, 60, 35, {.blue = 255}, 1}}));
  EXPECT_EQ(picture.Count(kRed), 40 * 20);
  EXPECT_EQ(picture.At(20, 10), kRed);
  EXPECT_EQ(picture.Count({.blue = 255}), 120 * 2);
}

TEST_F(PngOfTest, APolygonIsClosedAndFilledWithItsOpacity) {
  Polygon polygon{.points = {{10, 10}, {30, 10}, {30, 30}, {10, 30}},
                  .fill = kRed,
                  .opacity = 0.2,
                  .stroke = {},
                  .tooltip = {}};
  EXPECT_EQ(Picture::Decoded(Png({polygon})).At(40, 40), (Color{255, 204, 204}));
  EXPECT_EQ(Picture::Decoded(Png({polygon})).At(70, 40), (Color{255, 255, 255}));
  polygon.stroke = Color{.blue = 255};
  polygon.stroke_width = 2;
  EXPECT_EQ(Picture::Decoded(Png({polygon})).At(20, 40), (Color{0, 0, 255})) << "the closing side";
}

TEST_F(PngOfTest, ACircleReachesItsRadius) {
  const Circle circle{.x = 30,
                      .y = 20,
                      .radius = 10,
                      .fill = kRed,
                      .stroke = Color{.blue = 255},
                      .stroke_width = 2,
                      .tooltip = {}};
  const Picture picture = Picture::Decoded(Png({circle}));
  EXPECT_EQ(picture.At(60, 40), kRed);
  EXPECT_EQ(picture.At(80, 40), (Color{0, 0, 255}));
  EXPECT_EQ(picture.At(60, 20), (Color{0, 0, 255}));
  EXPECT_EQ(picture.At(78, 58), (Color{255, 255, 255})) << "not a square";
}

// Cairo would draw on from where the text ended.
TEST_F(PngOfTest, NoShapeHangsOnTheTextBeforeIt) {
  const Text text{.x = 2, .y = 38, .color = kRed, .style = {}, .text = "."};
  const Polyline line{.points = {{40, 10}, {50, 10}}, .color = {}, .dashes = {}, .tooltip = {}};
  const Polygon polygon{
      .points = {{40, 10}, {50, 10}, {50, 15}}, .fill = Color{}, .stroke = {}, .tooltip = {}};
  const Circle circle{.x = 45, .y = 10, .radius = 4, .fill = {}, .stroke = Color{}, .tooltip = {}};
  for (const Shape& shape : {Shape(line), Shape(polygon), Shape(circle)}) {
    const Picture picture = Picture::Decoded(Png({text, shape}));
    int ink = 0;
    for (int y = 0; y < 80; ++y) {
      for (int x = 16; x < 76; ++x) ink += !(picture.At(x, y) == Color{255, 255, 255});
    }
    EXPECT_EQ(ink, 0) << "shape " << shape.index();
  }
}

TEST_F(PngOfTest, BoldItalicAndTurnedTextLookDifferent) {
  const std::string plain = Png({Word({.size = 13})});
  EXPECT_NE(Png({Word({.size = 13, .bold = true})}), plain);
  EXPECT_NE(Png({Word({.size = 13, .italic = true})}), plain);
  Text turned = Word({.size = 13});
  turned.degrees = -90;
  EXPECT_NE(Png({turned}), plain);
}

TEST_F(PngOfTest, TextEndsBeginsOrCentersAtItsAnchor) {
  const auto ink_beside = [&](Anchor anchor, double from, double to) {
    const Picture picture = Picture::Decoded(Png({Word({.size = 13}, anchor)}));
    int ink = 0;
    for (double x = from; x < to; ++x) {
      for (int y = 0; y < 80; ++y) ink += !(picture.At(x, y) == Color{255, 255, 255});
    }
    return ink;
  };
  EXPECT_EQ(ink_beside(Anchor::kStart, 0, 60), 0);
  EXPECT_EQ(ink_beside(Anchor::kEnd, 60, 120), 0);
  EXPECT_GT(ink_beside(Anchor::kMiddle, 0, 60), 0);
  EXPECT_GT(ink_beside(Anchor::kMiddle, 60, 120), 0);
}

// Arabic and Hebrew begin at the right, and so do the marks at their ends.
TEST_F(PngOfTest, EveryWordIsSetInItsDirection) {
  const auto left_of = [&](std::string_view word, size_t byte) {
    const auto layout = shaper_->Layout(word, {.size = 13});
    PangoRectangle place;
    pango_layout_index_to_pos(layout.get(), static_cast<int>(byte), &place);
    return std::min(place.x, place.x + place.width);
  };
  for (const std::string_view word : {"אב.", "قط.", "قط!"})
    EXPECT_LT(left_of(word, word.size() - 1), left_of(word, 0)) << word;
  for (const std::string_view word : {"ab.", "луна.", "है।"})
    EXPECT_GT(left_of(word, word.size() - 1), left_of(word, 0)) << word;
}

class PdfOfTest : public PngOfTest {};

TEST_F(PdfOfTest, APageHasTheSizeOfItsDrawing) {
  const Drawing drawing{.width = 96, .height = 48, .title = "", .shapes = {}};
  EXPECT_EQ(CountOf(*PdfOf(drawing, *shaper_), "/MediaBox [ 0 0 72 36 ]"), 1u) << "an inch by half";
  const Drawing huge{.width = 96 * 400, .height = 96, .title = "", .shapes = {}};
  EXPECT_EQ(CountOf(*PdfOf(huge, *shaper_), "/MediaBox [ 0 0 14400 36 ]"), 1u);
}

TEST_F(PdfOfTest, EveryShapeIsDrawn) {
  const auto size = [&](std::vector<Shape> shapes) {
    return PdfOf({.width = 60, .height = 40, .title = "", .shapes = std::move(shapes)}, *shaper_)
        ->size();
  };
  const size_t empty = size({});
  const Polyline line{.points = {{0, 0}, {9, 9}}, .color = kRed, .dashes = {}, .tooltip = {}};
  for (const Shape& shape :
       {Shape(Box{
            .x = 1, .y = 1, .width = 9, .height = 9, .fill = kRed, .stroke = {}, .tooltip = {}}),
        Shape(Line{1, 1, 9, 9, kRed, 1}), Shape(line), Shape(Clipped{1, 1, 9, 9, {line}}),
        Shape(Circle{.x = 9, .y = 9, .radius = 3, .fill = kRed, .stroke = {}, .tooltip = {}}),
        Shape(Word({.size = 13}))}) {
    EXPECT_GT(size({shape}), empty) << "shape " << shape.index();
  }
}

// Otherwise labels measured at one resolution would not fit at another.
TEST_F(PngOfTest, TextGrowsInProportionToItsSize) {
  for (const char* text : {"Mädchen", "illicit", "луну"}) {
    EXPECT_NEAR(shaper_->Measure(text, {.size = 130}).width,
                10 * shaper_->Measure(text, {.size = 13}).width, 0.6)
        << text;
  }
}

}  // namespace
}  // namespace nmt
