#include "nmt/report/chart_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nmt {
namespace {

constexpr PlotArea kPlot{.left = 10, .top = 20, .right = 110, .bottom = 70};

MATCHER_P2(IsAt, x, y, "") { return std::abs(arg.x - x) < 1e-9 && std::abs(arg.y - y) < 1e-9; }

using testing::ElementsAre;
using testing::IsEmpty;

TEST(VisiblePieces, ALineInsideStaysAsItIs) {
  EXPECT_THAT(VisiblePieces({{10, 20}, {50, 60}, {110, 70}}, kPlot),
              ElementsAre(ElementsAre(IsAt(10, 20), IsAt(50, 60), IsAt(110, 70))));
}

TEST(VisiblePieces, EndAtEachSideOfThePlot) {
  EXPECT_THAT(VisiblePieces({{0, 40}, {20, 50}}, kPlot),
              ElementsAre(ElementsAre(IsAt(10, 45), IsAt(20, 50))));
  EXPECT_THAT(VisiblePieces({{100, 40}, {120, 50}}, kPlot),
              ElementsAre(ElementsAre(IsAt(100, 40), IsAt(110, 45))));
  EXPECT_THAT(VisiblePieces({{50, 0}, {60, 40}}, kPlot),
              ElementsAre(ElementsAre(IsAt(55, 20), IsAt(60, 40))));
  EXPECT_THAT(VisiblePieces({{50, 60}, {60, 80}}, kPlot),
              ElementsAre(ElementsAre(IsAt(50, 60), IsAt(55, 70))));
}

TEST(VisiblePieces, ASegmentWithBothEndsOutsideMayCross) {
  EXPECT_THAT(VisiblePieces({{0, 10}, {80, 90}}, kPlot),
              ElementsAre(ElementsAre(IsAt(10, 20), IsAt(60, 70))));
  EXPECT_THAT(VisiblePieces({{0, 60}, {30, 90}}, kPlot),
              ElementsAre(ElementsAre(IsAt(10, 70), IsAt(10, 70))));
  EXPECT_THAT(VisiblePieces({{0, 65}, {30, 95}}, kPlot), IsEmpty()) << "passes by a corner";
  EXPECT_THAT(VisiblePieces({{50, 0}, {60, 10}}, kPlot), IsEmpty());
}

TEST(VisiblePieces, ALineThatLeavesAndComesBackFallsIntoTwo) {
  EXPECT_THAT(VisiblePieces({{20, 30}, {30, 10}, {40, 30}, {50, 30}}, kPlot),
              ElementsAre(ElementsAre(IsAt(20, 30), IsAt(25, 20)),
                          ElementsAre(IsAt(35, 20), IsAt(40, 30), IsAt(50, 30))));
  EXPECT_THAT(VisiblePieces({{20, 30}, {30, 10}, {60, 10}, {60, 30}}, kPlot),
              ElementsAre(ElementsAre(IsAt(20, 30), IsAt(25, 20)),
                          ElementsAre(IsAt(60, 20), IsAt(60, 30))));
}

TEST(VisiblePieces, OnePointMakesNoLine) {
  EXPECT_THAT(VisiblePieces({{20, 30}}, kPlot), IsEmpty());
  EXPECT_THAT(VisiblePieces({}, kPlot), IsEmpty());
}

TEST(VisibleArea, IsCutAtAllFourSides) {
  const std::vector<Vertex> area = VisibleArea({{0, 0}, {200, 0}, {200, 200}, {0, 200}}, kPlot);
  EXPECT_THAT(area, testing::UnorderedElementsAre(IsAt(10, 20), IsAt(110, 20), IsAt(110, 70),
                                                  IsAt(10, 70)));
}

TEST(VisibleArea, StaysAsItIsInsideAndIsEmptyOutside) {
  EXPECT_THAT(VisibleArea({{20, 30}, {40, 30}, {30, 60}}, kPlot),
              ElementsAre(IsAt(20, 30), IsAt(40, 30), IsAt(30, 60)));
  EXPECT_THAT(VisibleArea({{120, 30}, {140, 30}, {130, 60}}, kPlot), IsEmpty());
}

TEST(VisibleArea, CutsSlopingEdgesWhereTheyCross) {
  EXPECT_THAT(VisibleArea({{50, 60}, {90, 60}, {70, 80}}, kPlot),
              ElementsAre(IsAt(50, 60), IsAt(90, 60), IsAt(80, 70), IsAt(60, 70)));
}

TEST(PlotArea, ContainsItsEdgesUpToRounding) {
  EXPECT_TRUE(kPlot.Contains({10, 20}));
  EXPECT_TRUE(kPlot.Contains({110.001, 70.001}));
  EXPECT_FALSE(kPlot.Contains({9.9, 30}));
  EXPECT_FALSE(kPlot.Contains({110.1, 30}));
  EXPECT_FALSE(kPlot.Contains({30, 19.9}));
  EXPECT_FALSE(kPlot.Contains({30, 70.1}));
}

TEST(Thinned, KeepsPointsThatCanBeTold) {
  EXPECT_THAT(Thinned({{0, 5}, {0.5, 7}, {1, 3}}),
              ElementsAre(IsAt(0, 5), IsAt(0.5, 7), IsAt(1, 3)));
  EXPECT_THAT(Thinned({{3, 5}}), ElementsAre(IsAt(3, 5)));
  EXPECT_THAT(Thinned({}), IsEmpty());
}

TEST(Thinned, KeepsTheFirstTheExtremesAndTheLastOfAColumn) {
  EXPECT_THAT(
      Thinned({{1.0, 5}, {1.1, 6}, {1.15, 2}, {1.2, 5}, {1.25, 9}, {1.3, 4}, {1.35, 6}, {2, 0}}),
      ElementsAre(IsAt(1.0, 5), IsAt(1.15, 2), IsAt(1.25, 9), IsAt(1.35, 6), IsAt(2, 0)));
}

TEST(Thinned, BoundsACurveOfAMillionPoints) {
  std::vector<Vertex> points;
  for (int i = 0; i < 1000000; ++i) points.push_back({i * 600e-6, std::sin(i * 0.7)});
  EXPECT_LE(Thinned(points).size(), 4u * 1200);
}

}  // namespace
}  // namespace nmt
