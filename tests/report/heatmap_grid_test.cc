#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "nmt/report/heatmap.h"
#include "nmt/report/heatmap_layout.h"
#include "nmt/report/text_shaper.h"
#include "tests/report/layout_testing.h"
#include "tests/report/report_testing.h"

namespace nmt {
namespace {

using testing::HasSubstr;

HeatmapGrid GridOf(int layers, int heads, const Heatmap& heatmap) {
  HeatmapGrid grid{.title = "Transformer, scaled dot attention", .cells = {}, .columns = heads};
  for (int i = 0; i < layers * heads; ++i) {
    grid.cells.push_back(heatmap);
    grid.cells.back().title =
        "layer " + std::to_string(i / heads + 1) + ", head " + std::to_string(i % heads + 1);
  }
  return grid;
}

class HeatmapGridTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<TextShaper> shaper = TextShaper::Create();
    if (!shaper.ok()) GTEST_SKIP() << std::string(shaper.status().message());
    shaper_.emplace(*std::move(shaper));
  }
  HeatmapLayout LayOut(const HeatmapGrid& grid) {
    return LayOutHeatmapGrid(grid, *shaper_, MissingGlyphs::kAsCodePoints);
  }
  int CountTexts(const HeatmapLayout& layout, const std::string& text) {
    const std::vector<Text> texts = Texts(layout);
    return static_cast<int>(std::count_if(texts.begin(), texts.end(),
                                          [&](const Text& found) { return found.text == text; }));
  }
  std::optional<TextShaper> shaper_;
};

TEST_F(HeatmapGridTest, NoLabelIsCutOrCoversAnotherAtAnySize) {
  for (const auto& [layers, heads] : {std::pair{1, 1}, {1, 4}, {2, 4}, {6, 8}, {3, 16}}) {
    for (const int words : {1, 2, 5, 14, 30, 70}) {
      SCOPED_TRACE(testing::Message() << layers << " x " << heads << ", words: " << words);
      Heatmap heatmap = HeatmapOf(ManyWords(words), ManyWords(words + 2));
      heatmap.gold = {{.source = 0, .target = 0}, {.source = 0, .target = 1, .possible = true}};
      ExpectTidy(LayOut(GridOf(layers, heads, heatmap)).drawing, *shaper_);
    }
  }
}

TEST_F(HeatmapGridTest, LongHostileAndNoLabelsStayTidy) {
  Heatmap heatmap = HeatmapOf("a b c d e f g h i", "a b c d e f g h i");
  heatmap.source_labels = heatmap.target_labels = HostileLabels();
  heatmap.target_labels[0] = std::string(20000, 'x');
  ExpectTidy(LayOut(GridOf(2, 3, heatmap)).drawing, *shaper_);
  for (const char* words :
       {"猫 看 月亮", "고양이 는 달 을 본다", "बिल्ली चाँद देखती है", "القط يرى القمر", "החתול רואה"})
    ExpectTidy(LayOut(GridOf(2, 3, HeatmapOf(words, words))).drawing, *shaper_);
  const HeatmapLayout empty = LayOut(GridOf(2, 2, Heatmap{}));
  ExpectTidy(empty.drawing, *shaper_);
  EXPECT_TRUE(Find(empty, "(no words)"));
}

TEST_F(HeatmapGridTest, RowsAreLayersAndColumnsHeads) {
  const HeatmapLayout layout = LayOut(GridOf(2, 3, HeatmapOf("das Haus", "the house")));
  const Text first = *Find(layout, "layer 1, head 1"), right = *Find(layout, "layer 1, head 2"),
             below = *Find(layout, "layer 2, head 1"), last = *Find(layout, "layer 2, head 3");
  EXPECT_EQ(first.y, right.y);
  EXPECT_EQ(first.x, below.x);
  EXPECT_GT(last.x, right.x);
  EXPECT_EQ(last.y, below.y);
  EXPECT_GT(below.y, first.y);
}

TEST_F(HeatmapGridTest, WordsStandOnTheOuterEdgeOnly) {
  const HeatmapLayout layout = LayOut(GridOf(2, 3, HeatmapOf("das Haus", "the house")));
  EXPECT_EQ(CountTexts(layout, "Haus"), 3) << "above each column";
  EXPECT_EQ(CountTexts(layout, "house"), 2) << "beside each row";
}

TEST_F(HeatmapGridTest, CellsTooSmallForWordsSayHowManyThereAre) {
  const HeatmapLayout layout = LayOut(GridOf(6, 8, HeatmapOf(ManyWords(70), ManyWords(60))));
  EXPECT_FALSE(Find(layout, "wohnte"));
  EXPECT_TRUE(Find(layout, "source across (70), target down (60)"));
  EXPECT_TRUE(Find(LayOut(GridOf(6, 8, HeatmapOf(ManyWords(20), "x"))), "wohnte"));
}

