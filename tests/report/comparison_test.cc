#include "nmt/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "nmt/report/comparison_rows.h"
#include "tests/report/report_testing.h"

namespace nmt {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Comparison TwoModels() {
  const std::string bleu = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0";
  const std::string chrf = "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0";
  return {.title = "GRU and transformer",
          .source_file = "test.de",
          .reference_file = "test.en",
          .models = {{.name = "GRU",
                      .run = "runs/gru",
                      .architecture = "gru",
                      .attention = "additive",
                      .bleu = 34.2,
                      .chrf = 55.125,
                      .bleu_signature = bleu,
                      .chrf_signature = chrf,
                      .aer = 0.213,
                      .aer_precision = 0.8,
                      .aer_recall = 0.775,
                      .alignment_choice = "shift 1, argmax",
                      .parameters = 1234567,
                      .training_seconds = 3840,
                      .training_updates = 12000,
                      .decode_seconds = 2,
                      .decode_tokens_per_second = 5210.4},
                     {.name = "Transformer",
                      .run = "runs/transformer",
                      .architecture = "transformer",
                      .attention = "scaled_dot",
                      .bleu = 33.11,
                      .chrf = 56.5,
                      .bleu_signature = bleu,
                      .chrf_signature = chrf,
                      .aer = 0.35,
                      .aer_precision = 0.7,
                      .aer_recall = 0.6,
                      .alignment_choice = "layer 2, head 1, shift 0, argmax",
                      .parameters = 2345678,
                      .training_seconds = 95,
                      .training_updates = 12000,
                      .decode_seconds = 3,
                      .decode_tokens_per_second = 3100}},
          .parts = {{.part = "unseen pairs",
                     .sentences = 1200,
                     .bleu = {20.5, 22},
                     .chrf = {40, 41},
                     .aer = {0.3, std::nullopt}}},
          .samples = {{.line = 3,
                       .source = "das Haus",
                       .reference = "the house",
                       .translations = {"the house", "a house"},
                       .heatmap_png = "heatmaps/line 3.png",
                       .heatmap_svg = "heatmaps/line 3.svg"}}};
}

TEST(ComparisonJson, HasTheDocumentedKeysForEachModel) {
  const Json report = Json::parse(ComparisonJson(TwoModels()));
  ASSERT_EQ(report["models"].size(), 2u);
  const Json& gru = report["models"][0];
  EXPECT_EQ(gru["name"], "GRU");
  EXPECT_EQ(gru["run"], "runs/gru");
  EXPECT_EQ(gru["bleu"], 34.2);
  EXPECT_EQ(gru["chrf"], 55.125);
  EXPECT_TRUE(gru.contains("ter") && gru["ter"].is_null());
  EXPECT_EQ(gru["aer"], 0.213);
  EXPECT_EQ(gru["aer_precision"], 0.8);
  EXPECT_EQ(gru["aer_recall"], 0.775);
  EXPECT_EQ(gru["parameters"], 1234567);
  EXPECT_EQ(gru["training_seconds"], 3840);
  EXPECT_EQ(gru["training_updates"], 12000);
  EXPECT_EQ(gru["decode_tokens_per_second"], 5210.4);
  EXPECT_EQ(gru["alignment_choice"], "shift 1, argmax");
}

TEST(ComparisonJson, GivesTheDifferencesFromTheFirstModel) {
  const Json report = Json::parse(ComparisonJson(TwoModels()));
  ASSERT_EQ(report["comparison"]["differences"].size(), 1u);
  const Json& difference = report["comparison"]["differences"][0];
  EXPECT_EQ(difference["model"], "Transformer");
  EXPECT_EQ(difference["baseline"], "GRU");
  EXPECT_NEAR(difference["bleu"], -1.09, 1e-9);
  EXPECT_NEAR(difference["chrf"], 1.375, 1e-9);
  EXPECT_NEAR(difference["aer"], 0.137, 1e-9);
  EXPECT_EQ(difference["parameters"], 1111111);
}

TEST(ComparisonJson, WritesNullForWhatIsAbsentOrNotANumber) {
  Comparison comparison = TwoModels();
  comparison.models[0].bleu = kNan;
  comparison.models[0].aer = std::nullopt;
  comparison.models[0].decode_tokens_per_second = std::numeric_limits<double>::infinity();
  comparison.parts[0].chrf = {40};  // one model's is missing
  const Json report = Json::parse(ComparisonJson(comparison));
  EXPECT_TRUE(report["models"][0]["bleu"].is_null());
  EXPECT_TRUE(report["models"][0]["aer"].is_null());
  EXPECT_TRUE(report["models"][0]["decode_tokens_per_second"].is_null());
  EXPECT_TRUE(report["comparison"]["differences"][0]["bleu"].is_null());
  EXPECT_TRUE(report["comparison"]["differences"][0]["aer"].is_null());
  EXPECT_EQ(report["parts"][0]["chrf"], Json::parse("[40.0, null]"));
  EXPECT_EQ(report["parts"][0]["aer"], Json::parse("[0.3, null]"));
}

TEST(ComparisonJson, HoldsTheSamples) {
  const Json sample = Json::parse(ComparisonJson(TwoModels()))["samples"][0];
  EXPECT_EQ(sample["line"], 3);
  EXPECT_EQ(sample["translations"], Json::parse(R"(["the house", "a house"])"));
  EXPECT_EQ(sample["heatmap_svg"], "heatmaps/line 3.svg");
}

TEST(ComparisonJson, SurvivesHostileText) {
  for (const std::string& text : HostileLabels()) {
    Comparison comparison = TwoModels();
    comparison.title = comparison.models[0].name = comparison.samples[0].source = text;
    EXPECT_TRUE(Json::accept(ComparisonJson(comparison))) << text;
  }
}

TEST(ComparisonMarkdown, SetsTheModelsSideBySide) {
  const std::string report = ComparisonMarkdown(TwoModels());
  EXPECT_THAT(report,
              testing::StartsWith("# GRU and transformer\n\nSource: test.de; reference: "
                                  "test.en.\n\n|  | GRU | Transformer |\n|---|---:|---:|\n"));
  EXPECT_THAT(report, HasSubstr("| BLEU | 34.20 | 33.11 |\n"));
  EXPECT_THAT(report, HasSubstr("| AER | 21.3 % | 35.0 % |\n"));
  EXPECT_THAT(report, HasSubstr("| Alignment precision | 80.0 % | 70.0 % |\n"));
  EXPECT_THAT(report, HasSubstr("| Alignment recall | 77.5 % | 60.0 % |\n"));
  EXPECT_THAT(report, HasSubstr("| Parameters | 1,234,567 | 2,345,678 |\n"));
  EXPECT_THAT(report, HasSubstr("| Training time | 1 h 04 min | 1 min 35 s |\n"));
  EXPECT_THAT(report, HasSubstr("| Translation time | 2.0 s | 3.0 s |\n"));
  EXPECT_THAT(report, HasSubstr("| Translated tokens/s | 5,210 | 3,100 |\n"));
}

TEST(ComparisonMarkdown, ShowsThePartsAndADashForWhatIsAbsent) {
  EXPECT_THAT(ComparisonMarkdown(TwoModels()),
              HasSubstr("| part | sentences | BLEU GRU | BLEU Transformer | chrF GRU | chrF "
                        "Transformer | AER GRU | AER Transformer |\n"
                        "|---|---:|---:|---:|---:|---:|---:|---:|\n"
                        "| unseen pairs | 1,200 | 20.50 | 22.00 | 40.00 | 41.00 | 30.0 % | – |\n"));
}

TEST(ComparisonMarkdown, ShowsEachSampleWithBothTranslationsAndItsPicture) {
  EXPECT_THAT(ComparisonMarkdown(TwoModels()),
              HasSubstr("### Line 3\n\n| | |\n|---|---|\n| source | das Haus |\n| reference | the "
                        "house |\n| GRU | the house |\n| Transformer | a house |\n\n![Attention of "
                        "line 3](heatmaps/line%203.png)\n\n[The same as "
                        "SVG](heatmaps/line%203.svg)\n"));
}

TEST(ComparisonMarkdown, GivesTheSignatureOnceWhereModelsWereScoredAlike) {
  Comparison comparison = TwoModels();
  EXPECT_EQ(CountOf(ComparisonMarkdown(comparison), "tok:13a"), 1u);
  comparison.models[1].bleu_signature = "nrefs:1|tok:zh";
  const std::string report = ComparisonMarkdown(comparison);
  EXPECT_THAT(report, HasSubstr("Signatures of GRU: BLEU nrefs:1\\|case:mixed"));
  EXPECT_THAT(report, HasSubstr("Signatures of Transformer: BLEU nrefs:1\\|tok:zh"));
  EXPECT_THAT(report, HasSubstr("BLEU signatures differ"));
}

TEST(ComparisonMarkdown, ShowsHostileTextLiterally) {
  Comparison comparison = TwoModels();
  comparison.samples[0].source =
      "<script>x</script> a | b `c` ![i](http://x) *d* _e_ &lt;\n# f \xff";
  comparison.samples[0].heatmap_png = "a) ![](x\n<b>.png";
  const std::string report = ComparisonMarkdown(comparison);
  EXPECT_THAT(
      report,
      HasSubstr("| source | &lt;script&gt;x&lt;/script&gt; a \\| b \\`c\\` !\\[i\\](http://x) "
                "\\*d\\* \\_e\\_ &amp;lt; \\# f � |\n"));
  EXPECT_THAT(report, HasSubstr("](a%29%20%21%5B%5D%28x%0A%3Cb%3E.png)\n"));
  for (const std::string& text : HostileLabels()) {
    comparison.title = comparison.models[0].name = comparison.samples[0].source = text;
    EXPECT_THAT(ComparisonMarkdown(comparison), Not(HasSubstr("<")));
  }
}

TEST(ComparisonFindings, SaysWhichModelIsBetterWithoutClaimingSignificance) {
  EXPECT_THAT(ComparisonFindings(TwoModels()),
              testing::ElementsAre(
                  "BLEU: GRU is higher (34.20 against 33.11).",
                  "chrF: Transformer is higher (56.50 against 55.12).",
                  "AER (lower is better): GRU is lower (21.3 % against 35.0 %).",
                  "Translation: GRU is faster (2.0 s against 3.0 s).",
                  "These are differences between single runs; none was tested for significance."));
}

TEST(ComparisonFindings, CallsValuesEqualThatPrintAlike) {
  Comparison comparison = TwoModels();
  comparison.models[1].bleu = 34.2004;
  EXPECT_EQ(ComparisonFindings(comparison)[0], "BLEU: both models are equal (34.20).");
  comparison.models.push_back(comparison.models[0]);
  comparison.models[2].bleu = 12;
  EXPECT_EQ(ComparisonFindings(comparison)[0], "BLEU: the best models are equal (34.20).");
}

TEST(ComparisonFindings, LeavesOutMeasuresThatOnlyOneModelHas) {
  Comparison comparison = TwoModels();
  comparison.models[0].bleu = kNan;
  comparison.models[1].aer = std::nullopt;
  for (const std::string& finding : ComparisonFindings(comparison)) {
    EXPECT_THAT(finding, Not(HasSubstr("BLEU")));
    EXPECT_THAT(finding, Not(HasSubstr("AER")));
  }
}

TEST(ComparisonTable, AlignsColumnsByWhatTheTerminalShows) {
  Comparison comparison = TwoModels();
  comparison.models[0].name = "模型";
  comparison.models[1].chrf = kNan;
  comparison.models[0].alignment_choice = comparison.models[1].alignment_choice = "";
  const std::string table = ComparisonTable(comparison);
  EXPECT_THAT(table, testing::StartsWith("                           模型  Transformer\n"
                                         "Architecture                gru  transformer\n"
                                         "Attention              additive   scaled_dot\n"
                                         "BLEU                      34.20        33.11\n"
                                         "chrF                      55.12            –\n"
                                         "AER                      21.3 %       35.0 %\n"));
}

TEST(ComparisonTable, HasARowForEachOfManyModels) {
  Comparison comparison = TwoModels();
  for (int i = 0; i < 3; ++i) comparison.models.push_back(comparison.models[1]);
  const std::string table = ComparisonTable(comparison);
  EXPECT_THAT(table, testing::StartsWith("              BLEU   chrF"));
  EXPECT_THAT(table, HasSubstr("\nGRU          34.20  55.12"));
  EXPECT_THAT(table, Not(HasSubstr("Alignment from")));
}

TEST(ComparisonTable, LeavesOutRowsWithoutAnyValue) {
  Comparison comparison = TwoModels();
  for (ModelResult& model : comparison.models) model.aer.reset();
  EXPECT_THAT(ComparisonTable(comparison), Not(HasSubstr("AER")));
}

TEST(Comparison, OfNoModelsAndOfOneModelIsWritten) {
  EXPECT_TRUE(Json::accept(ComparisonJson({})));
  EXPECT_THAT(ComparisonMarkdown({}), HasSubstr("#"));
  ComparisonTable({});
  Comparison comparison = TwoModels();
  comparison.models.pop_back();
  EXPECT_TRUE(ComparisonFindings(comparison).empty());
  EXPECT_THAT(ComparisonMarkdown(comparison), HasSubstr("| BLEU | 34.20 |\n"));
}

TEST(ComparisonFindings, SaysWhatTheTestsFound) {
  Comparison comparison = TwoModels();
  comparison.models[0].group = "GRUs";
  comparison.models[1].group = "transformers";
  comparison.tests = {{.model = 1,
                       .baseline = 0,
                       .metric = "BLEU",
                       .test = "approximate randomization",
                       .difference = -1.09,
                       .p_value = 0.0312},
                      {.model = 1,
                       .baseline = 0,
                       .metric = "BLEU",
                       .test = "permutation of seeds",
                       .over = "seeds",
                       .difference = 0.5,
                       .p_value = 0.1,
                       .samples = 20}};
  const std::vector<std::string> findings = ComparisonFindings(comparison);
  EXPECT_THAT(findings,
              testing::IsSupersetOf(
                  {"BLEU, Transformer - GRU: -1.09, p = 0.0312 (approximate randomization), "
                   "more than chance (p < 0.05).",
                   "BLEU, seeds of transformers - seeds of GRUs: +0.50, p = 0.1000 "
                   "(permutation of seeds), too few seeds to tell."}));
  EXPECT_THAT(findings, testing::Each(Not(HasSubstr("none was tested"))));
}

TEST(ComparisonMarkdown, HasMeanAndDeviationOfRunsThatDifferInTheSeed) {
  Comparison comparison = TwoModels();
  EXPECT_THAT(ComparisonMarkdown(comparison), Not(HasSubstr("over seeds")));
  comparison.models[0].group = comparison.models[1].group = "both";
  comparison.models[0].ter = 50;
  // By hand: (34.2 + 33.11) / 2 and 1.09 / sqrt(2); AER (21.3 + 35) / 2 and 13.7 / sqrt(2) %.
  EXPECT_THAT(ComparisonMarkdown(comparison),
              HasSubstr("| both | 2 | 33.66 ± 0.77 | 55.81 ± 0.97 | 50.00 | 28.15 ± 9.69 |"));
}

}  // namespace
}  // namespace nmt
