// 33 systems of a shared task, to the digits that sacreBLEU printed for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/ter.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

std::filesystem::path SharedData() {
  if (const char* folder = std::getenv("NMT_SHARED_DATA")) return folder;
  return std::filesystem::path(NMT_SOURCE_DIR) / ".." / "shared" / "data";
}

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

// As Python prints a list of integers.
std::string Listed(const std::array<int64_t, kBleuOrders>& values) {
  return fmt::format("[{}, {}, {}, {}]", values[0], values[1], values[2], values[3]);
}

TEST(RealOutputs, AllSystemsScoreAsSacreBleuPrintsThem) {
  const std::filesystem::path golden = SharedData() / "metrics" / "golden_mmt18.tsv";
  if (!std::filesystem::exists(golden)) {
    GTEST_SKIP() << "no " << golden << ": set NMT_SHARED_DATA to the folder that holds metrics/";
  }
  const std::vector<std::string> rows = *ReadLines(golden);
  EXPECT_EQ(rows.size(), 33u);
  for (const std::string& row : rows) {
    // name, BLEU none, BLEU 13a, chrF2, chrF2++, TER, then of BLEU none: matches, totals, brevity
    // penalty, lengths.
    const std::vector<std::string> expected = Fields(row);
    ASSERT_EQ(expected.size(), 11u) << row;
    const std::string& name = expected[0];
    SCOPED_TRACE(name);
    const bool is_german = name.find("_DE_") != std::string::npos;
    const auto hypotheses =
        ReadLines(SharedData() / "metrics" / "mmt18" / "mmt18_submissions" / name);
    const auto references = ReadLines(
        SharedData() / "multi30k" / "tok" /
        (is_german ? "test_2018_flickr.lc.norm.tok.de" : "test_2018_flickr.lc.norm.tok.fr"));
    ASSERT_TRUE(hypotheses.ok()) << hypotheses.status();
    ASSERT_TRUE(references.ok()) << references.status();

    const auto none = CorpusBleu(*hypotheses, *references, {.tokenizer = BleuTokenizer::kNone});
    const auto by_13a = CorpusBleu(*hypotheses, *references);
    const auto chrf = CorpusChrf(*hypotheses, *references);
    const auto chrf_words = CorpusChrf(*hypotheses, *references, {.word_ngrams = true});
    const auto ter = CorpusTer(*hypotheses, *references);
    ASSERT_TRUE(none.ok()) << none.status();
    EXPECT_EQ(fmt::format("{:.4f}", none->score), expected[1]);
    EXPECT_EQ(fmt::format("{:.4f}", by_13a->score), expected[2]);
    EXPECT_EQ(fmt::format("{:.4f}", chrf->score), expected[3]);
    EXPECT_EQ(fmt::format("{:.4f}", chrf_words->score), expected[4]);
    EXPECT_EQ(fmt::format("{:.4f}", ter->score), expected[5]);
    EXPECT_EQ(Listed(none->statistics.matches), expected[6]);
    EXPECT_EQ(Listed(none->statistics.totals), expected[7]);
    EXPECT_EQ(fmt::format("{:.6f}", none->brevity_penalty), expected[8]);
    EXPECT_EQ(std::to_string(none->statistics.hypothesis_length), expected[9]);
    EXPECT_EQ(std::to_string(none->statistics.reference_length), expected[10]);
  }
}

}  // namespace
}  // namespace nmt
