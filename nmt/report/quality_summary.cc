#include "nmt/report/quality_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/ter.h"
#include "nmt/metrics/tokenize.h"
#include "nmt/report/seed_groups.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

double BleuOf(const BleuStatistics& sum) { return ComputeBleu(sum).score; }
double ChrfOf(const ChrfStatistics& sum) { return ComputeChrf(sum).score; }
double TerOf(const TerStatistics& sum) { return ComputeTer(sum).score; }

// Short sentences have no n-grams of the higher orders.
double SentenceBleu(const BleuStatistics& statistics) {
  return ComputeBleu(statistics, {.effective_order = true}).score;
}

// The score, interval and test of one metric. `count` makes a pair's statistics, `score` and
// `sentence_score` numbers of them.
template <typename Count, typename Score, typename SentenceScore, typename Store>
void SummarizeMetric(Comparison& comparison, const QualityOptions& options,
                     const std::string& metric, const Count& count, const Score& score,
                     const SentenceScore& sentence_score,
                     std::vector<std::optional<double>> SentenceRecord::*of_sentence,
                     const Store& store) {
  using Statistics = decltype(count("", ""));
  std::vector<std::vector<Statistics>> statistics(comparison.models.size());
  for (size_t m = 0; m < statistics.size(); ++m) {
    for (SentenceRecord& sentence : comparison.sentences) {
      statistics[m].push_back(count(sentence.translations[m], sentence.reference));
      (sentence.*of_sentence).push_back(sentence_score(statistics[m].back()));
    }
    store(comparison.models[m], score(Sum(statistics[m])),
          EstimateInterval(BootstrapScores(statistics[m], score, options.bootstrap)));
  }
  for (const auto& [model, baseline] : *options.pairs) {
    const PairedTest test = ApproximateRandomization(statistics[static_cast<size_t>(model)],
                                                     statistics[static_cast<size_t>(baseline)],
                                                     score, options.randomization);
    comparison.tests.push_back({.model = model,
                                .baseline = baseline,
                                .metric = metric,
                                .test = "approximate randomization",
                                .difference = test.difference,
                                .p_value = test.p_value,
                                .samples = static_cast<int64_t>(test.differences.size()),
                                .differences = HistogramOf(test.differences)});
  }
}

// "6 to 10", "21 and more", "3"
std::string RangeName(const std::vector<int64_t>& bounds, size_t i) {
  if (i + 1 == bounds.size()) return fmt::format("{} and more", bounds[i]);
  const int64_t last = bounds[i + 1] - 1;
  return last == bounds[i] ? fmt::format("{}", last) : fmt::format("{} to {}", bounds[i], last);
}

// Which part a value belongs to; nothing below the first bound.
std::optional<size_t> PartOf(const std::vector<int64_t>& bounds, int64_t value) {
  const auto above = std::upper_bound(bounds.begin(), bounds.end(), value);
  if (above == bounds.begin()) return std::nullopt;
  return static_cast<size_t>(above - bounds.begin()) - 1;
}

BleuOptions BleuOptionsOf(const Comparison& comparison) {
  std::vector<std::string> references;
  for (const SentenceRecord& sentence : comparison.sentences)
    references.push_back(sentence.reference);
  return OptionsFor(references);
}

}  // namespace

absl::Status SummarizeQuality(Comparison& comparison, const QualityOptions& given) {
  for (const SentenceRecord& sentence : comparison.sentences) {
    if (sentence.translations.size() == comparison.models.size()) continue;
    return DataError(fmt::format("line {} has {} translations; expected {}, one a model",
                                 sentence.line, sentence.translations.size(),
                                 comparison.models.size()));
  }
  QualityOptions options = given;
  if (!options.pairs) {
    options.pairs.emplace();
    for (size_t m = 1; m < comparison.models.size(); ++m)
      options.pairs->emplace_back(static_cast<int64_t>(m), 0);
  }
  const BleuOptions bleu_options = BleuOptionsOf(comparison);
  const auto bleu = [&](const std::string& h, const std::string& r) {
    return CountBleu(h, r, bleu_options);
  };
  const auto chrf = [](const std::string& h, const std::string& r) { return CountChrf(h, r); };
  const auto ter = [](const std::string& h, const std::string& r) { return CountTer(h, r); };
  SummarizeMetric(comparison, options, "BLEU", bleu, BleuOf, SentenceBleu, &SentenceRecord::bleu,
                  [&](ModelResult& model, double score, const ScoreInterval& interval) {
                    model.bleu = score;
                    model.bleu_interval = interval;
                    model.bleu_signature = BleuSignature(bleu_options);
                  });
  SummarizeMetric(comparison, options, "chrF", chrf, ChrfOf, ChrfOf, &SentenceRecord::chrf,
                  [](ModelResult& model, double score, const ScoreInterval& interval) {
                    model.chrf = score;
                    model.chrf_interval = interval;
                    model.chrf_signature = ChrfSignature({});
                  });
  SummarizeMetric(comparison, options, "TER", ter, TerOf, TerOf, &SentenceRecord::ter,
                  [](ModelResult& model, double score, const ScoreInterval& interval) {
                    model.ter = score;
                    model.ter_interval = interval;
                    model.ter_signature = TerSignature({});
                  });
  return absl::OkStatus();
}

