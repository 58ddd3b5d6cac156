#include "nmt/alignment/selection.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/base/shallow_json.h"

namespace nmt {
namespace {

constexpr int64_t kMaxShift = 2;
constexpr double kThresholds[] = {1, 0.7, 0.5, 0.35};
constexpr double kPerSource[] = {0, 0.1, 0.25};
constexpr int64_t kLargestShift = 16;  // in a stored choice

std::vector<AlignmentChoice> Extractions(bool argmax_only) {
  if (argmax_only) return {AlignmentChoice()};
  std::vector<AlignmentChoice> extractions;
  for (const double threshold : kThresholds) {
    for (const double per_source : kPerSource) {
      for (const EndOfSource end : {EndOfSource::kMask, EndOfSource::kDrop}) {
        AlignmentChoice choice;
        choice.threshold = threshold;
        choice.per_source = per_source;
        choice.end = end;
        extractions.push_back(choice);
      }
    }
  }
  return extractions;
}

template <typename Work>
void InParallel(size_t count, const Work& work) {
  at::parallel_for(0, static_cast<int64_t>(count), /*grain_size=*/1,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) work(static_cast<size_t>(i));
                   });
}

// The links of a part under every choice, [choice][pair].
std::vector<std::vector<Links>> ArgmaxLinks(const CorpusAttention& part,
                                            const std::vector<AttentionChoice>& choices,
                                            bool reversed) {
  std::vector<std::vector<Links>> links(choices.size());
  InParallel(choices.size(), [&](size_t a) {
    for (size_t i = 0; i < part.pairs.size(); ++i) {
      Links line = LinksOf(part, i, {.attention = choices[a]});
      links[a].push_back(reversed ? Reversed(std::move(line)) : std::move(line));
    }
  });
  return links;
}

std::vector<AttentionChoice> ChoicesOf(const TrainedModel& model) {
  return AttentionChoices(model.model->attention_layers(), model.model->attention_heads());
}

std::vector<AlignedPair> Slice(const std::vector<AlignedPair>& pairs, size_t begin, size_t end) {
  return {pairs.begin() + static_cast<int64_t>(begin), pairs.begin() + static_cast<int64_t>(end)};
}

}  // namespace

std::string SelectedAlignment::ToString() const {
  switch (criterion) {
    case SelectionCriterion::kAer:
      return fmt::format("{} (AER {:.1f} %)", choice.ToString(), 100 * value);
    case SelectionCriterion::kAgreement:
      return fmt::format("{} (agreement {:.1f} %)", choice.ToString(), 100 * value);
    case SelectionCriterion::kGuided:
      return fmt::format("{} (guided in training)", choice.ToString());
    case SelectionCriterion::kCertainty:
      return fmt::format("{} (a guess: no gold links, cost {:.3f})", choice.ToString(), value);
  }
  return choice.ToString();
}

std::vector<AttentionChoice> AttentionChoices(int64_t layers, int64_t heads) {
  std::vector<AttentionChoice> choices;
  for (int64_t layer = 0; layer < layers; ++layer) {
    for (int64_t head = heads > 1 ? kAverage : 0; head < heads; ++head) {
      for (int64_t shift = 0; shift <= kMaxShift; ++shift) {
        for (const bool value_norms : {false, true})
          choices.push_back({layer, head, shift, value_norms});
      }
    }
  }
  return choices;
}

WordSum AttentionCost(const SoftMatrix& weights_TS) {
  WordSum cost = RowEntropy(weights_TS);
  const int64_t target_words = weights_TS.rows(), source_words = weights_TS.columns() - 1;
  if (source_words > 0) cost.sum /= std::log(static_cast<double>(source_words + 1));
  const auto place = [](int64_t word, int64_t words) {
    return static_cast<double>(word) / static_cast<double>(std::max<int64_t>(words - 1, 1));
  };
  for (int64_t t = 0; t < target_words; ++t) {
    for (int64_t s = 0; s <= source_words; ++s) {
      const double distance =
          s == source_words ? 1 : std::abs(place(s, source_words) - place(t, target_words));
      cost.sum += static_cast<double>(weights_TS(t, s)) * distance;
    }
  }
  return cost;
}

GoldSelector::GoldSelector(int64_t layers, int64_t heads, bool argmax_only)
    : attention_(AttentionChoices(layers, heads)),
      extractions_(Extractions(argmax_only)),
      counts_(attention_.size(), std::vector<AerCounts>(extractions_.size())) {}

