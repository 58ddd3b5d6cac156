// What the tests of charts share: a sample, and its shapes and files.
#ifndef NMT_TESTS_REPORT_CHART_TESTING_H_
#define NMT_TESTS_REPORT_CHART_TESTING_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "nmt/base/file.h"
#include "nmt/report/chart.h"
#include "nmt/report/chart_layout.h"
#include "nmt/report/text_shaper.h"
#include "tests/report/picture.h"
#include "tests/report/report_testing.h"

namespace nmt {

inline ChartSeries SeriesOf(std::string name, std::vector<double> x, std::vector<double> y) {
  return {.name = std::move(name), .x = std::move(x), .y = std::move(y)};
}

// Two series, one with a band; x from 0 to 10, y from 0 to 8.
inline Chart SampleChart() {
  Chart chart{.title = "Standard deviation",
              .x = {.label = "key size"},
              .y = {.label = "deviation"},
              .series = {SeriesOf("GRU", {0, 5, 10}, {1, 4, 6}), SeriesOf("LSTM", {0, 10}, {2, 3})},
              .levels = {{.name = "baseline", .y = 5}}};
  chart.series[0].low = {0, 3, 5};
  chart.series[0].high = {2, 5, 8};
  return chart;
}

class ChartTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<TextShaper> shaper = TextShaper::Create();
    if (!shaper.ok()) GTEST_SKIP() << std::string(shaper.status().message());
    shaper_.emplace(*std::move(shaper));
    folder_ = TestFolder();
  }

  ChartLayout LayOut(const std::vector<Chart>& panels) {
    return LayOutCharts(panels, *shaper_, MissingGlyphs::kAsCodePoints);
  }
  template <typename Kind>
  std::vector<Kind> ShapesIn(const std::vector<Chart>& panels) {
    std::vector<Kind> found;
    for (const Shape& shape : LayOut(panels).drawing.shapes) {
      if (const Kind* kind = std::get_if<Kind>(&shape)) found.push_back(*kind);
      if constexpr (std::is_same_v<Kind, Polyline> || std::is_same_v<Kind, Polygon>) {
        const Clipped* clipped = std::get_if<Clipped>(&shape);
        if (!clipped) continue;
        for (const auto& inner : clipped->shapes) {
          if (const Kind* kind = std::get_if<Kind>(&inner)) found.push_back(*kind);
        }
      }
    }
    return found;
  }
  Text TextIn(const std::vector<Chart>& panels, std::string_view wanted) {
    for (const Text& text : ShapesIn<Text>(panels)) {
      if (text.text == wanted) return text;
    }
    ADD_FAILURE() << "no text \"" << wanted << "\"";
    return {};
  }
  Picture Png(const std::vector<Chart>& panels) {
    const absl::Status status = WriteChartPng(panels, folder_ / "a.png");
    EXPECT_TRUE(status.ok()) << status;
    return Picture::Decoded(*ReadFile(folder_ / "a.png"));
  }
  std::string Svg(const std::vector<Chart>& panels) {
    const absl::Status status = WriteChartSvg(panels, folder_ / "a.svg");
    EXPECT_TRUE(status.ok()) << status;
    return *ReadFile(folder_ / "a.svg");
  }

  std::optional<TextShaper> shaper_;
  std::filesystem::path folder_;
};

}  // namespace nmt

#endif  // NMT_TESTS_REPORT_CHART_TESTING_H_
