#include "nmt/alignment/word_attention.h"

#include <torch/torch.h>

#include <algorithm>

#include "nmt/text/lines.h"

namespace nmt {
namespace {

constexpr int64_t kBatchSize = 64;
constexpr int64_t kWeightsAtOnce = int64_t{1} << 24;

EncodedLine Cut(EncodedLine line, int64_t max_length) {
  const size_t longest = static_cast<size_t>(max_length - 1);
  if (line.ids.size() > longest) {
    line.ids.resize(longest);
    line.words.resize(longest);
  }
  return line;
}

AlignedPair MakePair(EncodedLine source, const std::string& source_line, EncodedLine target,
                     const std::string& target_line, bool is_cut) {
  const std::vector<std::string> source_words = Words(source_line),
                                 target_words = Words(target_line);
  return {std::move(source),
          std::move(target),
          static_cast<int64_t>(source_words.size()),
          static_cast<int64_t>(target_words.size()),
          !source_words.empty() && !target_words.empty() && IsPunctuation(source_words.back()) &&
              IsPunctuation(target_words.back()),
          is_cut};
}

}  // namespace

AlignedPair EncodePair(const Tokenizers& tokenizers, const std::string& source,
                       const std::string& target, int64_t max_length) {
  const std::string source_line = CleanLine(source), target_line = CleanLine(target);
  EncodedLine encoded_source = tokenizers.source.EncodeWithWords(source_line),
              encoded_target = tokenizers.target.EncodeWithWords(target_line);
  const size_t longest = std::max(encoded_source.ids.size(), encoded_target.ids.size());
  return MakePair(Cut(std::move(encoded_source), max_length), source_line,
                  Cut(std::move(encoded_target), max_length), target_line,
                  /*is_cut=*/longest > static_cast<size_t>(max_length - 1));
}

std::vector<AlignedPair> EncodePairs(const TrainedModel& model,
                                     const std::vector<std::string>& sources,
                                     const std::vector<std::string>& targets) {
  std::vector<AlignedPair> pairs;
  for (size_t i = 0; i < sources.size(); ++i)
    pairs.push_back(EncodePair(model.tokenizers, sources[i], targets[i], model.longest_source()));
  return pairs;
}

AlignedPair TranslatedPair(const Tokenizers& tokenizers, const std::string& source,
                           const Ids& source_ids, const Ids& target_ids) {
  const std::string line = CleanLine(source);
  EncodedLine encoded = tokenizers.source.EncodeWithWords(line);
  encoded.words.resize(source_ids.size());  // as far as the search read the line
  DecodedLine decoded = tokenizers.target.DecodeWithWords(target_ids);
  return MakePair({source_ids, std::move(encoded.words)}, line,
                  {target_ids, std::move(decoded.words)}, decoded.text, /*is_cut=*/false);
}

CorpusAttention AttendPairs(const TrainedModel& model, std::vector<AlignedPair> pairs,
                            bool value_norms) {
  std::vector<Ids> sources, targets;
  for (const AlignedPair& pair : pairs) {
    sources.push_back(pair.source.ids);
    targets.push_back(pair.target.ids);
  }
  auto records =
      ForcedAttention(*model.model, sources, targets, value_norms, {.batch_size = kBatchSize});
  return {std::move(pairs), std::move(records)};
}

size_t PartEnd(const TrainedModel& model, const std::vector<AlignedPair>& pairs, size_t begin) {
  const int64_t looks = model.model->attention_layers() * model.model->attention_heads();
  int64_t weights = 0;
  size_t end = begin;
  for (; end < pairs.size(); ++end) {
    const AlignedPair& pair = pairs[end];
    weights +=
        looks * static_cast<int64_t>((pair.source.ids.size() + 1) * (pair.target.ids.size() + 1));
    if (end > begin && weights > kWeightsAtOnce) break;
  }
  return end;
}

void AttendInParts(const TrainedModel& model, const std::vector<AlignedPair>& pairs,
                   bool value_norms,
                   const std::function<void(const CorpusAttention&, size_t)>& visit) {
  for (size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    end = PartEnd(model, pairs, begin);
    visit(AttendPairs(model,
                      {pairs.begin() + static_cast<int64_t>(begin),
                       pairs.begin() + static_cast<int64_t>(end)},
                      value_norms),
          begin);
  }
}

SoftMatrix WordsOf(const CorpusAttention& attention, size_t i, const AttentionChoice& choice) {
  const AlignedPair& pair = attention.pairs[i];
  return ToWords(attention.records[i], choice, pair.source.words, pair.source_words,
                 pair.target.words, pair.target_words);
}

Links LinksOf(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice) {
  return ExtractLinks(WordsOf(attention, i, choice.attention), choice,
                      attention.pairs[i].both_end_in_punctuation);
}

}  // namespace nmt
