#include "nmt/decoding/translator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "nmt/text/lines.h"

namespace nmt {

std::vector<std::vector<size_t>> BatchesByLength(const std::vector<size_t>& lengths,
                                                 int64_t batch_size) {
  std::vector<size_t> order;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<size_t>> batches;
  for (size_t begin = 0; begin < order.size(); begin += static_cast<size_t>(batch_size)) {
    const size_t end = std::min(order.size(), begin + static_cast<size_t>(batch_size));
    batches.emplace_back(order.begin() + static_cast<int64_t>(begin),
                         order.begin() + static_cast<int64_t>(end));
  }
  return batches;
}

TranslatorOptions FromConfig(const TranslationOptions& options) {
  return {.search = {.beam_size = options.beam_size,
                     .length_penalty = options.length_penalty,
                     .max_length = options.max_length},
          .batch_size = options.batch_size,
          .max_source_length = options.max_source_length};
}

Translator::Translator(const TrainedModel& model, const TranslatorOptions& options)
    : model_(model), options_(options) {
  options_.max_source_length = std::min(options.max_source_length, model.model->max_length());
}

std::vector<Translation> Translator::Translate(const std::vector<std::string>& lines,
                                               int64_t first_line,
                                               const std::function<void(const std::string&)>& warn,
                                               const std::function<void(int64_t)>& progress) const {
  const Tokenizer& source = model_.tokenizers.source;
  const Tokenizer& target = model_.tokenizers.target;
  const size_t longest = static_cast<size_t>(options_.max_source_length) - 1;
  std::vector<Translation> translations(lines.size());
  std::vector<size_t> lengths;
  for (size_t i = 0; i < lines.size(); ++i) {
    Ids& ids = translations[i].source_ids = source.Encode(CleanLine(lines[i]));
    if (ids.size() > longest) {
      warn(fmt::format(
          "line {}: cut to the first {} of its {} pieces (translation.max_source_length {})",
          first_line + static_cast<int64_t>(i), longest, ids.size(), options_.max_source_length));
      ids.resize(longest);
    }
    lengths.push_back(ids.size());
  }
  int64_t done = 0;
  for (const std::vector<size_t>& batch : BatchesByLength(lengths, options_.batch_size)) {
    std::vector<Ids> sources;
    for (const size_t i : batch) sources.push_back(translations[i].source_ids);
    auto found = Search(*model_.model, sources, options_.search);
    for (size_t row = 0; row < batch.size(); ++row) {
      Translation& translation = translations[batch[row]];
      translation.hypotheses = std::move(found[row]);
      for (const Hypothesis& hypothesis : translation.hypotheses) {
        translation.texts.push_back(target.Decode(hypothesis.ids));
      }
    }
    done += static_cast<int64_t>(batch.size());
    if (progress) progress(done);
  }
  return translations;
}

}  // namespace nmt
