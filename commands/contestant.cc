#include "commands/contestant.h"

#include <fmt/format.h>
#include <malloc.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>

#include "commands/pictures.h"
#include "nmt/alignment/selection.h"
#include "nmt/base/log.h"
#include "nmt/base/memory.h"
#include "nmt/base/progress.h"
#include "nmt/decoding/translator.h"
#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/ter.h"
#include "nmt/models/multiply_adds.h"
#include "nmt/report/training_cost.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

// Sentences that are translated before the time is taken: the first ones wait for memory and caches.
constexpr size_t kWarmUp = 64;

// What the reader can switch to: the run's choice; its other shifts; each layer's mean and heads.
std::vector<AttentionChoice> ShownChoices(const AttentionChoice& chosen, const Seq2Seq& model) {
  std::vector<AttentionChoice> choices{chosen};
  const auto add = [&](const AttentionChoice& choice) {
    if (std::find(choices.begin(), choices.end(), choice) == choices.end())
      choices.push_back(choice);
  };
  AttentionChoice choice = chosen;
  for (choice.shift = 0; choice.shift <= 2; ++choice.shift) add(choice);
  choice = chosen;
  for (choice.layer = 0; choice.layer < model.attention_layers(); ++choice.layer) {
    for (choice.head = model.attention_heads() == 1 ? 0 : kAverage;
         choice.head < model.attention_heads(); ++choice.head) {
      add(choice);
    }
  }
  return choices;
}

// AER of every layer and head, at one shift, read off as the run's choice says.
class GridCounter {
 public:
  GridCounter(const AlignmentChoice& choice, int64_t shift, const Seq2Seq& model)
      : choice_(choice), layers_(model.attention_layers()), heads_(model.attention_heads()) {
    choice_.attention.shift = shift;
    counts_.resize(static_cast<size_t>(layers_ * (1 + heads_)));
  }
  void Add(const CorpusAttention& part, size_t i, const Links& gold) {
    size_t cell = 0;
    AlignmentChoice choice = choice_;
    for (choice.attention.layer = 0; choice.attention.layer < layers_; ++choice.attention.layer) {
      for (choice.attention.head = kAverage; choice.attention.head < heads_;
           ++choice.attention.head) {
        counts_[cell++] += CountAer(LinksOf(part, i, choice), gold);
      }
    }
  }
  AerGrid Grid() const {
    AerGrid grid{.conventions = choice_.Conventions() + "; the reference forced",
                 .layers = layers_,
                 .heads = heads_};
    for (const AerCounts& counts : counts_) grid.aer.push_back(ComputeAer(counts).aer);
    return grid;
  }

 private:
  AlignmentChoice choice_;
  const int64_t layers_, heads_;
  std::vector<AerCounts> counts_;
};

struct Translated {
  std::vector<Translation> translations;
  std::vector<std::string> texts;
  double seconds = 0;
  int64_t pieces = 0;  // of the translations, </s> included
};

// One line, however many sentences are too long. `items` are translations or pairs.
template <typename Items>
void WarnOfLongLines(const Items& items, const std::string& what, const TrainedModel& trained) {
  const auto is_cut = [](const auto& item) { return item.is_cut; };
  const auto first = std::find_if(items.begin(), items.end(), is_cut);
  if (first == items.end()) return;
  Warn(fmt::format(
      "{}: {} lines of {} have more than the {} pieces that the model reads, the first is line {}",
      trained.path.string(), std::count_if(first, items.end(), is_cut), what,
      trained.longest_source() - 1, first - items.begin() + 1));
}

Translated TranslateSet(const TrainedModel& trained, const TestSet& set) {
  Translated result;
  const Translator translator({&trained}, FromConfig(trained.options.translation));
  const auto few = static_cast<int64_t>(std::min(kWarmUp, set.source.size()));
  translator.Translate({set.source.begin(), set.source.begin() + few}, {});
  ProgressBar progress("translating " + set.name, static_cast<int64_t>(set.source.size()));
  const auto begin = std::chrono::steady_clock::now();
  result.translations = translator.Translate(
      set.source, {.progress = [&](int64_t done) { progress.Update(done, "sentences"); }});
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  progress.Clear();
  WarnOfLongLines(result.translations, fmt::format("the source of {}", set.name), trained);
  for (const Translation& translation : result.translations) {
    result.texts.push_back(translation.texts.empty() ? "" : translation.texts[0]);
    if (translation.hypotheses.empty()) continue;
    result.pieces += static_cast<int64_t>(translation.hypotheses[0].ids.size()) + 1;
  }
  return result;
}

