#include "nmt/report/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "nmt/report/page_files.h"
#include "tests/report/made_up_report.h"
#include "tests/report/report_testing.h"

namespace nmt {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

// The data block of that id, or null.
Json Block(const std::string& page, const std::string& id) {
  const std::string open = "<script type=\"application/json\" id=\"" + id + "\">";
  const size_t begin = page.find(open);
  if (begin == std::string::npos) return nullptr;
  const size_t end = page.find("</script>", begin);
  return Json::parse(page.substr(begin + open.size(), end - begin - open.size()));
}

TEST(EscapeForScript, LeavesNothingThatEndsAScriptOrALine) {
  const std::string json = R"({"a": "</script><!-- & ]]> )"
                           "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6\"}";
  const std::string escaped = EscapeForScript(json);
  for (const char* part : {"<", ">", "&", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    EXPECT_THAT(escaped, Not(HasSubstr(part)));
  }
  EXPECT_THAT(escaped, HasSubstr("\xe2\x80\xa6"));  // an ellipsis, which begins as U+2028 does
  EXPECT_EQ(Json::parse(escaped), Json::parse(json));
}

TEST(EscapeForScript, TakesTextThatEndsInTheMiddleOfACharacter) {
  EXPECT_EQ(EscapeForScript("\xe2\x80"), "\xe2\x80");
  EXPECT_EQ(EscapeForScript(""), "");
}

TEST(ReportPage, HoldsTheSameNumbersAsReportJson) {
  const Comparison comparison = MadeUpReport({.models = 3, .sentences = 20});
  const std::string page = ReportPage(comparison);
  Json report = Json::parse(ComparisonJson(comparison));
  Json summary = Block(page, "summary");
  const Json texts = Block(page, "texts-0"), weights = Block(page, "weights-0");
  ASSERT_EQ(texts.size(), 20u);
  for (size_t i = 0; i < texts.size(); ++i) {
    Json record = texts[i];
    record["attention"] = weights[i];
    EXPECT_EQ(record, report["sentences"][i]) << i;
  }
  summary.erase("page");
  report.erase("sentences");
  report.erase("samples");
  EXPECT_EQ(summary, report);
}

TEST(ReportPage, CutsManySentencesIntoBlocks) {
  const std::string page = ReportPage(MadeUpReport({.models = 1, .sentences = 260, .gold = false}));
  const Json layout = Block(page, "summary")["page"];
  EXPECT_EQ(layout["sentences"], 260);
  EXPECT_EQ(Block(page, "texts-0").size(), layout["texts_per_block"].get<size_t>());
  EXPECT_EQ(Block(page, "texts-1").size(), 260 - layout["texts_per_block"].get<size_t>());
  EXPECT_EQ(Block(page, "weights-2").size(), 260 - 2 * layout["weights_per_block"].get<size_t>());
  EXPECT_EQ(Block(page, "texts-2"), nullptr);
  EXPECT_EQ(Block(page, "index")["line"].size(), 260u);
  EXPECT_EQ(Block(page, "index")["chrf"][0].size(), 260u);
}

TEST(ReportPage, ShowsHostileTextAsDataOnly) {
  const std::string harmless = ReportPage(MadeUpReport({.sentences = 3}));
  const std::string page = ReportPage(MadeUpReport({.sentences = 3, .hostile = true}));
  EXPECT_EQ(CountOf(page, "<script"), CountOf(harmless, "<script"));
  EXPECT_EQ(CountOf(page, "</script"), CountOf(harmless, "</script"));
  EXPECT_EQ(CountOf(page, "<!--"), CountOf(harmless, "<!--"));
  EXPECT_EQ(CountOf(page, "<img"), 0u);
  EXPECT_THAT(page,
              HasSubstr("<title>&lt;script&gt;document.title=&#39;x&#39;&lt;/script&gt; &amp; "
                        "&quot;title&quot;</title>"));
  for (const std::string& text : HostileLabels()) {
    Comparison comparison = MadeUpReport({.sentences = 1});
    comparison.title = comparison.models[0].name = comparison.sentences[0].source = text;
    EXPECT_EQ(CountOf(ReportPage(comparison), "</script"),
              CountOf(ReportPage(MadeUpReport({.sentences = 1})), "</script"));
  }
}

