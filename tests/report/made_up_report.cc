#include "tests/report/made_up_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nmt/alignment/aer.h"
#include "nmt/alignment/soft_measures.h"
#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/significance.h"
#include "nmt/metrics/ter.h"
#include "nmt/text/lines.h"
#include "tests/report/made_up_sentences.h"

namespace nmt {
namespace {

double Uniform(SplitMix64& random) {
  return static_cast<double>(random.Below(1 << 20)) / (1 << 20);
}

std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words;
  for (const WordSpan& span : WordSpans(line)) {
    words.push_back(line.substr(span.begin, span.end - span.begin));
  }
  return words;
}

// A text and the source word that each of its words comes from; -1: none.
struct LinkedText {
  std::vector<std::string> words;
  std::vector<int64_t> sources;

  std::string Text() const {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }
};

LinkedText ReferenceOf(const MadeUpPair& pair) {
  LinkedText text{Words(pair.reference), {}};
  text.sources.assign(text.words.size(), -1);
  for (const Link& link : pair.gold) {
    int64_t& source = text.sources[static_cast<size_t>(link.target)];
    if (source < 0 || !link.possible) source = link.source;
  }
  return text;
}

// The reference with mistakes: words left out, said twice, changed places.
LinkedText Translate(const LinkedText& reference, double mistakes, SplitMix64& random) {
  LinkedText text;
  for (size_t t = 0; t < reference.words.size(); ++t) {
    const double luck = Uniform(random);
    if (luck < 0.4 * mistakes) continue;
    const bool wrong = luck > 1 - 0.4 * mistakes && t > 0;
    text.words.push_back(wrong ? reference.words[t - 1] : reference.words[t]);
    text.sources.push_back(reference.sources[t]);
    const size_t n = text.words.size();
    if (n > 1 && luck > 0.5 && luck < 0.5 + 0.2 * mistakes) {
      std::swap(text.words[n - 1], text.words[n - 2]);
      std::swap(text.sources[n - 1], text.sources[n - 2]);
    }
  }
  return text;
}

// Rows around the source of each word, flatter the higher `flatness`; `lag` looks at the word before.
SoftMatrix Attend(const LinkedText& target, int64_t source_words, double flatness, int64_t lag,
                  SplitMix64& random) {
  const auto T = static_cast<int64_t>(target.words.size());
  SoftMatrix weights_TS(T, source_words + 1);
  for (int64_t t = 0; t < T; ++t) {
    const int64_t from = std::max<int64_t>(0, t - lag);
    const int64_t linked = target.sources[static_cast<size_t>(from)];
    const int64_t center = linked < 0 ? source_words : linked;
    double sum = 0;
    for (int64_t s = 0; s <= source_words; ++s) {
      const auto distance = static_cast<double>(std::abs(s - center));
      const double score = -distance / flatness + 3 * Uniform(random);
      weights_TS(t, s) = static_cast<float>(std::exp(score));
      sum += std::exp(score);
    }
    for (int64_t s = 0; s <= source_words; ++s) weights_TS(t, s) /= static_cast<float>(sum);
  }
  return weights_TS;
}

Links LargestLinks(const SoftMatrix& weights_TS) {
  Links links;
  for (int64_t t = 0; t < weights_TS.rows(); ++t) {
    const auto row = weights_TS.Row(t).first(static_cast<size_t>(weights_TS.columns() - 1));
    if (row.empty()) continue;
    links.push_back({std::max_element(row.begin(), row.end()) - row.begin(), t, false});
  }
  return SortedLinks(links);
}

struct ModelKind {
  const char* name;
  const char* architecture;
  const char* attention;
  int64_t layers, heads;
  double mistakes, flatness;
};
constexpr ModelKind kKinds[] = {
    {"GRU, additive", "gru", "additive", 1, 0, 0.30, 0.55},
    {"Transformer", "transformer", "scaled_dot", 3, 4, 0.24, 0.8},
    {"GRU, dot product", "gru", "dot", 1, 0, 0.34, 0.7},
    {"GRU, cosine", "gru", "cosine", 1, 0, 0.36, 1.2},
    {"Transformer, additive", "transformer", "additive", 3, 4, 0.27, 0.6},
    {"Transformer, seed 2", "transformer", "scaled_dot", 3, 4, 0.25, 0.85},
};

std::vector<ReportChoice> ChoicesOf(const ModelKind& kind) {
  std::vector<ReportChoice> choices;
  for (int64_t layer = kind.layers; layer > 0; --layer) {
    for (int64_t head = 0; head <= kind.heads; ++head) choices.push_back({layer, head, 0, false});
  }
  choices.push_back({kind.layers, 0, 1, false});
  return choices;
}

ModelResult DescribeModel(const ModelKind& kind, int64_t m, bool gold) {
  ModelResult model{
      .name = kind.name,
      .run = "runs/made-up/" + std::to_string(m),
      .architecture = kind.architecture,
      .attention = kind.attention,
      .group = kind.name == kKinds[5].name ? kKinds[1].name : kind.name,
      .seed = m == 5 ? 2 : 1,
      .alignment_choice = "layer " + std::to_string(kind.layers) + ", mean, shift 0, argmax",
      .parameters = 4'100'000 + 650'000 * m,
      .training_seconds = 2400.0 - 310.0 * static_cast<double>(m),
      .training_updates = 8000,
      .decode_seconds = 3.1 + static_cast<double>(m),
      .decode_tokens_per_second = 5210.4 - 400.0 * static_cast<double>(m)};
  model.alignment.choices = ChoicesOf(kind);
  if (gold) {
    AerGrid grid{.conventions = "shift 0, argmax, </s> masked, reference forced",
                 .layers = kind.layers,
                 .heads = kind.heads};
    for (int64_t i = 0; i < grid.layers * (1 + grid.heads); ++i) {
      grid.aer.push_back(0.12 + 0.07 * static_cast<double>((i * 5 + m) % 11));
    }
    model.alignment.grids.push_back(std::move(grid));
  }
  model.alignment.end_mass = 0.021 + 0.01 * static_cast<double>(m);
  model.alignment.punctuation_mass = 0.06;
  model.cost = {.multiply_adds = 5.2e7 + 8e6 * static_cast<double>(m),
                .training_tokens_per_second = 21000.0 - 900.0 * static_cast<double>(m),
                .training_peak_bytes = 7.4e8,
                .decode_peak_bytes = 2.1e8};
  Curve bleu{.measure = "validation BLEU"}, loss{.measure = "validation loss"};
  for (int64_t i = 1; i <= 16; ++i) {
    const double progress = 1 - std::exp(-static_cast<double>(i) / (4.0 + static_cast<double>(m)));
    const double seconds = model.training_seconds * static_cast<double>(i) / 16;
    bleu.points.push_back({500 * i, seconds, 80 * progress * (1 - kind.mistakes)});
    loss.points.push_back({500 * i, seconds, 5 - 4 * progress * (1 - kind.mistakes)});
  }
  model.cost.curves = {bleu, loss};
  return model;
}

double BleuOf(const BleuStatistics& sum) { return ComputeBleu(sum).score; }
double ChrfOf(const ChrfStatistics& sum) { return ComputeChrf(sum).score; }
double TerOf(const TerStatistics& sum) { return ComputeTer(sum).score; }

// Every metric's statistics, a list a model.
struct AllStatistics {
  std::vector<std::vector<BleuStatistics>> bleu;
  std::vector<std::vector<ChrfStatistics>> chrf;
  std::vector<std::vector<TerStatistics>> ter;
};

void AddScores(Comparison& report, AllStatistics& all) {
  const size_t models = report.models.size();
  all.bleu.resize(models);
  all.chrf.resize(models);
  all.ter.resize(models);
  for (size_t m = 0; m < models; ++m) {
    for (SentenceRecord& record : report.sentences) {
      const std::string& translation = record.translations[m];
      all.bleu[m].push_back(CountBleu(translation, record.reference));
      all.chrf[m].push_back(CountChrf(translation, record.reference));
      all.ter[m].push_back(CountTer(translation, record.reference));
      record.bleu.push_back(ComputeBleu(all.bleu[m].back(), {.effective_order = true}).score);
      record.chrf.push_back(ChrfOf(all.chrf[m].back()));
      record.ter.push_back(TerOf(all.ter[m].back()));
    }
    ModelResult& model = report.models[m];
    model.bleu = BleuOf(Sum(all.bleu[m]));
    model.chrf = ChrfOf(Sum(all.chrf[m]));
    model.ter = TerOf(Sum(all.ter[m]));
    model.bleu_signature = BleuSignature({});
    model.chrf_signature = ChrfSignature({});
    model.ter_signature = TerSignature({});
    const BootstrapOptions few{.resamples = 300};
    model.bleu_interval = EstimateInterval(BootstrapScores(all.bleu[m], BleuOf, few));
    model.chrf_interval = EstimateInterval(BootstrapScores(all.chrf[m], ChrfOf, few));
    model.ter_interval = EstimateInterval(BootstrapScores(all.ter[m], TerOf, few));
  }
}

PairedResult Describe(const PairedTest& test, size_t m, const std::string& metric) {
  return {.model = static_cast<int64_t>(m),
          .baseline = 0,
          .metric = metric,
          .test = "approximate randomization",
          .difference = test.difference,
          .p_value = test.p_value,
          .samples = static_cast<int64_t>(test.differences.size()),
          .differences = HistogramOf(test.differences)};
}

void AddTests(Comparison& report, const AllStatistics& all) {
  const RandomizationOptions few{.trials = 1000};
  for (size_t m = 1; m < report.models.size(); ++m) {
    report.tests.push_back(
        Describe(ApproximateRandomization(all.bleu[m], all.bleu[0], BleuOf, few), m, "BLEU"));
    report.tests.push_back(
        Describe(ApproximateRandomization(all.chrf[m], all.chrf[0], ChrfOf, few), m, "chrF"));
    report.tests.push_back(
        Describe(ApproximateRandomization(all.ter[m], all.ter[0], TerOf, few), m, "TER"));
  }
}

// By length of the source, and made-up F-scores by frequency of words.
void AddBreakdowns(Comparison& report, const AllStatistics& all) {
  Breakdown length{.by = "source length", .note = "words of the source line, cut at blanks"};
  const std::pair<size_t, size_t> ranges[] = {{1, 6}, {7, 10}, {11, 15}, {16, 20}, {21, 99}};
  for (const auto& [low, high] : ranges) {
    PartResult part{.part = std::to_string(low) + " to " + std::to_string(high)};
    for (size_t m = 0; m < report.models.size(); ++m) {
      BleuStatistics bleu;
      ChrfStatistics chrf;
      part.sentences = 0;
      for (size_t i = 0; i < report.sentences.size(); ++i) {
        const size_t words = WordSpans(report.sentences[i].source).size();
        if (words < low || words > high) continue;
        bleu += all.bleu[m][i];
        chrf += all.chrf[m][i];
        ++part.sentences;
      }
      part.bleu.push_back(BleuOf(bleu));
      part.chrf.push_back(ChrfOf(chrf));
    }
    if (part.sentences > 0) length.parts.push_back(std::move(part));
  }
  report.breakdowns.push_back(std::move(length));
  Breakdown frequency{.by = "word frequency",
                      .note = "how often the reference word stands in the training text"};
  const char* names[] = {"0", "1 to 9", "10 to 99", "100 to 999", "1,000 and more"};
  for (int64_t k = 0; k < 5; ++k) {
    PartResult part{.part = names[k], .words = 40 + 90 * k};
    for (size_t m = 0; m < report.models.size(); ++m) {
      part.word_f.push_back(0.35 + 0.12 * static_cast<double>(k) - 0.02 * static_cast<double>(m));
    }
    frequency.parts.push_back(std::move(part));
  }
  report.breakdowns.push_back(std::move(frequency));
  for (const char* name : {"seen combinations", "unseen combinations"}) {
    PartResult part{.part = name, .sentences = 400};
    const double loss = name[0] == 'u' ? 18 : 0;
    for (const ModelResult& model : report.models) {
      part.bleu.push_back(model.bleu - loss);
      part.chrf.push_back(model.chrf - loss / 2);
      part.aer.push_back(model.aer);
    }
    report.parts.push_back(std::move(part));
  }
}

struct CorpusSums {
  std::vector<AerCounts> aer;
  std::vector<WordSum> gold_mass, entropy, coverage;
  std::vector<WordSum> divergence, agreement;  // a pair of models
};

// The record's attention under every choice, and what is measured of the first one.
void AddAttention(const MadeUpOptions& options, const MadeUpPair& pair,
                  const std::vector<LinkedText>& translations, SentenceRecord& record,
                  CorpusSums& sums, SplitMix64& random) {
  const auto source_words = static_cast<int64_t>(WordSpans(pair.source).size());
  const LinkedText reference = options.references ? ReferenceOf(pair) : LinkedText{};
  std::vector<SoftMatrix> first;  // of each model, forced through the reference
  for (int64_t m = 0; m < options.models; ++m) {
    const ModelKind& kind = kKinds[m % 6];
    const std::vector<ReportChoice> choices = ChoicesOf(kind);
    for (size_t c = 0; c < choices.size(); ++c) {
      const double flatness = kind.flatness * (1 + 0.25 * static_cast<double>(c % 5));
      for (const bool forced : {true, false}) {
        const LinkedText& target = forced ? reference : translations[static_cast<size_t>(m)];
        if (target.words.empty()) continue;
        const SoftMatrix weights_TS =
            Attend(target, source_words, flatness, choices[c].shift, random);
        record.attention.push_back(
            {.model = m,
             .target = forced ? AttentionTarget::kReference : AttentionTarget::kTranslation,
             .choice = static_cast<int64_t>(c),
             .weights = Quantize(weights_TS)});
        if (c > 0) continue;
        (forced ? record.reference_links : record.translation_links)
            .resize(static_cast<size_t>(m) + 1);
        (forced ? record.reference_links : record.translation_links).back() =
            LargestLinks(weights_TS);
        if (forced) first.push_back(weights_TS);
      }
    }
  }
  size_t pair_index = 0;
  for (size_t a = 0; a < first.size(); ++a) {
    const WordSum entropy = RowEntropy(first[a]), coverage = CoverageDeviation(first[a]);
    record.entropy.push_back(entropy.Mean());
    record.coverage.push_back(coverage.Mean());
    sums.entropy[a] += entropy;
    sums.coverage[a] += coverage;
    if (record.gold) {
      const AerCounts counts = CountAer(record.reference_links[a], *record.gold);
      record.aer.push_back(ComputeAer(counts).aer);
      sums.aer[a] += counts;
      sums.gold_mass[a] += GoldMass(first[a], *record.gold);
    }
    for (size_t b = a + 1; b < first.size(); ++b, ++pair_index) {
      const WordSum divergence = JensenShannon(first[a], first[b]);
      record.divergence.push_back(divergence.Mean());
      sums.divergence[pair_index] += divergence;
      sums.agreement[pair_index] +=
          LinkAgreement(record.reference_links[a], record.reference_links[b]);
    }
  }
}

void AddMeasures(Comparison& report, const CorpusSums& sums, bool gold) {
  size_t pair_index = 0;
  for (size_t a = 0; a < report.models.size(); ++a) {
    ModelResult& model = report.models[a];
    model.alignment.entropy = sums.entropy[a].Mean();
    model.alignment.coverage_deviation = sums.coverage[a].Mean();
    if (gold) {
      const AerScore score = ComputeAer(sums.aer[a]);
      model.aer = score.aer;
      model.aer_precision = score.precision;
      model.aer_recall = score.recall;
      model.alignment.gold_mass = sums.gold_mass[a].Mean();
    }
    for (size_t b = a + 1; b < report.models.size(); ++b, ++pair_index) {
      report.agreements.push_back({.model = static_cast<int64_t>(a),
                                   .other = static_cast<int64_t>(b),
                                   .link_agreement = sums.agreement[pair_index].Mean(),
                                   .divergence = sums.divergence[pair_index].Mean(),
                                   .rank_correlation = 0.71 - 0.02 * static_cast<double>(b)});
    }
  }
}

// Words of other kinds in the places of the first sentence and of every name.
void MakeHostile(Comparison& report) {
  report.title = "<script>document.title='x'</script> & \"title\"";
  report.source_file = "a & b <i>.en";
  report.models[0].name = "<b>GRU</b> & </script><script>window.broken = 1</script>";
  report.breakdowns[0].parts[0].part = "<img src=x onerror=\"window.broken = 2\">";
  report.models[0].alignment_choice = "</td><script>window.broken = 3</script>";
  SentenceRecord& record = report.sentences[0];
  const char* kWords[] = {"<script>window.broken=4</script>",
                          "&amp;",
                          "\"'`\\n\\u0041",
                          "</script><!--",
                          "]]>",
                          "a\xe2\x80\xa8"
                          "b"};  // U+2028 is white space
  record.source.clear();
  for (const char* word : kWords)
    record.source += (record.source.empty() ? "" : " ") + std::string(word);
  record.reference =
      "<b>bold</b> <img src=x onerror=alert(1)> \xe2\x80\xae"
      "olleh \xff end";
  record.gold = Links{};
  for (std::string& translation : record.translations) translation = "<i>so</i> &lt; </script>";
  record.reference_links.clear();
  record.translation_links.clear();
  record.attention.clear();
}

}  // namespace

