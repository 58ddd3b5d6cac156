#include "nmt/alignment/selection.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

constexpr int64_t kMaxShift = 2;
constexpr double kThresholds[] = {1, 0.7, 0.5, 0.35};
constexpr double kPerSource[] = {0, 0.1, 0.25};
constexpr int64_t kLargestShift = 16;  // in a stored choice
constexpr int64_t kBatchSize = 64;

EncodedLine Cut(EncodedLine line, int64_t max_length) {
  const size_t longest = static_cast<size_t>(max_length - 1);
  if (line.ids.size() > longest) {
    line.ids.resize(longest);
    line.words.resize(longest);
  }
  return line;
}

// One layer, head and shift under every way of extraction: the words' weights are the same for all.
class Candidates {
 public:
  explicit Candidates(AlignmentChoice choice) {
    for (const double threshold : kThresholds) {
      choice.threshold = threshold;
      for (const double per_source : kPerSource) {
        choice.per_source = per_source;
        choices_.push_back(choice);
      }
    }
    counts_.resize(choices_.size());
  }

  void Count(const WordAttention& words, const Links& gold) {
    for (size_t i = 0; i < choices_.size(); ++i) {
      counts_[i] += CountAer(ExtractLinks(words, choices_[i]), gold);
    }
  }

  void KeepBest(SelectedAlignment& best) const {
    for (size_t i = 0; i < choices_.size(); ++i) {
      const AerScore score = ComputeAer(counts_[i]);
      if (score.aer < best.score.aer) best = {choices_[i], score};
    }
  }

 private:
  std::vector<AlignmentChoice> choices_;
  std::vector<AerCounts> counts_;
};

}  // namespace

AlignedPair EncodePair(const Tokenizers& tokenizers, const std::string& source,
                       const std::string& target, int64_t max_length) {
  const std::string source_line = CleanLine(source), target_line = CleanLine(target);
  return {Cut(tokenizers.source.EncodeWithWords(source_line), max_length),
          Cut(tokenizers.target.EncodeWithWords(target_line), max_length),
          static_cast<int64_t>(WordSpans(source_line).size()),
          static_cast<int64_t>(WordSpans(target_line).size())};
}

std::vector<AlignedPair> EncodePairs(const TrainedModel& model,
                                     const std::vector<std::string>& sources,
                                     const std::vector<std::string>& targets) {
  const int64_t longest =
      std::min(model.options.translation.max_source_length, model.model->max_length());
  std::vector<AlignedPair> pairs;
  for (size_t i = 0; i < sources.size(); ++i) {
    pairs.push_back(EncodePair(model.tokenizers, sources[i], targets[i], longest));
  }
  return pairs;
}

AlignedPair TranslatedPair(const Tokenizers& tokenizers, const std::string& source,
                           const Ids& source_ids, const Ids& target_ids) {
  const std::string line = CleanLine(source);
  EncodedLine encoded = tokenizers.source.EncodeWithWords(line);
  encoded.words.resize(source_ids.size());  // as far as the search read the line
  DecodedLine decoded = tokenizers.target.DecodeWithWords(target_ids);
  const int64_t target_words = static_cast<int64_t>(WordSpans(decoded.text).size());
  return {{source_ids, std::move(encoded.words)},
          {target_ids, std::move(decoded.words)},
          static_cast<int64_t>(WordSpans(line).size()),
          target_words};
}

CorpusAttention AttendPairs(const TrainedModel& model, std::vector<AlignedPair> pairs) {
  std::vector<Ids> sources, targets;
  for (const AlignedPair& pair : pairs) {
    sources.push_back(pair.source.ids);
    targets.push_back(pair.target.ids);
  }
  auto records = ForcedAttention(*model.model, sources, targets, {.batch_size = kBatchSize});
  return {std::move(pairs), std::move(records)};
}

WordAttention WordsOf(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice) {
  const AlignedPair& pair = attention.pairs[i];
  return ToWords(attention.records[i], choice, pair.source.words, pair.source_words,
                 pair.target.words, pair.target_words);
}

Links LinksOf(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice) {
  return ExtractLinks(WordsOf(attention, i, choice), choice);
}

absl::StatusOr<SelectedAlignment> SelectAlignment(const CorpusAttention& attention,
                                                  const std::vector<Links>& gold) {
  if (gold.size() != attention.pairs.size()) {
    return DataError(fmt::format("{} lines of gold links, but {} sentence pairs", gold.size(),
                                 attention.pairs.size()));
  }
  int64_t layers = 0, heads = 0;
  for (const AttentionRecord& record : attention.records) {
    if (!record.weights_LHTS.defined()) continue;
    layers = record.weights_LHTS.size(0);
    heads = record.weights_LHTS.size(1);
  }
  SelectedAlignment best;
  best.score.aer = 2;
  for (int64_t layer = 0; layer < layers; ++layer) {
    for (int64_t head = heads > 1 ? kAverage : 0; head < heads; ++head) {
      for (int64_t shift = 0; shift <= kMaxShift; ++shift) {
        Candidates candidates({layer, head, shift});
        for (size_t i = 0; i < gold.size(); ++i)
          candidates.Count(WordsOf(attention, i, {layer, head, shift}), gold[i]);
        candidates.KeepBest(best);
      }
    }
  }
  return best;
}

absl::Status SaveAlignmentChoice(const std::filesystem::path& path,
                                 const SelectedAlignment& selected) {
  const nlohmann::json json = {
      {"layer", selected.choice.layer},           {"head", selected.choice.head},
      {"shift", selected.choice.shift},           {"threshold", selected.choice.threshold},
      {"per_source", selected.choice.per_source}, {"validation_aer", selected.score.aer}};
  return WriteFileAtomically(path, json.dump(2) + "\n");
}

absl::StatusOr<AlignmentChoice> LoadAlignmentChoice(const std::filesystem::path& path,
                                                    const Seq2Seq& model) {
  AlignmentChoice choice{.layer = model.attention_layers() - 1,
                         .head = model.attention_heads() > 1 ? kAverage : 0};
  if (!std::filesystem::exists(path)) return choice;
  NMT_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const auto json = nlohmann::json::parse(text, /*callback=*/nullptr, /*allow_exceptions=*/false);
  for (const char* key : {"layer", "head", "shift", "threshold", "per_source"}) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_number()) {
      return DataError(fmt::format("{}: is damaged: no number \"{}\"", path.string(), key));
    }
  }
  choice = {json["layer"], json["head"], json["shift"], json["threshold"], json["per_source"]};
  if (choice.layer < 0 || choice.layer >= model.attention_layers() || choice.head < kAverage ||
      choice.head >= model.attention_heads() || choice.shift < 0 || choice.shift > kLargestShift) {
    return DataError(fmt::format("{}: names {}, but the model has {} layers of {} heads",
                                 path.string(), choice.ToString(), model.attention_layers(),
                                 model.attention_heads()));
  }
  return choice;
}

}  // namespace nmt