TEST_F(HeatmapGridTest, CellsShareOneScaleOneSizeAndOneLegend) {
  HeatmapGrid grid = GridOf(1, 2, HeatmapOf("a b", "x"));
  grid.cells[0].weights_TS = {0.5f, 0.5f};
  grid.cells[1].weights_TS = {0.25f, 0.75f};
  const HeatmapLayout layout = LayOut(grid);
  EXPECT_EQ(FindCell(layout, "b → x: 0.500")->fill, ColorOfWeight(0.5));
  EXPECT_EQ(FindCell(layout, "b → x: 0.750")->fill, ColorOfWeight(0.75));
  EXPECT_EQ(FindCell(layout, "b → x: 0.500")->width, FindCell(layout, "b → x: 0.750")->width);
  EXPECT_EQ(CountTexts(layout, "attention weight"), 1);
}

TEST_F(HeatmapGridTest, ManyHeadsMakeSmallerCells) {
  const Heatmap heatmap = HeatmapOf(ManyWords(12), ManyWords(12));
  const auto cell = [&](int heads) {
    return FindCell(LayOut(GridOf(1, heads, heatmap)), "gj → gj")->width;
  };
  EXPECT_GT(cell(2), cell(8));
  EXPECT_LT(LayOut(GridOf(1, 8, heatmap)).drawing.width, 1600);
}

TEST_F(HeatmapGridTest, ValuesStandInCellsOnlyWhereTheyFit) {
  EXPECT_TRUE(Find(LayOut(GridOf(1, 2, HeatmapOf("a b c", "x y z"))), ".70"));
  EXPECT_FALSE(Find(LayOut(GridOf(6, 8, HeatmapOf(ManyWords(14), ManyWords(14)))), ".70"));
}

TEST_F(HeatmapGridTest, TheEndSymbolLooksUnlikeTypedText) {
  Heatmap heatmap = HeatmapOf("</s> </s>", "x");
  heatmap.source_ends_with_end_symbol = true;
  const HeatmapLayout layout = LayOut(GridOf(1, 1, heatmap));
  EXPECT_TRUE(Find(layout, kEndSymbol)->style.italic);
  EXPECT_FALSE(Find(layout, "</s>")->style.italic);
}

TEST_F(HeatmapGridTest, AMissingGlyphIsReportedOnceForAllCells) {
  const HeatmapLayout layout = LayOut(GridOf(2, 2, HeatmapOf("\U000F1234 a", "x")));
  EXPECT_EQ(layout.missing_glyphs, std::vector<char32_t>{0xF1234});
  EXPECT_TRUE(Find(layout, "U+F1234"));
}

TEST_F(HeatmapGridTest, EveryFormatIsWritten) {
  const HeatmapGrid grid = GridOf(2, 2, HeatmapOf("das Haus", "the house"));
  for (const auto& [format, name] : {std::pair{PictureFormat::kPng, "a.png"},
                                     {PictureFormat::kSvg, "a.svg"},
                                     {PictureFormat::kPdf, "a.pdf"}}) {
    const std::filesystem::path path = TestFolder() / name;
    const absl::StatusOr<PictureNotes> notes = WriteHeatmapGrid(grid, format, path);
    EXPECT_TRUE(notes.ok()) << notes.status();
    EXPECT_GT(std::filesystem::file_size(path), 1000u);
  }
}

TEST(CheckHeatmapGrid, RefusesWhatIsNoGrid) {
  const Heatmap heatmap = HeatmapOf("a b", "x y");
  const auto refusal = [](const HeatmapGrid& grid) {
    const absl::Status status = WriteHeatmapGrid(grid, PictureFormat::kPng, "refused.png").status();
    EXPECT_FALSE(std::filesystem::exists("refused.png"));
    return std::string(status.message());
  };
  EXPECT_TRUE(CheckHeatmapGrid(GridOf(2, 3, heatmap)).ok());
  EXPECT_THAT(refusal({}), HasSubstr("refused.png: no heatmap to draw"));
  HeatmapGrid grid = GridOf(2, 3, heatmap);
  grid.cells.pop_back();
  EXPECT_THAT(refusal(grid), HasSubstr("5 heatmaps in rows of 3, expected full rows"));
  grid = GridOf(2, 3, heatmap);
  grid.cells[4] = HeatmapOf("a c", "x y");
  grid.cells[4].title = "layer 2, head 2";
  EXPECT_THAT(refusal(grid),
              HasSubstr("\"layer 2, head 2\" has other words than \"layer 1, head 1\""));
  grid = GridOf(2, 3, heatmap);
  grid.cells[2].weights_TS[0] = 2;
  EXPECT_THAT(refusal(grid), HasSubstr("\"layer 1, head 3\": the weight of target word 0"));
  EXPECT_THAT(refusal(GridOf(2, 51, HeatmapOf(ManyWords(100), ManyWords(100)))),
              HasSubstr("1020000 weights, at most 1000000"));
}

}  // namespace
}  // namespace nmt
