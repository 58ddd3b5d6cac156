#include "nmt/report/heatmap_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nmt/report/text_shaper.h"
#include "tests/report/layout_testing.h"
#include "tests/report/report_testing.h"

namespace nmt {
namespace {

class HeatmapLayoutTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<TextShaper> shaper = TextShaper::Create();
    if (!shaper.ok()) GTEST_SKIP() << std::string(shaper.status().message());
    shaper_.emplace(*std::move(shaper));
  }

  HeatmapLayout LayOut(const std::vector<Heatmap>& panels,
                       MissingGlyphs missing = MissingGlyphs::kAsCodePoints) {
    return LayOutHeatmaps(panels, *shaper_, missing);
  }

  void ExpectTidy(const std::vector<Heatmap>& panels) {
    nmt::ExpectTidy(LayOut(panels).drawing, *shaper_);
  }

  std::optional<TextShaper> shaper_;
};

TEST_F(HeatmapLayoutTest, NoLabelIsCutOrCoversAnotherAtAnyLength) {
  for (const int words : {1, 2, 3, 12, 20, 24, 25, 31, 60}) {
    SCOPED_TRACE(words);
    Heatmap heatmap = HeatmapOf(ManyWords(words), ManyWords(words + 3));
    heatmap.gold = {{.source = 0, .target = 0}, {.source = 0, .target = 1, .possible = true}};
    ExpectTidy({heatmap});
  }
}

TEST_F(HeatmapLayoutTest, NoLabelIsCutOrCoversAnotherBetweenPanels) {
  Heatmap long_title = HeatmapOf("das Haus", "the house");
  long_title.title = "Transformer, scaled dot product, layer 3, head 2, forced decoding";
  ExpectTidy({long_title, HeatmapOf("am langenLabelDasWeitNachRechtsReicht", "a b c d"),
              HeatmapOf(ManyWords(12), ManyWords(9))});
}

TEST_F(HeatmapLayoutTest, LongAndHostileLabelsStayTidy) {
  Heatmap heatmap = HeatmapOf("a b c d e f g h i", "a b c d e f g h i");
  heatmap.source_labels = HostileLabels();
  heatmap.target_labels = HostileLabels();
  heatmap.target_labels[0] = std::string(20000, 'x');
  ExpectTidy({heatmap});
}

TEST_F(HeatmapLayoutTest, CellsGrowWithTallScripts) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "A\xcc\x82\xcc\x81\xcc\x83g\xcc\xa3\xcc\xb1 ";
  ExpectTidy({HeatmapOf(words, words)});
}

TEST_F(HeatmapLayoutTest, EmptySentencesStayTidy) {
  ExpectTidy({Heatmap{}});
  ExpectTidy({Heatmap{.title = "no rows",
                      .source_labels = {"das", "Haus"},
                      .target_labels = {},
                      .weights_TS = {},
                      .gold = {}},
              Heatmap{.title = "no columns",
                      .source_labels = {},
                      .target_labels = {"the"},
                      .weights_TS = {},
                      .gold = {}}});
}

TEST_F(HeatmapLayoutTest, ShortLabelsStandLevelLongerOnesRiseAndCrowdedOnesStandUpright) {
  EXPECT_EQ(Find(LayOut({HeatmapOf("im am", "in at")}), "im")->degrees, 0);
  EXPECT_EQ(Find(LayOut({HeatmapOf("Mädchen spielt", "girl plays")}), "spielt")->degrees, -45);
  EXPECT_EQ(Find(LayOut({HeatmapOf(ManyWords(40), "girl")}), "wohnte")->degrees, -90);
  EXPECT_EQ(Find(LayOut({HeatmapOf("im donaudampfschifffahrtsgesellschaft", "x")}), "im")->degrees,
            -90)
      << "a long label would lean far to the right";
}

TEST_F(HeatmapLayoutTest, AnOverlongLabelEndsInDots) {
  Heatmap heatmap = HeatmapOf("a", "a");
  heatmap.target_labels[0] = std::string(100, 'x');
  EXPECT_TRUE(Find(LayOut({heatmap}), std::string(kMaxLabelColumns - 1, 'x') + "…"));
}

TEST_F(HeatmapLayoutTest, TheEndSymbolLooksUnlikeTypedText) {
  Heatmap heatmap = HeatmapOf("</s> </s>", "</s> </s>");
  heatmap.source_ends_with_end_symbol = true;
  const HeatmapLayout layout = LayOut({heatmap});
  const std::optional<Text> symbol = Find(layout, kEndSymbol);
  ASSERT_TRUE(symbol);
  EXPECT_TRUE(symbol->style.italic);
  const std::optional<Text> typed = Find(layout, "</s>");
  ASSERT_TRUE(typed);
  EXPECT_FALSE(typed->style.italic);
  EXPECT_FALSE(symbol->color == typed->color);
}

