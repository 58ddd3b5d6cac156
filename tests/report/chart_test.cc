#include "nmt/report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "nmt/base/file.h"
#include "nmt/report/chart_parts.h"
#include "tests/report/chart_testing.h"

namespace nmt {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_F(ChartTest, CurvesBandsAndLevelsShowInPixels) {
  Chart chart = SampleChart();
  chart.y.label = chart.x.label = "";
  const ChartPlot plot = LayOut({chart}).plots[0];
  const Picture picture = Png({chart});
  const auto color_at = [&](double x, double y) {
    return picture.At(2 * plot.At(x, y).x, 2 * plot.At(x, y).y);
  };
  EXPECT_EQ(color_at(2.5, 2.5), kSeriesColors[0]);
  EXPECT_EQ(color_at(7.3, 2.73), kSeriesColors[1]);
  EXPECT_NEAR(color_at(7.3, 5.7).red, 204, 2) << "the band: a fifth of blue, the rest white";
  EXPECT_NEAR(color_at(7.3, 5.7).blue, 240, 2);
  EXPECT_EQ(color_at(7.3, 7.3), (Color{255, 255, 255}));
  int grey = 0;
  for (double x = 0.1; x < 4; x += 0.01) grey += color_at(x, 5) == StyleOfLevel(0).color;
  EXPECT_GT(grey, 100);
  EXPECT_LT(grey, 300) << "dashes";
}

TEST_F(ChartTest, APngHasTheSizeOfItsDrawing) {
  const Drawing drawing = LayOut({SampleChart()}).drawing;
  const Picture picture = Png({SampleChart()});
  EXPECT_EQ(picture.width(), std::ceil(2 * drawing.width));
  EXPECT_EQ(picture.height(), std::ceil(2 * drawing.height));
  EXPECT_GT(drawing.width, 640);
  EXPECT_LT(drawing.width, 720);
}

TEST_F(ChartTest, MarkersHaveShapesOfTheirOwnAndTheirValuesForTheMouse) {
  Chart chart = SampleChart();
  EXPECT_EQ(ShapesIn<Circle>({chart}).size(), 0u);
  chart.series[0].markers = true;
  EXPECT_EQ(ShapesIn<Circle>({chart}).size(), 4u) << "three and the legend's";
  const std::string svg = Svg({chart});
  EXPECT_THAT(svg, HasSubstr("<title>GRU: key size 5, deviation 4 (3 to 5)</title></circle>"));
  EXPECT_THAT(svg, HasSubstr("<title>LSTM</title></polyline>"));
  chart.series[0].markers = false;
  chart.series[1].markers = true;
  EXPECT_EQ(ShapesIn<Circle>({chart}).size(), 0u);
  EXPECT_THAT(Svg({chart}), HasSubstr("<title>LSTM: key size 10, deviation 3</title></polygon>"));
}

TEST_F(ChartTest, AChartWithoutPointsHasAxesAndItsLegend) {
  Chart chart = SampleChart();
  chart.series = {SeriesOf("GRU", {}, {})};
  EXPECT_THAT(Svg({chart}), HasSubstr(">GRU</text>"));
  chart.x.scale = AxisScale::kLog;
  EXPECT_GT(Png({chart}).width(), 0);
}

TEST_F(ChartTest, AScreenReaderHearsWhatIsDrawn) {
  EXPECT_THAT(Svg({SampleChart(), SampleChart()}),
              HasSubstr("\n<title>Standard deviation: deviation over key size: GRU, LSTM. Standard "
                        "deviation: deviation"));
  Chart chart;
  chart.series.resize(1);
  EXPECT_THAT(Svg({chart}), HasSubstr("\n<title>Line chart</title>"));
}

TEST_F(ChartTest, AnSvgOfHostileNamesIsWellFormedAndShowsThemLiterally) {
  std::vector<Chart> panels;
  for (const std::string& text : HostileLabels()) {
    Chart chart = SampleChart();
    chart.title = chart.x.label = chart.y.label = chart.levels[0].name = text;
    for (ChartSeries& series : chart.series) {
      series.name = text;
      series.markers = true;
    }
    panels.push_back(chart);
  }
  const std::string svg = Svg(panels);
  EXPECT_EQ(XmlError(svg), "");
  EXPECT_EQ(CountOf(svg, "<script"), 0u);
  EXPECT_THAT(svg, HasSubstr(">&amp; &amp;amp; &amp;lt;</text>"));
  if (std::system("xmllint --version >/dev/null 2>&1") == 0) {
    EXPECT_EQ(std::system(("xmllint --noout '" + (folder_ / "a.svg").string() + "'").c_str()), 0);
  }
  EXPECT_GT(Png(panels).width(), 0);
}

TEST_F(ChartTest, ThePictureIsTheSameEachTime) {
  Png({SampleChart()});
  const std::string first = *ReadFile(folder_ / "a.png");
  EXPECT_THAT(first, StartsWith("\x89PNG\r\n\x1a\n"));
  Png({SampleChart()});
  EXPECT_EQ(first, *ReadFile(folder_ / "a.png"));
  EXPECT_EQ(Svg({SampleChart()}), Svg({SampleChart()}));
}

std::string Refusal(const std::vector<Chart>& panels) {
  const std::filesystem::path path = TestFolder() / "refused.png";
  const absl::Status png = WriteChartPng(panels, path);
  EXPECT_EQ(png, WriteChartSvg(panels, path));
  EXPECT_FALSE(std::filesystem::exists(path));
  std::string message(png.message());
  EXPECT_THAT(message, StartsWith(path.string() + ": "));
  EXPECT_EQ(CountOf(message, "\n"), 0u);
  return message;
}

std::string RefusalOf(const ChartSeries& series, AxisScale scale = AxisScale::kLinear) {
  Chart chart = SampleChart();
  chart.x.scale = chart.y.scale = scale;
  chart.series = {series};
  return Refusal({chart});
}

TEST(WriteChart, RefusesChartsWithoutSeries) {
  EXPECT_THAT(Refusal({}), HasSubstr("no chart to draw"));
  Chart chart;
  chart.title = "two\nlines";
  EXPECT_THAT(Refusal({SampleChart(), chart}), HasSubstr("chart \"two lines\": no series"));
}

TEST(WriteChart, RefusesListsOfUnequalLength) {
  EXPECT_THAT(
      RefusalOf(SeriesOf("a\nb", {1, 2}, {1})),
      HasSubstr("\"Standard deviation\": series 0 \"a b\": 2 x, 1 y, 0 low and 0 high values"));
  ChartSeries series = SeriesOf("s", {1, 2}, {1, 2});
  series.low = {1, 2};
  EXPECT_THAT(RefusalOf(series), HasSubstr("2 x, 2 y, 2 low and 0 high values, expected equally"));
  series.high = {1};
  EXPECT_THAT(RefusalOf(series), HasSubstr("2 low and 1 high values"));
}

TEST(WriteChart, RefusesNumbersThatCannotBeDrawn) {
  EXPECT_THAT(RefusalOf(SeriesOf("s", {1, kNan}, {1, 2})),
              HasSubstr("x of point 1 is nan, expected a number up to 1e100 in size"));
  EXPECT_THAT(RefusalOf(SeriesOf("s", {1, 2}, {kInfinity, 2})), HasSubstr("y of point 0 is inf"));
  EXPECT_THAT(RefusalOf(SeriesOf("s", {1}, {-1e300})),
              HasSubstr("y of point 0 is -1e+300, expected a number up to"));
  ChartSeries series = SeriesOf("s", {1}, {2});
  series.low = {kNan};
  series.high = {3};
  EXPECT_THAT(RefusalOf(series), HasSubstr("low of point 0 is nan"));
  series.low = {1};
  series.high = {kNan};
  EXPECT_THAT(RefusalOf(series), HasSubstr("high of point 0 is nan"));
  Chart chart = SampleChart();
  chart.levels[0].y = kNan;
  EXPECT_THAT(Refusal({chart}), HasSubstr("level \"baseline\" is nan"));
}

TEST(WriteChart, RefusesZeroAndLessOnALogarithmicAxis) {
  EXPECT_THAT(RefusalOf(SeriesOf("s", {0}, {1}), AxisScale::kLog),
              HasSubstr("x of point 0 is 0, expected above 0 on a logarithmic axis"));
  EXPECT_THAT(RefusalOf(SeriesOf("s", {1, 2}, {1, -3}), AxisScale::kLog),
              HasSubstr("y of point 1 is -3, expected above 0"));
  Chart chart = SampleChart();
  chart.x = {.label = "", .scale = AxisScale::kLog, .min = 0, .max = {}};
  chart.series = {SeriesOf("s", {1}, {1})};
  EXPECT_THAT(Refusal({chart}), HasSubstr("an end of the x axis is 0, expected above 0"));
}

TEST(WriteChart, RefusesAnAxisThatEndsBeforeItStarts) {
  Chart chart = SampleChart();
  chart.y.min = 5;
  chart.y.max = 5;
  EXPECT_THAT(Refusal({chart}), HasSubstr("the y axis runs from 5 to 5"));
  chart.y.max = 4;
  EXPECT_THAT(Refusal({chart}), HasSubstr("the y axis runs from 5 to 4"));
  chart.y.max = kNan;
  EXPECT_THAT(Refusal({chart}), HasSubstr("an end of the y axis is nan, expected a number"));
}

TEST(WriteChart, NamesThePlaceThatCannotBeWrittenTo) {
  const std::filesystem::path path = TestFolder() / "missing" / "a.svg";
  for (const absl::Status& status :
       {WriteChartSvg({SampleChart()}, path), WriteChartPng({SampleChart()}, path)}) {
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(path.string()));
  }
}

}  // namespace
}  // namespace nmt
