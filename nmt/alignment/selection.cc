#include "nmt/alignment/selection.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

constexpr int64_t kMaxShift = 2;
constexpr double kThresholds[] = {1, 0.7, 0.5, 0.35, 0.25};
constexpr int64_t kBatchSize = 64;

EncodedLine Cut(EncodedLine line, int64_t max_length) {
  const size_t longest = static_cast<size_t>(max_length - 1);
  if (line.ids.size() > longest) {
    line.ids.resize(longest);
    line.words.resize(longest);
  }
  return line;
}

}  // namespace

AlignedPair EncodePair(const Tokenizers& tokenizers, const std::string& source,
                       const std::string& target, int64_t max_length) {
  const std::string source_line = CleanLine(source), target_line = CleanLine(target);
  return {Cut(tokenizers.source.EncodeWithWords(source_line), max_length),
          Cut(tokenizers.target.EncodeWithWords(target_line), max_length),
          static_cast<int64_t>(WordSpans(source_line).size()),
          static_cast<int64_t>(WordSpans(target_line).size())};
}

CorpusAttention AttendCorpus(const TrainedModel& model, const std::vector<std::string>& sources,
                             const std::vector<std::string>& targets,
                             const std::function<void(int64_t)>& progress) {
  const int64_t longest =
      std::min(model.options.translation.max_source_length, model.model->max_length());
  CorpusAttention attention;
  std::vector<Ids> source_ids, target_ids;
  for (size_t i = 0; i < sources.size(); ++i) {
    attention.pairs.push_back(EncodePair(model.tokenizers, sources[i], targets[i], longest));
    source_ids.push_back(attention.pairs.back().source.ids);
    target_ids.push_back(attention.pairs.back().target.ids);
  }
  attention.records = ForcedAttention(*model.model, source_ids, target_ids, kBatchSize, progress);
  return attention;
}

Links LinksOf(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice) {
  const AlignedPair& pair = attention.pairs[i];
  const WordAttention words = ToWords(attention.records[i], choice, pair.source.words,
                                      pair.source_words, pair.target.words, pair.target_words);
  return ExtractLinks(words, choice);
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
        for (const double threshold : kThresholds) {
          const AlignmentChoice choice{layer, head, shift, threshold};
          AerCounts counts;
          for (size_t i = 0; i < gold.size(); ++i)
            counts += CountAer(LinksOf(attention, i, choice), gold[i]);
          const AerScore score = ComputeAer(counts);
          if (score.aer < best.score.aer) best = {choice, score};
        }
      }
    }
  }
  return best;
}

absl::Status SaveAlignmentChoice(const std::filesystem::path& path,
                                 const SelectedAlignment& selected) {
  const nlohmann::json json = {{"layer", selected.choice.layer},
                               {"head", selected.choice.head},
                               {"shift", selected.choice.shift},
                               {"threshold", selected.choice.threshold},
                               {"validation_aer", selected.score.aer}};
  return WriteFileAtomically(path, json.dump(2) + "\n");
}

absl::StatusOr<AlignmentChoice> LoadAlignmentChoice(const std::filesystem::path& path,
                                                    const Seq2Seq& model) {
  AlignmentChoice choice{.layer = model.attention_layers() - 1,
                         .head = model.attention_heads() > 1 ? kAverage : 0};
  if (!std::filesystem::exists(path)) return choice;
  NMT_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const auto json = nlohmann::json::parse(text, /*callback=*/nullptr, /*allow_exceptions=*/false);
  for (const char* key : {"layer", "head", "shift", "threshold"}) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_number()) {
      return DataError(fmt::format("{}: is damaged: no number \"{}\"", path.string(), key));
    }
  }
  choice = {json["layer"], json["head"], json["shift"], json["threshold"]};
  if (choice.layer < 0 || choice.layer >= model.attention_layers() || choice.head < kAverage ||
      choice.head >= model.attention_heads() || choice.shift < 0) {
    return DataError(fmt::format("{}: names {}, but the model has {} layers of {} heads",
                                 path.string(), choice.ToString(), model.attention_layers(),
                                 model.attention_heads()));
  }
  return choice;
}

}  // namespace nmt