TEST_F(HeatmapLayoutTest, PanelsShareOneScaleOneCellSizeAndOneLegend) {
  Heatmap a = HeatmapOf("a b", "x y");
  a.weights_TS = {0.5f, 0.5f, 0.4f, 0.6f};
  Heatmap b = HeatmapOf(ManyWords(20), "z");
  b.weights_TS.assign(20, 0.5f / 19);
  b.weights_TS[0] = 0.5f;
  const HeatmapLayout layout = LayOut({a, b});
  const std::optional<Box> in_a = FindCell(layout, "a → x: 0.500");
  const std::optional<Box> in_b = FindCell(layout, "Ägypten → z: 0.500");
  ASSERT_TRUE(in_a && in_b);
  EXPECT_EQ(*in_a->fill, *in_b->fill);
  EXPECT_EQ(*in_a->fill, ColorOfWeight(0.5));
  EXPECT_EQ(in_a->width, in_b->width);
  EXPECT_EQ(in_a->y, in_b->y);
  int legends = 0;
  for (const Text& text : Texts(layout)) legends += text.text == "attention weight";
  EXPECT_EQ(legends, 1);
}

TEST_F(HeatmapLayoutTest, PanelsKeepTheirDistance) {
  Heatmap left = HeatmapOf("a b", "x y"), right = left;
  left.title = "a title wider than its matrix";
  right.title = "right";
  const HeatmapLayout layout = LayOut({left, right});
  const Text first = *Find(layout, left.title);
  EXPECT_GE(Find(layout, right.title)->x,
            first.x + shaper_->Measure(first.text, first.style).width + 24);
}

TEST_F(HeatmapLayoutTest, RowsAreTargetWordsAndColumnsSourceWords) {
  Heatmap heatmap = HeatmapOf("a b", "x y z");
  heatmap.weights_TS = {1, 0, 0.25f, 0.75f, 0.5f, 0.5f};
  const HeatmapLayout layout = LayOut({heatmap});
  const std::optional<Box> first = FindCell(layout, "a → x: 1.000");
  const std::optional<Box> other = FindCell(layout, "b → y: 0.750");
  ASSERT_TRUE(first && other);
  EXPECT_EQ(other->x - first->x, first->width);
  EXPECT_EQ(other->y - first->y, first->height);
}

TEST_F(HeatmapLayoutTest, ValuesStandInCellsOnlyWhereTheyFit) {
  Heatmap heatmap = HeatmapOf("a b c", "x y z");
  heatmap.weights_TS = {0.999f, 0.001f, 0, 0.004f, 0.126f, 0.87f, 0.5f, 0.25f, 0.25f};
  const HeatmapLayout small = LayOut({heatmap});
  EXPECT_TRUE(Find(small, ".87"));
  EXPECT_TRUE(Find(small, ".13"));
  EXPECT_FALSE(Find(small, ".00")) << "what rounds to nothing stays blank";
  EXPECT_FALSE(Find(small, ".100")) << "0.999 rounds to 1";
  EXPECT_FALSE(Find(LayOut({HeatmapOf(ManyWords(30), ManyWords(30))}), ".70"));
}

TEST_F(HeatmapLayoutTest, ValuesContrastWithTheirCell) {
  Heatmap heatmap = HeatmapOf("a b", "x");
  heatmap.weights_TS = {0.9f, 0.1f};
  const HeatmapLayout layout = LayOut({heatmap});
  EXPECT_EQ(Find(layout, ".90")->color, (Color{255, 255, 255}));
  EXPECT_EQ(Find(layout, ".10")->color, (Color{0, 0, 0}));
}

