#include "nmt/alignment/word_attention.h"

#include <torch/torch.h>

#include <algorithm>

#include "nmt/text/lines.h"

namespace nmt {
namespace {

constexpr int64_t kBatchSize = 64;
constexpr size_t kPairsAtOnce = 512;

EncodedLine Cut(EncodedLine line, int64_t max_length) {
  const size_t longest = static_cast<size_t>(max_length - 1);
  if (line.ids.size() > longest) {
    line.ids.resize(longest);
    line.words.resize(longest);
  }
  return line;
}

AlignedPair MakePair(EncodedLine source, const std::string& source_line, EncodedLine target,
                     const std::string& target_line) {
  const std::vector<std::string> source_words = Words(source_line),
                                 target_words = Words(target_line);
  return {std::move(source), std::move(target), static_cast<int64_t>(source_words.size()),
          static_cast<int64_t>(target_words.size()),
          !source_words.empty() && !target_words.empty() && IsPunctuation(source_words.back()) &&
              IsPunctuation(target_words.back())};
}

}  // namespace

AlignedPair EncodePair(const Tokenizers& tokenizers, const std::string& source,
                       const std::string& target, int64_t max_length) {
  const std::string source_line = CleanLine(source), target_line = CleanLine(target);
  return MakePair(Cut(tokenizers.source.EncodeWithWords(source_line), max_length), source_line,
                  Cut(tokenizers.target.EncodeWithWords(target_line), max_length), target_line);
}

std::vector<AlignedPair> EncodePairs(const TrainedModel& model,
                                     const std::vector<std::string>& sources,
                                     const std::vector<std::string>& targets) {
  const int64_t longest =
      std::min(model.options.translation.max_source_length, model.model->max_length());
  std::vector<AlignedPair> pairs;
  for (size_t i = 0; i < sources.size(); ++i)
    pairs.push_back(EncodePair(model.tokenizers, sources[i], targets[i], longest));
  return pairs;
}

AlignedPair TranslatedPair(const Tokenizers& tokenizers, const std::string& source,
                           const Ids& source_ids, const Ids& target_ids) {
  const std::string line = CleanLine(source);
  EncodedLine encoded = tokenizers.source.EncodeWithWords(line);
  encoded.words.resize(source_ids.size());  // as far as the search read the line
  DecodedLine decoded = tokenizers.target.DecodeWithWords(target_ids);
  return MakePair({source_ids, std::move(encoded.words)}, line,
                  {target_ids, std::move(decoded.words)}, decoded.text);
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

void AttendInParts(const TrainedModel& model, const std::vector<AlignedPair>& pairs,
                   const std::function<void(const CorpusAttention&, size_t)>& visit) {
  for (size_t begin = 0; begin < pairs.size(); begin += kPairsAtOnce) {
    const size_t end = std::min(pairs.size(), begin + kPairsAtOnce);
    visit(AttendPairs(model, {pairs.begin() + static_cast<int64_t>(begin),
                              pairs.begin() + static_cast<int64_t>(end)}),
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