absl::Status GoldSelector::Add(const CorpusAttention& part, const std::vector<Links>& gold) {
  if (gold.size() != part.pairs.size()) {
    return DataError(fmt::format("{} lines of gold links, but {} sentence pairs", gold.size(),
                                 part.pairs.size()));
  }
  InParallel(attention_.size(), [&](size_t a) {
    for (size_t i = 0; i < gold.size(); ++i) {
      const SoftMatrix words = WordsOf(part, i, attention_[a]);
      for (size_t e = 0; e < extractions_.size(); ++e)
        counts_[a][e] += CountAer(ExtractLinks(words, extractions_[e]), gold[i]);
    }
  });
  return absl::OkStatus();
}

SelectedAlignment GoldSelector::Best() const {
  SelectedAlignment best{.choice = {}, .value = std::numeric_limits<double>::infinity()};
  for (size_t a = 0; a < attention_.size(); ++a) {
    for (size_t e = 0; e < extractions_.size(); ++e) {
      const double aer = ComputeAer(counts_[a][e]).aer;
      if (aer >= best.value) continue;
      best.choice = extractions_[e];
      best.choice.attention = attention_[a];
      best.value = aer;
    }
  }
  return best;
}

absl::StatusOr<SelectedAlignment> SelectByGold(const TrainedModel& model,
                                               const std::vector<AlignedPair>& pairs,
                                               const std::vector<Links>& gold, bool argmax_only) {
  if (gold.size() != pairs.size()) {
    return DataError(
        fmt::format("{} lines of gold links, but {} sentence pairs", gold.size(), pairs.size()));
  }
  GoldSelector selector(model.model->attention_layers(), model.model->attention_heads(),
                        argmax_only);
  absl::Status status;
  AttendInParts(model, pairs, /*value_norms=*/true, [&](const CorpusAttention& part, size_t begin) {
    const auto first = gold.begin() + static_cast<int64_t>(begin);
    status.Update(selector.Add(part, {first, first + static_cast<int64_t>(part.pairs.size())}));
  });
  NMT_RETURN_IF_ERROR(status);
  return selector.Best();
}

AgreementSelector::AgreementSelector(size_t forward_choices, size_t backward_choices)
    : agreement_(forward_choices, std::vector<WordSum>(backward_choices)) {}

void AgreementSelector::Add(const std::vector<std::vector<Links>>& forward,
                            const std::vector<std::vector<Links>>& backward) {
  InParallel(forward.size(), [&](size_t f) {
    for (size_t b = 0; b < backward.size(); ++b) {
      for (size_t i = 0; i < forward[f].size(); ++i)
        agreement_[f][b] += LinkAgreement(forward[f][i], backward[b][i]);
    }
  });
}

AgreementSelector::Found AgreementSelector::Best() const {
  Found best{.agreement = -1};
  for (size_t f = 0; f < agreement_.size(); ++f) {
    for (size_t b = 0; b < agreement_[f].size(); ++b) {
      const double agreement = agreement_[f][b].Mean().value_or(0);
      if (agreement > best.agreement) best = {f, b, agreement};
    }
  }
  return best;
}

SelectedDirections SelectByAgreement(const TrainedModel& forward,
                                     const std::vector<AlignedPair>& forward_pairs,
                                     const TrainedModel& backward,
                                     const std::vector<AlignedPair>& backward_pairs) {
  const auto forward_choices = ChoicesOf(forward), backward_choices = ChoicesOf(backward);
  AgreementSelector selector(forward_choices.size(), backward_choices.size());
  for (size_t begin = 0, end = 0; begin < forward_pairs.size(); begin = end) {
    end =
        std::min(PartEnd(forward, forward_pairs, begin), PartEnd(backward, backward_pairs, begin));
    const auto links_of = [&](const TrainedModel& model, const std::vector<AlignedPair>& pairs,
                              const std::vector<AttentionChoice>& choices, bool reversed) {
      return ArgmaxLinks(AttendPairs(model, Slice(pairs, begin, end), /*value_norms=*/true),
                         choices, reversed);
    };
    selector.Add(links_of(forward, forward_pairs, forward_choices, /*reversed=*/false),
                 links_of(backward, backward_pairs, backward_choices, /*reversed=*/true));
  }
  const AgreementSelector::Found best = selector.Best();
  const auto selected = [&](const AttentionChoice& attention) {
    return SelectedAlignment{
        {.attention = attention}, SelectionCriterion::kAgreement, best.agreement};
  };
  return {selected(forward_choices[best.forward]), selected(backward_choices[best.backward])};
}