Comparison MadeUpReport(const MadeUpOptions& options) {
  SplitMix64 random(options.seed);
  Comparison report{.title = "A made-up comparison",
                    .source_file = "made-up.en",
                    .reference_file = options.references ? "made-up.de" : ""};
  const auto models = static_cast<size_t>(options.models);
  const bool gold = options.gold && options.references;
  for (int64_t m = 0; m < options.models; ++m) {
    report.models.push_back(DescribeModel(kKinds[m % 6], m, gold));
  }
  const size_t pairs = models * (models - 1) / 2;
  CorpusSums sums;
  sums.aer.resize(models);
  for (auto* list : {&sums.gold_mass, &sums.entropy, &sums.coverage}) list->resize(models);
  for (auto* list : {&sums.divergence, &sums.agreement}) list->resize(pairs);
  for (int64_t i = 0; i < options.sentences; ++i) {
    const auto& written = HandWrittenPairs();
    const auto at = static_cast<size_t>(i);
    MadeUpPair pair = at < written.size() ? written[at] : GeneratedPair(random);
    if (options.long_sentence && i + 1 == options.sentences) pair = LongPair(random);
    SentenceRecord record{.line = i + 1, .source = pair.source};
    if (options.references) record.reference = pair.reference;
    if (gold) record.gold = pair.gold;
    std::vector<LinkedText> translations;
    for (int64_t m = 0; m < options.models; ++m) {
      translations.push_back(Translate(ReferenceOf(pair), kKinds[m % 6].mistakes, random));
      if (options.empty_translation && i == 0 && m == 0) translations.back() = {};
      record.translations.push_back(translations.back().Text());
    }
    if (options.attention) AddAttention(options, pair, translations, record, sums, random);
    report.sentences.push_back(std::move(record));
  }
  if (options.references) {
    AllStatistics all;
    AddScores(report, all);
    AddTests(report, all);
    if (options.attention) AddMeasures(report, sums, gold);
    AddBreakdowns(report, all);
  } else {
    for (ModelResult& model : report.models) {
      model.bleu = model.chrf = std::numeric_limits<double>::quiet_NaN();
    }
  }
  if (options.hostile) MakeHostile(report);
  return report;
}

}  // namespace nmt
