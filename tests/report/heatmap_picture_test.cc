#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "nmt/base/file.h"
#include "nmt/report/heatmap.h"
#include "nmt/report/heatmap_layout.h"
#include "nmt/report/text_shaper.h"
#include "tests/report/picture.h"
#include "tests/report/report_testing.h"

namespace nmt {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class HeatmapPictureTest : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<TextShaper> shaper = TextShaper::Create();
    if (!shaper.ok()) GTEST_SKIP() << std::string(shaper.status().message());
    folder_ = TestFolder();
  }

  Picture Png(const std::vector<Heatmap>& panels) {
    const absl::StatusOr<PictureNotes> notes = WriteHeatmapPng(panels, folder_ / "a.png");
    EXPECT_TRUE(notes.ok()) << notes.status();
    return Picture::Decoded(*ReadFile(folder_ / "a.png"));
  }
  std::string Svg(const std::vector<Heatmap>& panels) {
    const absl::Status status = WriteHeatmapSvg(panels, folder_ / "a.svg");
    EXPECT_TRUE(status.ok()) << status;
    return *ReadFile(folder_ / "a.svg");
  }

  std::filesystem::path folder_;
};

TEST_F(HeatmapPictureTest, APngHasThePngSignature) {
  Png({HeatmapOf("das Haus", "the house")});
  EXPECT_THAT(*ReadFile(folder_ / "a.png"), StartsWith("\x89PNG\r\n\x1a\n"));
}

TEST_F(HeatmapPictureTest, APngGrowsWithItsContent) {
  const Picture small = Png({HeatmapOf("a b c", "x y z")});
  const Picture wide = Png({HeatmapOf("a b c a b c a b c a", "x y z")});
  const Picture high = Png({HeatmapOf("a b c", "p q r s t u v w x y z")});
  const Picture labelled = Png({HeatmapOf("a b c", "x y donaudampfschifffahrtsgesellschaft")});
  const Heatmap panel = HeatmapOf("a b c d e f g h", "x y z");
  EXPECT_GT(wide.width(), small.width());
  EXPECT_EQ(wide.height(), small.height());
  EXPECT_GT(high.height(), small.height());
  EXPECT_GT(labelled.width(), small.width());
  EXPECT_GT(Png({panel, panel}).width(), Png({panel}).width());
}

TEST_F(HeatmapPictureTest, HugeMatricesStayWithinTheMemoryBound) {
  const Picture picture = Png({HeatmapOf(ManyWords(400), ManyWords(300))});
  EXPECT_GT(picture.width(), 4000);
  EXPECT_LE(static_cast<double>(picture.width()) * picture.height(), 64.1e6);
}

TEST_F(HeatmapPictureTest, CellsHaveTheColorOfTheirWeight) {
  Heatmap heatmap = HeatmapOf("a b", "x y");
  heatmap.weights_TS = {1, 0, 0.25f, 0.75f};
  const Picture picture = Png({heatmap});
  const TextShaper shaper = *TextShaper::Create();
  const HeatmapLayout layout = LayOutHeatmaps({heatmap}, shaper, MissingGlyphs::kAsCodePoints);
  std::vector<Color> corners;
  for (const Shape& shape : layout.drawing.shapes) {
    const Box* box = std::get_if<Box>(&shape);
    if (!box || box->tooltip.empty()) continue;
    corners.push_back(picture.At(2 * (box->x + 4), 2 * (box->y + 4)));  // 2 pixels a unit
  }
  EXPECT_THAT(corners, testing::ElementsAre(ColorOfWeight(1), ColorOfWeight(0), ColorOfWeight(0.25),
                                            ColorOfWeight(0.75)));
  EXPECT_LT(Luminance(corners[0]), Luminance(corners[1])) << "1 is darker than 0";
}

TEST_F(HeatmapPictureTest, GoldLinksShowInPixels) {
  Heatmap heatmap = HeatmapOf("a b", "x y");
  EXPECT_EQ(Png({heatmap}).Count(kGoldColor), 0);
  heatmap.gold = {{.source = 0, .target = 0}};
  const int sure = Png({heatmap}).Count(kGoldColor);
  EXPECT_GT(sure, 500);
  heatmap.gold[0].possible = true;
  const int possible = Png({heatmap}).Count(kGoldColor);
  EXPECT_GT(possible, 100);
  EXPECT_LT(possible, sure * 3 / 4) << "dashes";
}

TEST_F(HeatmapPictureTest, PicturesOfEmptySentencesAreDrawn) {
  EXPECT_GT(Png({Heatmap{}}).width(), 0);
  EXPECT_THAT(Svg({Heatmap{}}), HasSubstr("(no words)"));
}