SelectedAlignment SelectByCertainty(const TrainedModel& model,
                                    const std::vector<AlignedPair>& pairs) {
  std::vector<AttentionChoice> choices = ChoicesOf(model);
  const bool several_heads = model.model->attention_heads() > 1;
  std::erase_if(choices, [&](const AttentionChoice& choice) {
    return choice.shift != 0 || choice.value_norms || choice.head != (several_heads ? kAverage : 0);
  });
  std::vector<WordSum> costs(choices.size());
  AttendInParts(model, pairs, /*value_norms=*/false, [&](const CorpusAttention& part, size_t) {
    InParallel(choices.size(), [&](size_t a) {
      for (size_t i = 0; i < part.pairs.size(); ++i)
        costs[a] += AttentionCost(WordsOf(part, i, choices[a]));
    });
  });
  size_t best = 0;
  for (size_t a = 1; a < choices.size(); ++a) {
    if (costs[a].sum < costs[best].sum) best = a;
  }
  return {
      {.attention = choices[best]}, SelectionCriterion::kCertainty, costs[best].Mean().value_or(0)};
}

absl::Status SaveAlignmentChoice(const std::filesystem::path& path,
                                 const SelectedAlignment& selected) {
  const AlignmentChoice& choice = selected.choice;
  const nlohmann::ordered_json json = {{"layer", choice.attention.layer},
                                       {"head", choice.attention.head},
                                       {"shift", choice.attention.shift},
                                       {"value_norms", choice.attention.value_norms},
                                       {"threshold", choice.threshold},
                                       {"per_source", choice.per_source},
                                       {"end_of_source", EnumName(choice.end)},
                                       {"final_punctuation", choice.final_punctuation},
                                       {"criterion", EnumName(selected.criterion)},
                                       {"value", selected.value}};
  return WriteFileAtomically(path, json.dump(2) + "\n");
}

absl::StatusOr<AlignmentChoice> LoadAlignmentChoice(const std::filesystem::path& path,
                                                    const Seq2Seq& model) {
  AlignmentChoice choice;
  choice.attention = {.layer = model.attention_layers() - 1,
                      .head = model.attention_heads() > 1 ? kAverage : 0};
  if (!std::filesystem::exists(path)) return choice;
  NMT_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const auto json = ParseShallowJson(text);
  for (const char* key : {"layer", "head", "shift", "threshold", "per_source"}) {
    const bool is_count =
        key != std::string_view("threshold") && key != std::string_view("per_source");
    if (!json.is_object() || !json.contains(key) || !json[key].is_number() ||
        (is_count && !json[key].is_number_integer())) {
      return DataError(fmt::format("{}: is damaged: no {} \"{}\"", path.string(),
                                   is_count ? "count" : "number", key));
    }
  }
  choice.attention = {json["layer"], json["head"], json["shift"],
                      json.contains("value_norms") && json["value_norms"] == true};
  choice.threshold = json["threshold"];
  choice.per_source = json["per_source"];
  if (json.contains("end_of_source")) {
    const auto& end = json["end_of_source"];
    if (end != EnumName(EndOfSource::kDrop) && end != EnumName(EndOfSource::kMask)) {
      return DataError(fmt::format("{}: end_of_source: found {}, expected \"mask\" or \"drop\"",
                                   path.string(), end.dump()));
    }
    choice.end = end == EnumName(EndOfSource::kDrop) ? EndOfSource::kDrop : EndOfSource::kMask;
  }
  choice.final_punctuation =
      json.contains("final_punctuation") && json["final_punctuation"] == true;
  const AttentionChoice& attention = choice.attention;
  if (attention.layer < 0 || attention.layer >= model.attention_layers() ||
      attention.head < kAverage || attention.head >= model.attention_heads() ||
      attention.shift < 0 || attention.shift > kLargestShift) {
    return DataError(fmt::format("{}: names {}, but the model has {} layers of {} heads",
                                 path.string(), choice.ToString(), model.attention_layers(),
                                 model.attention_heads()));
  }
  return choice;
}

}  // namespace nmt