TEST(ReportPage, IsOneFileWithoutANetwork) {
  const std::string page = ReportPage(MadeUpReport({.sentences = 3}));
  for (const char* part : {"src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
  EXPECT_EQ(CountOf(page, "http://"), 1u);  // the name of SVG
  EXPECT_EQ(CountOf(page, "https://"), 0u);
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(ReportPage, OfNothingIsWritten) {
  EXPECT_THAT(ReportPage({}), HasSubstr("id=\"summary\""));
  EXPECT_TRUE(Json::accept(ComparisonJson(MadeUpReport({.models = 1, .sentences = 0}))));
}

TEST(WriteReportPage, WritesTheFileOrSaysWhere) {
  const auto folder = TestFolder();
  const Comparison comparison = MadeUpReport({.sentences = 2});
  const absl::StatusOr<int64_t> bytes = WriteReportPage(comparison, folder / "index.html");
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(*bytes, static_cast<int64_t>(std::filesystem::file_size(folder / "index.html")));
  const auto failed = WriteReportPage(comparison, folder / "missing" / "index.html");
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr("missing"));
}

TEST(Quantize, KeepsWeightsToWithinATwoHundredth) {
  const SoftMatrix weights(1, 5,
                           {0.0f, 1.0f, 0.5f, -0.1f, std::numeric_limits<float>::quiet_NaN()});
  const QuantizedWeights quantized = Quantize(weights);
  EXPECT_EQ(quantized.rows, 1);
  EXPECT_EQ(quantized.columns, 5);
  EXPECT_EQ(quantized.bytes, std::string("\x00\xff\x80\x00\x00", 5));
  for (int i = 0; i <= 1000; ++i) {
    const float weight = static_cast<float>(i) / 1000;
    const auto byte = static_cast<unsigned char>(Quantize(SoftMatrix(1, 1, {weight})).bytes[0]);
    EXPECT_NEAR(byte / 255.0, weight, 0.5 / 255 + 1e-6);
  }
}

TEST(Base64, IsThatOfTheStandard) {  // the examples of RFC 4648
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Base64("\xff\xfe\xfd"), "//79");
}

TEST(LimitAttention, KeepsFirstChoicesOfTheSentencesThatDiverge) {
  std::vector<SentenceRecord> sentences(3);
  for (size_t i = 0; i < 3; ++i) {
    sentences[i].divergence = {std::vector<double>{0.1, 0.5, 0.3}[i]};
    for (const int64_t choice : {1, 0}) {
      sentences[i].attention.push_back({.choice = choice, .weights = Quantize(SoftMatrix(3, 10))});
    }
  }
  std::vector<SentenceRecord> all = sentences;
  EXPECT_EQ(LimitAttention(all), 0);
  EXPECT_EQ(all[0].attention.size(), 2u);
  EXPECT_EQ(LimitAttention(sentences, 4 * 120), 2);  // 40 for the weights, 80 beside them
  EXPECT_EQ(sentences[0].attention.size(), 1u);
  EXPECT_EQ(sentences[0].attention[0].choice, 0);
  EXPECT_EQ(sentences[1].attention.size(), 2u);  // diverges most
  EXPECT_EQ(sentences[2].attention.size(), 1u);
}

TEST(HistogramOf, CountsEveryNumberOnce) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Histogram histogram = HistogramOf({0, 1, 2, 3, 4, nan}, 4);
  EXPECT_EQ(histogram, (Histogram{.low = 0, .high = 4, .counts = {1, 1, 1, 2}}));
  EXPECT_EQ(HistogramOf({2, 2}, 3), (Histogram{.low = 2, .high = 2, .counts = {2, 0, 0}}));
  EXPECT_EQ(HistogramOf({nan}), Histogram{});
}

TEST(ComparisonJson, GivesMeanAndDeviationOfRunsThatDifferInTheSeed) {
  Comparison comparison;
  for (const double bleu : {30.0, 32.0, 34.0})
    comparison.models.push_back({.group = "gru", .bleu = bleu});
  comparison.models.push_back({.group = "alone", .bleu = 1});
  const Json groups = Json::parse(ComparisonJson(comparison))["groups"];
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0]["models"], Json::parse("[0, 1, 2]"));
  EXPECT_EQ(groups[0]["bleu"], Json::parse(R"({"mean": 32.0, "deviation": 2.0, "runs": 3})"));
  EXPECT_TRUE(groups[0]["aer"].is_null());
  EXPECT_EQ(groups[1]["bleu"], Json::parse(R"({"mean": 1.0, "deviation": null, "runs": 1})"));

  comparison.models = {{.group = "one", .bleu = 1}, {.group = "two", .bleu = 2}};
  EXPECT_TRUE(Json::parse(ComparisonJson(comparison))["groups"].empty()) << "no seeds to sum up";
}

}  // namespace
}  // namespace nmt