TEST_F(HeatmapLayoutTest, GoldLinksAreOutlinedPossibleOnesWithDashes) {
  Heatmap heatmap = HeatmapOf("a b", "x y");
  heatmap.gold = {{.source = 1, .target = 0},
                  {.source = 0, .target = 1, .possible = true},
                  {.source = 1, .target = 0, .possible = true}};  // sure, so listed as both
  const HeatmapLayout layout = LayOut({heatmap});
  std::vector<Box> outlines, halos;
  for (const Shape& shape : layout.drawing.shapes) {
    const Box* box = std::get_if<Box>(&shape);
    if (box && box->stroke == kGoldColor) outlines.push_back(*box);
    if (box && box->stroke == Color{255, 255, 255}) halos.push_back(*box);
  }
  ASSERT_EQ(halos.size(), 2u) << "white sets the outline off from dark cells";
  EXPECT_GT(halos[1].stroke_width, outlines[1].stroke_width);
  EXPECT_FALSE(halos[1].dashed) << "the gaps between dashes are white too";
  ASSERT_EQ(outlines.size(), 4u) << "two links and two keys of the legend";
  const Box sure_cell = *FindCell(layout, "b → x");
  EXPECT_FALSE(outlines[0].dashed);
  EXPECT_GT(outlines[0].x, sure_cell.x);
  EXPECT_LT(outlines[0].x + outlines[0].width, sure_cell.x + sure_cell.width);
  EXPECT_TRUE(outlines[1].dashed);
  EXPECT_GT(outlines[1].y, FindCell(layout, "a → y")->y);
  EXPECT_TRUE(Find(layout, "gold link"));
  EXPECT_TRUE(Find(layout, "possible gold link"));
}

TEST_F(HeatmapLayoutTest, AGoldLinkOfWordsIsOneOutlineAroundTheirPieces) {
  Heatmap heatmap = HeatmapOf("▁wash ing ▁machine", "▁Wasch maschine");
  heatmap.gold = {{.source = 0, .target = 0, .sources = 3, .targets = 2}};
  const HeatmapLayout layout = LayOut({heatmap});
  const Box first = *FindCell(layout, "▁wash → ▁Wasch"), last = *FindCell(layout, "▁machine → m");
  const auto is_gold = [](const Shape& shape) {
    const Box* box = std::get_if<Box>(&shape);
    return box && box->stroke == kGoldColor;
  };
  const std::vector<Shape>& shapes = layout.drawing.shapes;
  const Box outline = std::get<Box>(*std::find_if(shapes.begin(), shapes.end(), is_gold));
  EXPECT_NEAR(outline.x, first.x, 3);
  EXPECT_NEAR(outline.y, first.y, 3);
  EXPECT_NEAR(outline.x + outline.width, last.x + last.width, 3);
  EXPECT_NEAR(outline.y + outline.height, last.y + last.height, 3);
  EXPECT_EQ(std::count_if(shapes.begin(), shapes.end(), is_gold), 2) << "the link and the legend";
}

TEST_F(HeatmapLayoutTest, TheLegendNamesOnlyWhatThePictureHas) {
  EXPECT_FALSE(Find(LayOut({HeatmapOf("a b", "x y")}), "gold link"));
}

// U+F1234 is for private use; no font has it.
TEST_F(HeatmapLayoutTest, AMissingGlyphIsItsCodePointInPixelsAndItselfInText) {
  const Heatmap heatmap = HeatmapOf("a\U000F1234\U000F1235z b", "x \U000F1234");
  const HeatmapLayout pixels = LayOut({heatmap}, MissingGlyphs::kAsCodePoints);
  EXPECT_TRUE(Find(pixels, "a U+F1234 U+F1235 z"));
  EXPECT_EQ(pixels.missing_glyphs, (std::vector<char32_t>{0xF1234, 0xF1235})) << "each once";
  const HeatmapLayout text = LayOut({heatmap}, MissingGlyphs::kAsWritten);
  EXPECT_TRUE(Find(text, "a\U000F1234\U000F1235z"));
  EXPECT_TRUE(text.missing_glyphs.empty());
}

// U+0378 is not assigned; Pango measures a small box for it.
TEST_F(HeatmapLayoutTest, TextThatAnotherFontWillDrawGetsAnEmACharacter) {
  std::string word;
  for (int i = 0; i < 30; ++i) word += "\u0378";
  EXPECT_GE(LayOut({HeatmapOf("a", word)}, MissingGlyphs::kAsWritten).drawing.width, 30 * 13);
}

TEST_F(HeatmapLayoutTest, EveryScriptGetsItsLabelOrItsCodePoints) {
  for (const char* words :
       {"猫 看 月亮", "고양이 는 달 을 본다", "кот видит луну", "बिल्ली चाँद देखती है", "ñandú œuf ß ẞ",
        "القط يرى القمر", "החתול רואה", "a\xcc\x81\xcc\xa3 z\xcc\x88"}) {
    SCOPED_TRACE(words);
    ExpectTidy({HeatmapOf(words, words)});
  }
}

}  // namespace
}  // namespace nmt