void TestAcrossSeeds(Comparison& comparison) {
  const std::vector<ModelResult>& models = comparison.models;
  const std::vector<SeedGroup> groups = SeedGroups(comparison);
  const auto test_measure = [&](const std::string& metric, const auto& value) {
    const auto values = [&](const SeedGroup& group) {
      std::vector<double> found;
      for (const size_t m : group.models) {
        if (const std::optional<double> one = value(m)) found.push_back(*one);
      }
      return found;
    };
    for (size_t g = 1; g < groups.size(); ++g) {
      const auto system = values(groups[g]), baseline = values(groups[0]);
      if (system.empty() || baseline.empty() || system.size() + baseline.size() < 3) continue;
      const PairedTest test = SeedPermutation(system, baseline);
      comparison.tests.push_back({.model = static_cast<int64_t>(groups[g].models[0]),
                                  .baseline = static_cast<int64_t>(groups[0].models[0]),
                                  .metric = metric,
                                  .test = "permutation of seeds",
                                  .over = "seeds",
                                  .difference = test.difference,
                                  .p_value = test.p_value,
                                  .samples = static_cast<int64_t>(test.differences.size()),
                                  .differences = HistogramOf(test.differences)});
    }
  };
  test_measure("BLEU", [&](size_t m) { return std::optional(models[m].bleu); });
  test_measure("chrF", [&](size_t m) { return std::optional(models[m].chrf); });
  test_measure("TER", [&](size_t m) { return models[m].ter; });
  test_measure("AER %", [&](size_t m) {
    return models[m].aer ? std::optional(100 * *models[m].aer) : std::nullopt;
  });
  for (const PartResult& part : comparison.parts) {
    test_measure("BLEU, " + part.part, [&](size_t m) {
      return m < part.bleu.size() ? std::optional(part.bleu[m]) : std::nullopt;
    });
  }
}

Breakdown BreakdownByLength(const Comparison& comparison, const std::vector<int64_t>& bounds) {
  Breakdown breakdown{.by = "source length", .note = "words of the source line, cut at blanks"};
  const BleuOptions bleu_options = BleuOptionsOf(comparison);
  std::vector<std::vector<const SentenceRecord*>> members(bounds.size());
  for (const SentenceRecord& sentence : comparison.sentences) {
    const auto words = static_cast<int64_t>(WordSpans(sentence.source).size());
    if (const std::optional<size_t> part = PartOf(bounds, words))
      members[*part].push_back(&sentence);
  }
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (members[i].empty()) continue;
    PartResult part{.part = RangeName(bounds, i),
                    .sentences = static_cast<int64_t>(members[i].size())};
    for (size_t m = 0; m < comparison.models.size(); ++m) {
      BleuStatistics bleu;
      ChrfStatistics chrf;
      TerStatistics ter;
      for (const SentenceRecord* sentence : members[i]) {
        bleu += CountBleu(sentence->translations[m], sentence->reference, bleu_options);
        chrf += CountChrf(sentence->translations[m], sentence->reference);
        ter += CountTer(sentence->translations[m], sentence->reference);
      }
      part.bleu.push_back(BleuOf(bleu));
      part.chrf.push_back(ChrfOf(chrf));
      part.ter.push_back(TerOf(ter));
    }
    breakdown.parts.push_back(std::move(part));
  }
  return breakdown;
}

void CountWords(const std::string& line, WordCounts& counts) {
  const std::string tokens(Tokenize(line, BleuTokenizer::k13a).text());
  for (const WordSpan& word : WordSpans(tokens)) {
    ++counts[tokens.substr(word.begin, word.end - word.begin)];
  }
}

Breakdown BreakdownByFrequency(const Comparison& comparison, const WordCounts& training,
                               const std::vector<int64_t>& bounds) {
  Breakdown breakdown{
      .by = "word frequency",
      .note = "how often the word stands in the training text; BLEU's 13a cuts words"};
  struct Counts {
    int64_t matches = 0, translation = 0, reference = 0;
  };
  const size_t models = comparison.models.size();
  std::vector<std::vector<Counts>> counts(bounds.size(), std::vector<Counts>(models));
  const auto part_of = [&](const std::string& word) {
    const auto found = training.find(word);
    return PartOf(bounds, found == training.end() ? 0 : found->second);
  };
  for (const SentenceRecord& sentence : comparison.sentences) {
    WordCounts reference;
    CountWords(sentence.reference, reference);
    for (size_t m = 0; m < models; ++m) {
      WordCounts translation;
      CountWords(sentence.translations[m], translation);
      for (const auto& [word, count] : reference) {
        const std::optional<size_t> part = part_of(word);
        if (!part) continue;
        const auto found = translation.find(word);
        counts[*part][m].reference += count;
        if (found != translation.end()) counts[*part][m].matches += std::min(count, found->second);
      }
      for (const auto& [word, count] : translation) {
        if (const std::optional<size_t> part = part_of(word)) {
          counts[*part][m].translation += count;
        }
      }
    }
  }
  for (size_t i = 0; i < bounds.size(); ++i) {
    PartResult part{.part = RangeName(bounds, i),
                    .words = models == 0 ? 0 : counts[i][0].reference};
    if (part.words == 0) continue;
    for (const Counts& of_model : counts[i]) {
      // 2 P R / (P + R), without a division by zero.
      part.word_f.push_back(2.0 * static_cast<double>(of_model.matches) /
                            static_cast<double>(of_model.translation + of_model.reference));
    }
    breakdown.parts.push_back(std::move(part));
  }
  return breakdown;
}

}  // namespace nmt