absl::StatusOr<PartScores> ScoreTranslations(const TrainedModel& trained,
                                             const AlignmentChoice& choice, const TestSet& set,
                                             const std::vector<std::string>& translations) {
  NMT_ASSIGN_OR_RETURN(const BleuScore bleu,
                       CorpusBleu(translations, set.reference, OptionsFor(set.reference)));
  NMT_ASSIGN_OR_RETURN(const ChrfScore chrf, CorpusChrf(translations, set.reference));
  NMT_ASSIGN_OR_RETURN(const TerScore ter, CorpusTer(translations, set.reference));
  PartScores scores{.bleu = bleu.score, .chrf = chrf.score, .ter = ter.score};
  if (set.gold.empty()) return scores;
  AerCounts counts;
  AttendInParts(trained, EncodePairs(trained, set.source, set.reference),
                choice.attention.value_norms, [&](const CorpusAttention& part, size_t begin) {
                  for (size_t i = 0; i < part.pairs.size(); ++i)
                    counts += CountAer(LinksOf(part, i, choice), set.gold[begin + i]);
                });
  scores.aer = ComputeAer(counts).aer;
  return scores;
}

// What the run says of itself, and how fast it translated.
ModelResult Describe(const TrainedModel& trained, const AlignmentChoice& choice,
                     const TrainingState& last, const Translated& translated) {
  const ModelOptions& model = trained.options.model;
  return {.run = trained.path.string(),
          .architecture = std::string(EnumName(model.type)),
          .attention = std::string(EnumName(model.attention)),
          .seed = trained.options.seed,
          .alignment_choice = choice.ToString(),
          .parameters = trained.model->ParameterCount(),
          .training_seconds = last.seconds,
          .training_updates = last.update,
          .decode_seconds = translated.seconds,
          .decode_tokens_per_second =
              static_cast<double>(translated.pieces) / std::max(1e-9, translated.seconds),
          .cost = ReadTrainingCost(RunDirectory(trained.path).metrics())};
}

// Looks at the attention of the first test set.
class Looker {
 public:
  Looker(const TrainedModel& trained, const AlignmentChoice& choice, const TestSet& set,
         const MeasureOptions& options, Contestant& contestant)
      : trained_(trained),
        choice_(choice),
        set_(set),
        options_(options),
        contestant_(contestant),
        choices_(ShownChoices(choice.attention, *trained.model)) {
    contestant.pictures.resize(options.drawn.size());
    contestant.attention.resize(set.source.size());
    for (const AttentionChoice& shown : choices_) {
      contestant.result.alignment.choices.push_back({.layer = shown.layer + 1,
                                                     .head = shown.head + 1,
                                                     .shift = shown.shift,
                                                     .value_norms = shown.value_norms});
    }
  }

  void LookAtReferences(const std::vector<AlignedPair>& pairs) {
    WarnOfLongLines(pairs, fmt::format("{}, source or reference,", set_.name), trained_);
    std::vector<GridCounter> grids;
    if (!set_.gold.empty()) {
      grids.emplace_back(choice_, choice_.attention.shift, *trained_.model);
      for (const int64_t shift : {0, 1}) {
        if (shift != choice_.attention.shift) grids.emplace_back(choice_, shift, *trained_.model);
      }
    }
    Look("looking at the references", pairs, AttentionTarget::kReference,
         [&](const CorpusAttention& part, size_t i, size_t sentence) {
           contestant_.forced_TS.push_back(WordsOf(part, i, choice_.attention));
           contestant_.reference_links.push_back(LinksOf(part, i, choice_));
           for (GridCounter& grid : grids) grid.Add(part, i, set_.gold[sentence]);
           Draw(part, i, sentence);
         });
    for (const GridCounter& grid : grids) contestant_.result.alignment.grids.push_back(grid.Grid());
  }

  void LookAtTranslations(const std::vector<Translation>& translations) {
    std::vector<AlignedPair> pairs;
    for (size_t i = 0; i < translations.size(); ++i) {
      const Translation& translation = translations[i];
      pairs.push_back(translation.hypotheses.empty()
                          ? EncodePair(trained_.tokenizers, set_.source[i], "", /*max_length=*/2)
                          : TranslatedPair(trained_.tokenizers, set_.source[i],
                                           translation.source_ids, translation.hypotheses[0].ids));
    }
    Look("looking at the translations", pairs, AttentionTarget::kTranslation,
         [&](const CorpusAttention& part, size_t i, size_t) {
           contestant_.translation_links.push_back(LinksOf(part, i, choice_));
         });
  }

 private:
  template <typename Visit>
  void Look(const char* name, const std::vector<AlignedPair>& pairs, AttentionTarget target,
            const Visit& visit) {
    ProgressBar progress(name, static_cast<int64_t>(pairs.size()));
    AttendInParts(trained_, pairs, choice_.attention.value_norms,
                  [&](const CorpusAttention& part, size_t begin) {
                    for (size_t i = 0; i < part.pairs.size(); ++i) {
                      visit(part, i, begin + i);
                      Keep(part, i, begin + i, target);
                    }
                    progress.Update(static_cast<int64_t>(begin + part.pairs.size()), "sentences");
                  });
  }

