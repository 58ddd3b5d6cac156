// 33 systems of a shared task, to the digits that sacreBLEU printed for them, and its tests of some
// of them within what other random samples change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/significance.h"
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

std::vector<BleuStatistics> GermanSentences(const std::string& name) {
  const std::filesystem::path data = SharedData();
  return *CountBleuPerSentence(
      *ReadLines(data / "metrics" / "mmt18" / "mmt18_submissions" / name),
      *ReadLines(data / "multi30k" / "tok" / "test_2018_flickr.lc.norm.tok.de"),
      {.tokenizer = BleuTokenizer::kNone});
}

double Score(const BleuStatistics& statistics) { return ComputeBleu(statistics).score; }

// Both p-values are shares of R samples: each varies by sqrt(p (1 - p) / R), their difference by
// sqrt(2) times that.
void ExpectEqualPValues(double p, double expected, double samples) {
  const double share = std::max(expected, 1 / samples);
  EXPECT_NEAR(p, expected, 4 * std::sqrt(2 * share * (1 - share) / samples));
}

TEST(RealOutputs, TestsAndIntervalsAgreeWithSacreBleuWithinTheirOwnError) {
  const std::filesystem::path golden = SharedData() / "metrics" / "golden_sig18.tsv";
  if (!std::filesystem::exists(golden)) {
    GTEST_SKIP() << "no " << golden << ": set NMT_SHARED_DATA to the folder that holds metrics/";
  }
  const std::vector<std::string> rows = *ReadLines(golden);
  EXPECT_EQ(rows.size(), 14u);
  std::vector<BleuStatistics> baseline;
  for (const std::string& row : rows) {
    // test, samples, name, BLEU none, p-value, and of the bootstrap: mean, half width. The first system
    // of a test is the baseline.
    const std::vector<std::string> expected = Fields(row);
    ASSERT_EQ(expected.size(), 7u) << row;
    SCOPED_TRACE(row);
    const bool is_bootstrap = expected[0] == "bs";
    const int64_t samples = std::stoll(expected[1]);
    const std::vector<BleuStatistics> system = GermanSentences(expected[2]);
    EXPECT_NEAR(Score(Sum(system)), std::stod(expected[3]), 1e-9);
    if (is_bootstrap) {
      const ScoreInterval interval =
          EstimateInterval(BootstrapScores(system, Score, {.resamples = samples}));
      // A score of a sample varies by half_width / 1.96: the mean of the samples less by sqrt(R). The
      // half width of 1,000 samples varies by 3%.
      const double half_width = std::stod(expected[6]);
      EXPECT_NEAR(interval.mean, std::stod(expected[5]),
                  4 * std::sqrt(2. / samples) * half_width / 1.96);
      EXPECT_NEAR(interval.half_width, half_width, 4 * std::sqrt(2.) * 0.03 * half_width);
    }
    if (expected[4] == "None") {
      baseline = system;
      continue;
    }
    const PairedTest test =
        is_bootstrap ? PairedBootstrap(system, baseline, Score, {.resamples = samples})
                     : ApproximateRandomization(system, baseline, Score, {.trials = samples});
    ExpectEqualPValues(test.p_value, std::stod(expected[4]), static_cast<double>(samples));
  }
}

}  // namespace
}  // namespace nmt
