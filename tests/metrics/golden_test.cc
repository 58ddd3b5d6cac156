// Every figure of tests/golden/metrics.json, which sacreBLEU wrote (make_metrics_golden.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/ter.h"

namespace nmt {
namespace {

constexpr double kTolerance = 1e-9;

nlohmann::json Golden() {
  std::ifstream file(NMT_SOURCE_DIR "/tests/golden/metrics.json");
  return nlohmann::json::parse(file);
}

struct Corpus {
  std::vector<std::string> hypotheses, references;
};

Corpus GoldenCorpus(const nlohmann::json& golden) {
  Corpus corpus;
  for (const auto& pair : golden["pairs"]) {
    corpus.hypotheses.push_back(pair["hypothesis"]);
    corpus.references.push_back(pair["reference"]);
  }
  return corpus;
}

// sacreBLEU's text with our name for the version.
std::string WithOurVersion(std::string text, const std::string& our_signature) {
  const std::string theirs = "version:2.6.0";
  const std::string ours = our_signature.substr(our_signature.find("version:"));
  return text.replace(text.find(theirs), theirs.size(), ours);
}

TEST(Golden, EveryTokenizerCutsAsSacreBleu) {
  const nlohmann::json golden = Golden();
  ASSERT_GT(golden["pairs"].size(), 40u);
  for (const auto& pair : golden["pairs"]) {
    const std::string hypothesis = pair["hypothesis"];
    for (const std::string name : {"13a", "none", "intl", "char", "zh"}) {
      const UnitSequence words = Tokenize(hypothesis, *ParseTokenizer(name));
      EXPECT_EQ(words.text(), pair["words_" + name].get<std::string>())
          << name << " on: " << hypothesis;
    }
  }
}

TEST(Golden, SentenceScoresEqualSacreBleu) {
  const nlohmann::json golden = Golden();
  ASSERT_GT(golden["pairs"].size(), 40u);
  for (const auto& pair : golden["pairs"]) {
    const std::string hypothesis = pair["hypothesis"];
    const std::string reference = pair["reference"];
    const BleuOptions bleu{.effective_order = true};
    EXPECT_NEAR(ComputeBleu(CountBleu(hypothesis, reference, bleu), bleu).score, pair["bleu"],
                kTolerance)
        << hypothesis;
    for (const std::string method : {"floor", "add-k", "none"}) {
      const BleuOptions smoothed{.effective_order = true, .smoothing = *ParseSmoothing(method)};
      EXPECT_NEAR(ComputeBleu(CountBleu(hypothesis, reference), smoothed).score,
                  pair["bleu_" + method], kTolerance)
          << method << " on: " << hypothesis;
    }
    EXPECT_NEAR(ComputeChrf(CountChrf(hypothesis, reference)).score, pair["chrf"], kTolerance)
        << hypothesis;
    EXPECT_NEAR(ComputeChrf(CountChrf(hypothesis, reference, {.word_ngrams = true})).score,
                pair["chrf_words"], kTolerance)
        << hypothesis;
    const TerScore ter = ComputeTer(CountTer(hypothesis, reference));
    EXPECT_EQ(ter.statistics.edits, pair["ter_edits"]) << hypothesis;
    EXPECT_NEAR(ter.score, pair["ter"], kTolerance) << hypothesis;
  }
}

TEST(Golden, CorpusBleuEqualsSacreBleu) {
  const nlohmann::json golden = Golden();
  const Corpus corpus = GoldenCorpus(golden);
  for (const auto& expected : golden["bleu"]) {
    const BleuOptions options{
        .tokenizer = *ParseTokenizer(expected["tokenizer"].get<std::string>()),
        .lowercase = expected["lowercase"]};
    SCOPED_TRACE(expected["signature"].get<std::string>());
    const auto bleu = CorpusBleu(corpus.hypotheses, corpus.references, options);
    ASSERT_TRUE(bleu.ok());
    EXPECT_NEAR(bleu->score, expected["score"], kTolerance);
    EXPECT_NEAR(bleu->brevity_penalty, expected["brevity_penalty"], kTolerance);
    for (size_t n = 0; n < kBleuOrders; ++n) {
      EXPECT_NEAR(bleu->precisions[n], expected["precisions"][n], kTolerance);
      EXPECT_EQ(bleu->statistics.matches[n], expected["matches"][n]);
      EXPECT_EQ(bleu->statistics.totals[n], expected["totals"][n]);
    }
    EXPECT_EQ(bleu->statistics.hypothesis_length, expected["hypothesis_length"]);
    EXPECT_EQ(bleu->statistics.reference_length, expected["reference_length"]);
    EXPECT_EQ(BleuSignature(options),
              WithOurVersion(expected["signature"], BleuSignature(options)));
    EXPECT_EQ(FormatBleu(*bleu, options), WithOurVersion(expected["line"], BleuSignature(options)));
  }
}

TEST(Golden, EverySmoothingEqualsSacreBleu) {
  const nlohmann::json golden = Golden();
  ASSERT_EQ(golden["smoothed"].size(), 6u);
  for (const auto& expected : golden["smoothed"]) {
    BleuOptions options{.smoothing = *ParseSmoothing(expected["method"].get<std::string>())};
    if (!expected["value"].is_null()) options.smoothing_value = expected["value"].get<double>();
    SCOPED_TRACE(BleuSignature(options));
    const auto bleu = CorpusBleu({golden["few_matches"][0]}, {golden["few_matches"][1]}, options);
    ASSERT_TRUE(bleu.ok());
    EXPECT_NEAR(bleu->score, expected["score"], kTolerance);
    for (size_t n = 0; n < kBleuOrders; ++n) {
      EXPECT_NEAR(bleu->precisions[n], expected["precisions"][n], kTolerance);
    }
    EXPECT_EQ(FormatBleu(*bleu, options), WithOurVersion(expected["line"], BleuSignature(options)));
  }
}

TEST(Golden, CorpusChrfEqualsSacreBleu) {
  const nlohmann::json golden = Golden();
  const Corpus corpus = GoldenCorpus(golden);
  for (const auto& expected : golden["chrf"]) {
    const ChrfOptions options{.lowercase = expected["lowercase"],
                              .word_ngrams = expected["word_ngrams"]};
    SCOPED_TRACE(expected["signature"].get<std::string>());
    const auto chrf = CorpusChrf(corpus.hypotheses, corpus.references, options);
    ASSERT_TRUE(chrf.ok());
    EXPECT_NEAR(chrf->score, expected["score"], kTolerance);
    EXPECT_EQ(ChrfSignature(options),
              WithOurVersion(expected["signature"], ChrfSignature(options)));
    EXPECT_EQ(FormatChrf(*chrf, options), WithOurVersion(expected["line"], ChrfSignature(options)));
  }
}

TEST(Golden, CorpusTerEqualsSacreBleu) {
  const nlohmann::json golden = Golden();
  const Corpus corpus = GoldenCorpus(golden);
  for (const auto& expected : golden["ter"]) {
    const TerOptions options{.case_sensitive = !expected["lowercase"]};
    SCOPED_TRACE(expected["signature"].get<std::string>());
    const auto ter = CorpusTer(corpus.hypotheses, corpus.references, options);
    ASSERT_TRUE(ter.ok());
    EXPECT_NEAR(ter->score, expected["score"], kTolerance);
    EXPECT_EQ(ter->statistics.edits, expected["edits"]);
    EXPECT_EQ(ter->statistics.reference_length, expected["reference_length"]);
    EXPECT_EQ(TerSignature(options), WithOurVersion(expected["signature"], TerSignature(options)));
    EXPECT_EQ(FormatTer(*ter, options), WithOurVersion(expected["line"], TerSignature(options)));
  }
}

}  // namespace
}  // namespace nmt