  void Keep(const CorpusAttention& part, size_t i, size_t sentence, AttentionTarget target) {
    if (part.pairs[i].source.ids.empty() || part.pairs[i].target.ids.empty()) return;
    for (size_t c = 0; c < choices_.size(); ++c) {
      if (c > 0 && kept_bytes_ > options_.most_attention_bytes) {
        ++contestant_.attention_left_out;
        continue;
      }
      SentenceAttention attention{.target = target,
                                  .choice = static_cast<int64_t>(c),
                                  .weights = Quantize(WordsOf(part, i, choices_[c]))};
      if (c > 0) kept_bytes_ += static_cast<int64_t>(attention.weights.bytes.size());
      contestant_.attention[sentence].push_back(std::move(attention));
    }
  }

  void Draw(const CorpusAttention& part, size_t i, size_t sentence) {
    for (size_t d = 0; d < options_.drawn.size(); ++d) {
      if (options_.drawn[d] != sentence || !CanDraw(part.pairs[i])) continue;
      contestant_.pictures[d] =
          WordHeatmap(part, i, choice_, set_.source[sentence], set_.reference[sentence],
                      /*title=*/"", set_.gold.empty() ? Links{} : set_.gold[sentence]);
    }
  }

  const TrainedModel& trained_;
  const AlignmentChoice& choice_;
  const TestSet& set_;
  const MeasureOptions& options_;
  Contestant& contestant_;
  const std::vector<AttentionChoice> choices_;
  int64_t kept_bytes_ = 0;
};

// Of a sentence of the test set, forced, on average.
double MeanMultiplyAdds(const TrainedModel& trained, const std::vector<AlignedPair>& pairs) {
  const VocabularySizes sizes{trained.tokenizers.source.vocab_size(),
                              trained.tokenizers.target.vocab_size()};
  double sum = 0;
  int64_t sentences = 0;
  for (const AlignedPair& pair : pairs) {
    if (pair.source.ids.empty()) continue;
    sum += static_cast<double>(MultiplyAdds(trained.options.model, sizes,
                                            static_cast<int64_t>(pair.source.ids.size()) + 1,
                                            static_cast<int64_t>(pair.target.ids.size()) + 1));
    ++sentences;
  }
  return sentences == 0 ? 0 : sum / static_cast<double>(sentences);
}

// Of the whole training, which goes on behind the best checkpoint.
absl::StatusOr<TrainingState> LoadLastState(const RunDirectory& run) {
  NMT_ASSIGN_OR_RETURN(const std::filesystem::path last, run.Resolve("last"));
  return LoadTrainingState(last);
}

}  // namespace

absl::StatusOr<Contestant> Measure(const std::string& run, const std::vector<TestSet>& sets,
                                   const MeasureOptions& options) {
  // What earlier runs freed goes back, so that the growth from here is this run's.
  malloc_trim(0);
  ForgetPeakMemory();
  const std::optional<int64_t> before = PeakMemory();
  NMT_ASSIGN_OR_RETURN(const TrainedModel trained, LoadTrainedModel(run, "best", options.device));
  NMT_ASSIGN_OR_RETURN(const AlignmentChoice choice,
                       LoadAlignmentChoice(RunDirectory(run).alignment(), *trained.model));
  NMT_ASSIGN_OR_RETURN(const TrainingState last, LoadLastState(RunDirectory(run)));
  Translated translated = TranslateSet(trained, sets[0]);
  Contestant contestant{.options = trained.options};
  contestant.result = Describe(trained, choice, last, translated);
  if (const auto peak = PeakMemory(); peak && before)
    contestant.result.cost.decode_peak_bytes = static_cast<double>(*peak - *before);
  contestant.translations = std::move(translated.texts);
  for (size_t part = 1; part < sets.size(); ++part) {
    const Translated further = TranslateSet(trained, sets[part]);
    NMT_ASSIGN_OR_RETURN(const PartScores scores,
                         ScoreTranslations(trained, choice, sets[part], further.texts));
    contestant.parts.push_back(scores);
  }
  const std::vector<AlignedPair> forced = EncodePairs(trained, sets[0].source, sets[0].reference);
  contestant.result.cost.multiply_adds = MeanMultiplyAdds(trained, forced);
  Looker looker(trained, choice, sets[0], options, contestant);
  looker.LookAtReferences(forced);
  looker.LookAtTranslations(translated.translations);
  return contestant;
}

absl::StatusOr<ModelResult> MeasureOpposite(const std::string& run, const TestSet& exchanged,
                                            torch::Device device) {
  NMT_ASSIGN_OR_RETURN(const TrainedModel trained, LoadTrainedModel(run, "best", device));
  NMT_ASSIGN_OR_RETURN(const AlignmentChoice choice,
                       LoadAlignmentChoice(RunDirectory(run).alignment(), *trained.model));
  NMT_ASSIGN_OR_RETURN(const TrainingState last, LoadLastState(RunDirectory(run)));
  const Translated translated = TranslateSet(trained, exchanged);
  NMT_ASSIGN_OR_RETURN(const PartScores scores,
                       ScoreTranslations(trained, choice, exchanged, translated.texts));
  ModelResult result = Describe(trained, choice, last, translated);
  result.bleu = scores.bleu;
  result.chrf = scores.chrf;
  result.ter = scores.ter;
  result.aer = scores.aer;
  return result;
}

}  // namespace nmt
