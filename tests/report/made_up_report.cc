#include "tests/report/made_up_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "nmt/report/attention_summary.h"
#include "nmt/report/quality_summary.h"
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

// Of words that are drawn as evenly as those of the made-up grammar a frequency can only be invented.
WordCounts MadeUpCounts(const Comparison& report) {
  WordCounts counts;
  for (const SentenceRecord& sentence : report.sentences) CountWords(sentence.reference, counts);
  for (auto& [word, count] : counts) count = static_cast<int64_t>(word.size() % 5) * count;
  return counts;
}

void AddParts(Comparison& report) {
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

// The record's attention under every choice, and what is measured of the first one.
void AddAttention(const MadeUpOptions& options, const MadeUpPair& pair,
                  const std::vector<LinkedText>& translations, SentenceRecord& record,
                  AttentionSummary& summary, SplitMix64& random) {
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
  summary.Add(first, record);
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
  const bool gold = options.gold && options.references;
  for (int64_t m = 0; m < options.models; ++m) {
    report.models.push_back(DescribeModel(kKinds[m % 6], m, gold));
  }
  for (int64_t m = 0; options.models >= 6 && m < 2; ++m) {  // two that translate the other way
    ModelResult other = DescribeModel(kKinds[m], m, /*gold=*/false);
    other.name += " (de to en)";
    other.bleu = 41.25 + static_cast<double>(m);
    other.chrf = 62.5;
    other.ter = 40.75;
    if (m == 0) other.aer = 0.125;
    report.opposite.push_back(std::move(other));
  }
  AttentionSummary summary(report.models.size());
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
    if (options.attention) AddAttention(options, pair, translations, record, summary, random);
    report.sentences.push_back(std::move(record));
  }
  if (options.references) {
    const absl::Status status = SummarizeQuality(
        report, {.bootstrap = {.resamples = 300}, .randomization = {.trials = 1000}});
    if (!status.ok()) throw std::logic_error(std::string(status.message()));
    if (options.attention) summary.Finish(report);
    TestAcrossSeeds(report);
    report.breakdowns = {BreakdownByLength(report, {1, 7, 11, 16, 21}),
                         BreakdownByFrequency(report, MadeUpCounts(report), {0, 1, 10, 100})};
    AddParts(report);
  } else {
    for (ModelResult& model : report.models) {
      model.bleu = model.chrf = std::numeric_limits<double>::quiet_NaN();
    }
  }
  if (options.hostile) MakeHostile(report);
  return report;
}

}  // namespace nmt