TEST_F(HeatmapPictureTest, MissingGlyphsAreReported) {
  const absl::StatusOr<PictureNotes> notes =
      WriteHeatmapPng({HeatmapOf("\U000F1234 a", "x")}, folder_ / "a.png");
  ASSERT_TRUE(notes.ok());
  EXPECT_EQ(notes->missing_glyphs, std::vector<char32_t>{0xF1234});
  EXPECT_THAT(MissingGlyphsMessage(notes->missing_glyphs),
              HasSubstr("no installed font has U+F1234:"));
  EXPECT_EQ(MissingGlyphsMessage({}), "");
  EXPECT_THAT(MissingGlyphsMessage({1, 2, 3, 4, 5, 6, 7}), HasSubstr("U+0005 and 2 more"));
  EXPECT_THAT(MissingGlyphsMessage({0xF1234, 7, 0xF1234}), HasSubstr(" has U+0007, U+F1234:"))
      << "of several pictures each once";
}

TEST_F(HeatmapPictureTest, AnSvgOfHostileLabelsIsWellFormedAndShowsThemLiterally) {
  Heatmap heatmap = HeatmapOf("a b c d e f g h i", "a b c d e f g h i");
  heatmap.title = "</title><script>";
  heatmap.source_labels = heatmap.target_labels = HostileLabels();
  const std::string svg = Svg({heatmap});
  EXPECT_EQ(XmlError(svg), "");
  EXPECT_EQ(CountOf(svg, "<script"), 0u);
  EXPECT_THAT(svg, HasSubstr(">&lt;script&gt;document.title=&#39;x&#39;&lt;/script&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">&amp; &amp;amp; &amp;lt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">not UTF-8: ��</text>"));
  if (std::system("xmllint --version >/dev/null 2>&1") == 0) {
    EXPECT_EQ(std::system(("xmllint --noout '" + (folder_ / "a.svg").string() + "'").c_str()), 0);
  }
}

