#include "nmt/report/chart_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "nmt/report/chart_parts.h"
#include "tests/report/chart_testing.h"

namespace nmt {
namespace {

struct Extent {
  double left, top, right, bottom;
};

// Level text or text that reads upwards.
Extent ExtentOf(const Text& text, const TextShaper& shaper) {
  const TextSize size = shaper.Measure(text.text, text.style);
  const double before = text.anchor == Anchor::kStart    ? 0
                        : text.anchor == Anchor::kMiddle ? size.width / 2
                                                         : size.width;
  if (text.degrees == 0) {
    return {text.x - before, text.y - size.ascent, text.x - before + size.width,
            text.y + size.descent};
  }
  EXPECT_EQ(text.degrees, -90);
  return {text.x - size.ascent, text.y + before - size.width, text.x + size.descent,
          text.y + before};
}

bool Overlap(const Extent& a, const Extent& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

class ChartLayoutTest : public ChartTest {
 protected:
  // No text is cut, lies over another text or in a plot.
  void ExpectTidy(const std::vector<Chart>& panels) {
    const ChartLayout layout = LayOut(panels);
    std::vector<std::pair<Extent, std::string>> texts;
    for (const Shape& shape : layout.drawing.shapes) {
      const Text* text = std::get_if<Text>(&shape);
      if (text) texts.emplace_back(ExtentOf(*text, *shaper_), text->text);
    }
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto& [extent, text] = texts[i];
      EXPECT_GE(extent.left, 4) << text;
      EXPECT_GE(extent.top, 4) << text;
      EXPECT_LE(extent.right, layout.drawing.width - 4) << text;
      EXPECT_LE(extent.bottom, layout.drawing.height - 4) << text;
      for (size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(Overlap(extent, texts[j].first)) << text << " over " << texts[j].second;
      }
      for (const ChartPlot& plot : layout.plots) {
        EXPECT_FALSE(Overlap(extent, {plot.left, plot.top, plot.right, plot.bottom}))
            << text << " in a plot";
      }
    }
  }
};

TEST_F(ChartLayoutTest, APointLiesWhereItsValuesSay) {
  const ChartPlot plot = LayOut({SampleChart()}).plots[0];
  EXPECT_EQ(plot.right - plot.left, 600);
  EXPECT_EQ(plot.bottom - plot.top, 360);
  EXPECT_EQ(plot.At(0, 0).x, plot.left);
  EXPECT_EQ(plot.At(0, 0).y, plot.bottom);
  EXPECT_EQ(plot.At(10, 8).x, plot.right);
  EXPECT_EQ(plot.At(10, 8).y, plot.top);
  EXPECT_EQ(plot.At(2.5, 6).x, plot.left + 150);
  EXPECT_EQ(plot.At(2.5, 6).y, plot.top + 90);
  EXPECT_TRUE(std::isfinite(plot.At(-1e100, 1e100).x * plot.At(-1e100, 1e100).y));
}

TEST_F(ChartLayoutTest, ALogarithmicAxisGivesEachDecadeTheSameLength) {
  Chart chart = SampleChart();
  chart.x = {.label = "n", .scale = AxisScale::kLog, .min = 1, .max = 10000};
  chart.series = {SeriesOf("", {1, 10000}, {0, 8})};
  const ChartPlot plot = LayOut({chart}).plots[0];
  EXPECT_NEAR(plot.At(10, 0).x, plot.left + 150, 1e-9);
  EXPECT_NEAR(plot.At(1000, 0).x, plot.left + 450, 1e-9);
}

TEST_F(ChartLayoutTest, CurvesAreClippedToGivenLimits) {
  Chart chart = SampleChart();
  chart.title = chart.x.label = chart.y.label = "";
  chart.series[0].markers = true;
  chart.x.min = 1;
  chart.x.max = 6;
  chart.y.min = 2.5;
  chart.y.max = 4.5;
  chart.levels.clear();
  chart.series.push_back(SeriesOf("", {1, 10}, {1, 1e100}));
  const ChartPlot plot = LayOut({chart}).plots[0];
  const Picture picture = Png({chart});
  const int left = 2 * (static_cast<int>(plot.left) - 2),
            right = 2 * (static_cast<int>(plot.right) + 2);
  const int top = 2 * (static_cast<int>(plot.top) - 2),
            bottom = 2 * (static_cast<int>(plot.bottom) + 6);
  for (int y = top; y <= bottom; ++y) {
    EXPECT_EQ(picture.At(right, y), kWhite) << y;
    EXPECT_NE(picture.At(left, y), kSeriesColors[0]) << y;
  }
  for (int x = left; x <= right; ++x) {
    EXPECT_EQ(picture.At(x, top), kWhite) << x;
    EXPECT_EQ(picture.At(x, bottom), kWhite) << x;
  }
  EXPECT_EQ(picture.At(2 * plot.At(2.5, 2.5).x, 2 * plot.At(0, 2.5).y - 1), kSeriesColors[0]);
  EXPECT_THAT(ShapesIn<Circle>({chart}), testing::SizeIs(2)) << "the point (5, 4) and the legend's";
}

TEST_F(ChartLayoutTest, TheLegendNamesEachSeriesAndLevelBelowThePlot) {
  const std::vector<Chart> panels{SampleChart()};
  const ChartPlot area = LayOut(panels).plots[0];
  for (const char* name : {"GRU", "LSTM", "baseline"}) {
    EXPECT_GT(TextIn(panels, name).y - 12, area.bottom) << name;
    EXPECT_GT(TextIn(panels, name).y, TextIn(panels, "key size").y) << name;
  }
  EXPECT_LT(TextIn(panels, "GRU").x, TextIn(panels, "LSTM").x);
}

TEST_F(ChartLayoutTest, KeysOfTheLegendLookLikeTheirCurves) {
  Chart chart = SampleChart();
  chart.series[1].dashed = true;
  const double bottom = LayOut({chart}).plots[0].bottom;
  std::vector<Polyline> curves, keys;
  for (const Polyline& line : ShapesIn<Polyline>({chart})) {
    (line.points[0].y > bottom ? keys : curves).push_back(line);
  }
  ASSERT_EQ(curves.size(), 3u);
  ASSERT_EQ(keys.size(), 3u);
  std::rotate(curves.begin(), curves.begin() + 1, curves.end());  // levels are drawn first
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(curves[i].color, keys[i].color);
    EXPECT_EQ(curves[i].dashes, keys[i].dashes);
    EXPECT_EQ(curves[i].width, keys[i].width);
  }
  EXPECT_THAT(keys[0].dashes, testing::IsEmpty());
  EXPECT_THAT(keys[1].dashes, testing::SizeIs(2));
  EXPECT_EQ(std::ranges::count_if(ShapesIn<Polygon>({chart}),
                                  [](const Polygon& polygon) { return polygon.opacity < 1; }),
            2)
      << "the band and its key";
}

TEST_F(ChartLayoutTest, WithoutNamesThereIsNoLegend) {
  Chart chart = SampleChart();
  const double with = LayOut({chart}).drawing.height;
  chart.series[0].name = chart.series[1].name = chart.levels[0].name = "";
  EXPECT_LT(LayOut({chart}).drawing.height, with - 20);
}

TEST_F(ChartLayoutTest, ALongLegendWrapsWithinTheWidthOfThePlot) {
  Chart chart = SampleChart();
  for (int i = 0; i < 12; ++i) {
    chart.series.push_back(SeriesOf("Transformer, " + std::to_string(i) + " heads", {0}, {1}));
  }
  chart.series[3].name = std::string(250, 'm');
  chart.series[4].name = "a name of many words: " + chart.series[4].name + chart.series[4].name;
  std::set<double> rows;
  const ChartPlot area = LayOut({chart}).plots[0];
  for (const Text& text : ShapesIn<Text>({chart})) {
    if (text.y < area.bottom + 60) continue;
    rows.insert(text.y);
    EXPECT_LE(ExtentOf(text, *shaper_).right, area.right) << text.text;
  }
  EXPECT_GE(rows.size(), 10u);
  ExpectTidy({chart});
}

TEST_F(ChartLayoutTest, NoTextIsCutOrCoversAnything) {
  ExpectTidy({SampleChart()});
  Chart wordy = SampleChart();
  wordy.title =
      "A title that is so long that it has to be broken into lines, since no plot is as "
      "wide as all of its words and the further words that follow them here at the end";
  wordy.y.label =
      "milliseconds of the forward and of the backward pass of one layer, the median "
      "of nine, with some more words";
  wordy.x.label = std::string(200, 'W');
  Chart huge = SampleChart();
  huge.series = {SeriesOf("", {1.00001e9, 1.00002e9}, {-1e-12, 1e-12})};
  huge.levels.clear();
  Chart logs = SampleChart();
  logs.x.scale = logs.y.scale = AxisScale::kLog;
  logs.series = {SeriesOf("", {1e-7, 1e30}, {0.02, 1234567})};
  Chart bare;
  bare.series = {SeriesOf("", {1234567, 1234568}, {-1234567, 1})};
  Chart narrow;
  narrow.series = {SeriesOf("", {-1234567, 1}, {0, 5})};
  ExpectTidy({wordy});
  ExpectTidy({huge});
  ExpectTidy({narrow});
  ExpectTidy({logs});
  ExpectTidy({bare});
  ExpectTidy({wordy, huge});
  ExpectTidy({wordy, huge, logs, bare, SampleChart()});
  ExpectTidy({bare, wordy, narrow, narrow});
  ExpectTidy({narrow, bare, narrow, SampleChart()});
}

TEST_F(ChartLayoutTest, LongTextsBreakAtBlanksAndLongWordsEndInDots) {
  Chart chart;
  chart.series = {SeriesOf("", {1}, {1})};
  std::string drawn;
  for (int i = 0; i < 60; ++i) chart.x.label += "four ";
  for (const Text& text : ShapesIn<Text>({chart})) drawn += text.text;
  EXPECT_EQ(CountOf(drawn, "four"), 60u);
  chart.x.label = std::string(200, 'W') + " and";
  const std::vector<Text> texts = ShapesIn<Text>({chart});
  EXPECT_THAT(texts[texts.size() - 2].text, testing::EndsWith("W…"));
  EXPECT_EQ(texts.back().text, "and");
}

TEST_F(ChartLayoutTest, TheYLabelReadsUpwardsBesideTheMiddleOfThePlot) {
  const Text label = TextIn({SampleChart()}, "deviation");
  const ChartPlot area = LayOut({SampleChart()}).plots[0];
  EXPECT_EQ(label.degrees, -90);
  EXPECT_EQ(label.anchor, Anchor::kMiddle);
  EXPECT_EQ(label.y, (area.top + area.bottom) / 2);
  EXPECT_LT(label.x, area.left - 20);
}

TEST_F(ChartLayoutTest, TickLabelsStandAtTheirGridLines) {
  const ChartPlot plot = LayOut({SampleChart()}).plots[0];
  EXPECT_EQ(TextIn({SampleChart()}, "7").x, plot.At(7, 0).x) << "on the x axis alone";
  EXPECT_NEAR(TextIn({SampleChart()}, "8").y, plot.At(0, 8).y + 4, 0.5) << "first on the y axis";
  const std::vector<Line> lines = ShapesIn<Line>({SampleChart()});
  const auto has_line = [&lines](double x1, double y1, double x2, double y2) {
    return std::ranges::any_of(lines, [&](const Line& line) {
      return std::abs(line.x1 - x1) + std::abs(line.y1 - y1) + std::abs(line.x2 - x2) +
                 std::abs(line.y2 - y2) <
             1;
    });
  };
  EXPECT_TRUE(has_line(plot.At(4, 0).x, plot.top, plot.At(4, 0).x, plot.bottom));
  EXPECT_TRUE(has_line(plot.left, plot.At(0, 4).y, plot.right, plot.At(0, 4).y));
  EXPECT_TRUE(has_line(plot.At(4, 0).x, plot.bottom, plot.At(4, 0).x, plot.bottom + 5));
  EXPECT_TRUE(has_line(plot.left - 5, plot.At(0, 4).y, plot.left, plot.At(0, 4).y));
}

TEST_F(ChartLayoutTest, PanelsStandInRowsAndColumns) {
  const auto corners = [&](size_t count) {
    std::set<double> lefts, tops;
    for (const ChartPlot& plot : LayOut(std::vector<Chart>(count, SampleChart())).plots) {
      lefts.insert(plot.left);
      tops.insert(plot.top);
    }
    return std::pair{lefts.size(), tops.size()};
  };
  EXPECT_EQ(corners(2), std::pair(size_t{2}, size_t{1}));
  EXPECT_EQ(corners(3), std::pair(size_t{3}, size_t{1}));
  EXPECT_EQ(corners(4), std::pair(size_t{3}, size_t{2}));
  EXPECT_EQ(corners(7), std::pair(size_t{3}, size_t{3}));
}

TEST_F(ChartLayoutTest, SeriesLookDifferentFromEachOther) {
  Chart chart;
  chart.series.resize(10);
  for (const bool dashed : {false, true}) {
    std::set<std::pair<std::string, std::vector<double>>> looks;
    for (size_t i = 0; i < chart.series.size(); ++i) {
      chart.series[i].dashed = dashed;
      const CurveStyle style = StyleOfSeries(chart, i);
      looks.emplace(HexOf(style.color), style.dashes);
      EXPECT_EQ(style.dashes.empty(), !dashed && i < 5) << i;
    }
    EXPECT_EQ(looks.size(), chart.series.size());
  }
  EXPECT_NE(StyleOfLevel(0).dashes, StyleOfLevel(1).dashes);
}

TEST(SeriesColors, StandOutFromWhite) {
  for (const Color color : kSeriesColors) {
    EXPECT_GE(1.05 / (Luminance(color) + 0.05), 3) << HexOf(color);
  }
}

TEST_F(ChartLayoutTest, OnePointShowsAsAMarker) {
  Chart chart;
  chart.series = {SeriesOf("", {3}, {7})};
  EXPECT_EQ(ShapesIn<Circle>({chart}).size(), 1u);
  EXPECT_TRUE(ShapesIn<Polyline>({chart}).empty());
}

TEST_F(ChartLayoutTest, AnAxisHoldsBandsAndLevelsToo) {
  Chart chart = SampleChart();
  EXPECT_EQ(LayOut({chart}).plots[0].y.min, 0) << "the band's low end";
  EXPECT_EQ(LayOut({chart}).plots[0].y.max, 8) << "the band's high end";
  chart.levels[0].y = 20;
  EXPECT_EQ(LayOut({chart}).plots[0].y.max, 20);
}

}  // namespace
}  // namespace nmt