TEST_F(HeatmapPictureTest, AnSvgKeepsEveryScriptAsText) {
  const std::string svg = Svg({HeatmapOf("猫 고양이 луну चाँद", "ñandú ẞ القط החתול")});
  EXPECT_EQ(XmlError(svg), "");
  EXPECT_THAT(svg, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
  EXPECT_THAT(svg, HasSubstr("font-family=\"'DejaVu Sans', 'Noto Sans', sans-serif\""));
  for (const char* word : {"猫", "고양이", "луну", "चाँद", "ñandú", "ẞ", "القط", "החתול"}) {
    EXPECT_THAT(svg, HasSubstr(">" + std::string(word) + "</text>"));
  }
}

TEST_F(HeatmapPictureTest, AnSvgSetsEachLabelInItsDirection) {
  const std::string svg = Svg({HeatmapOf("القط. Haus.", "החתול! the")});
  EXPECT_THAT(svg,
              HasSubstr("direction=\"rtl\" unicode-bidi=\"embed\" text-anchor=\"middle\">القط.<"));
  EXPECT_THAT(svg, HasSubstr("fill=\"#1a1a1a\" text-anchor=\"middle\">Haus.<"));
  EXPECT_THAT(svg, HasSubstr("direction=\"rtl\" unicode-bidi=\"embed\">החתול!<"))
      << "beside the matrix: its right edge is its start";
  EXPECT_THAT(svg, HasSubstr("fill=\"#1a1a1a\" text-anchor=\"end\">the<"));
}

TEST_F(HeatmapPictureTest, APdfHasEmbeddedFontsAndItsWordsAsText) {
  Heatmap heatmap = HeatmapOf("das für", "the луна");
  heatmap.title = "GRU & co.";
  const std::filesystem::path path = folder_ / "a.pdf";
  const absl::StatusOr<PictureNotes> notes = WriteHeatmaps({heatmap}, PictureFormat::kPdf, path);
  ASSERT_TRUE(notes.ok()) << notes.status();
  const std::string pdf = *ReadFile(path);
  EXPECT_TRUE(pdf.starts_with("%PDF-1.4\n"));
  EXPECT_TRUE(pdf.ends_with("%%EOF\n"));
  EXPECT_EQ(CountOf(pdf, "/Type /Page "), 1u);
  EXPECT_EQ(CountOf(pdf, "(Attention weights: GRU & co.)"), 1u);
  const size_t fonts = CountOf(pdf, "/Type /FontDescriptor");
  EXPECT_GE(fonts, 2u) << "plain and bold";
  EXPECT_EQ(CountOf(pdf, "/FontFile"), fonts) << "all embedded";
  EXPECT_EQ(CountOf(pdf, "/ToUnicode"), fonts) << "and known by their letters";
  EXPECT_EQ(CountOf(pdf, "/Subtype /Image"), 0u);
  if (std::system("pdftotext -v >/dev/null 2>&1") != 0) return;
  const std::filesystem::path text = folder_ / "a.txt";
  ASSERT_EQ(std::system(("pdftotext '" + path.string() + "' '" + text.string() + "'").c_str()), 0);
  for (const char* word : {"GRU & co.", "das", "für", "the", "луна", ".70", "attention weight"})
    EXPECT_THAT(*ReadFile(text), HasSubstr(word));
}

TEST_F(HeatmapPictureTest, APdfShowsMissingGlyphsAsCodePoints) {
  const absl::StatusOr<PictureNotes> notes =
      WriteHeatmaps({HeatmapOf("\U000F1234 a", "x")}, PictureFormat::kPdf, folder_ / "a.pdf");
  ASSERT_TRUE(notes.ok());
  EXPECT_EQ(notes->missing_glyphs, std::vector<char32_t>{0xF1234});
}

TEST_F(HeatmapPictureTest, AnSvgCarriesWordsAndWeightForTheMouse) {
  EXPECT_THAT(Svg({HeatmapOf("das Haus", "the house")}),
              HasSubstr("<title>Haus → house: 0.700</title>"));
}

TEST_F(HeatmapPictureTest, ThePictureIsTheSameEachTime) {
  const std::vector<Heatmap> panels{HeatmapOf("das Haus", "the house")};
  Png(panels);
  const std::string first = *ReadFile(folder_ / "a.png");
  Png(panels);
  EXPECT_EQ(first, *ReadFile(folder_ / "a.png"));
  EXPECT_EQ(Svg(panels), Svg(panels));
  const auto pdf = [&](const char* name) {
    EXPECT_TRUE(WriteHeatmaps(panels, PictureFormat::kPdf, folder_ / name).ok());
    return *ReadFile(folder_ / name);
  };
  EXPECT_EQ(pdf("a.pdf"), pdf("b.pdf"));
  EXPECT_EQ(CountOf(pdf("a.pdf"), "CreationDate"), 0u) << "bytes that change by the second";
}

std::string Refusal(const std::vector<Heatmap>& panels) {
  const std::filesystem::path path = TestFolder() / "refused.png";
  const absl::Status png = WriteHeatmapPng(panels, path).status();
  const absl::Status svg = WriteHeatmapSvg(panels, path);
  EXPECT_EQ(png, svg);
  EXPECT_FALSE(std::filesystem::exists(path));
  std::string message(png.message());
  EXPECT_THAT(message, StartsWith(path.string() + ": "));
  EXPECT_EQ(CountOf(message, "\n"), 0u);
  return message;
}

TEST(WriteHeatmap, RefusesWhatIsNotAnAttentionMatrix) {
  EXPECT_THAT(Refusal({}), HasSubstr("no heatmap to draw"));
  Heatmap heatmap = HeatmapOf("a b", "x y z");
  heatmap.title = "two\nlines";
  heatmap.weights_TS.pop_back();
  EXPECT_THAT(Refusal({heatmap}), HasSubstr("\"two lines\": 5 weights, expected 3 (target words) x "
                                            "2 (source words)"));
  heatmap = HeatmapOf("a b", "x y z");
  heatmap.weights_TS[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(Refusal({heatmap}), HasSubstr("target word 1, source word 1 is nan"));
  heatmap.weights_TS[3] = 1.5f;
  EXPECT_THAT(Refusal({heatmap}), HasSubstr("is 1.5, expected 0 to 1"));
  heatmap = HeatmapOf("a b", "x y z");
  heatmap.gold = {{.source = 2, .target = 0}};
  EXPECT_THAT(Refusal({heatmap}), HasSubstr("gold link 2-0, but there are 2 source and 3 target"));
  heatmap.gold = {{.source = 1, .target = 0, .sources = 2}};
  EXPECT_THAT(Refusal({heatmap}), HasSubstr("gold link 1-0, but there are 2 source and 3 target"));
  EXPECT_THAT(Refusal({HeatmapOf(ManyWords(1001), "x")}), HasSubstr("1001 source and 1 target"));
}

TEST(WriteHeatmap, ToleratesTheRoundingOfASoftmax) {
  Heatmap heatmap = HeatmapOf("a b", "x");
  heatmap.weights_TS = {1.0000002f, -0.0000002f};
  EXPECT_TRUE(CheckHeatmap(heatmap).ok());
}

TEST(WriteHeatmap, NamesThePlaceThatCannotBeWrittenTo) {
  const std::filesystem::path path = TestFolder() / "missing" / "a.svg";
  const absl::Status status = WriteHeatmapSvg({HeatmapOf("a", "x")}, path);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(path.string()));
}

// Pango itself would end the process.
TEST(WriteHeatmapDeathTest, SaysThatAMachineHasNoFont) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir());
  std::ofstream(folder / "no_fonts.conf") << "<?xml version=\"1.0\"?>\n<fontconfig></fontconfig>\n";
  EXPECT_EXIT(
      {
        ::setenv("FONTCONFIG_FILE", (folder / "no_fonts.conf").c_str(), 1);
        const absl::Status status =
            WriteHeatmapPng({HeatmapOf("a", "x")}, folder / "no_fonts.png").status();
        std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
        std::exit(status.ok() ? 0 : 1);
      },
      testing::ExitedWithCode(1), "no_fonts.png: no font is installed");
}

}  // namespace
}  // namespace nmt
