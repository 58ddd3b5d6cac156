#include "nmt/decoding/translator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <mutex>

#include "nmt/decoding/share_among_threads.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

// Batches of longer sentences are smaller, so that memory is bounded by the batch size.
constexpr int64_t kUsualLength = 100;

}  // namespace

std::vector<std::vector<size_t>> BatchesByLength(const std::vector<size_t>& lengths,
                                                 int64_t batch_size) {
  std::vector<size_t> order;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<size_t>> batches;
  for (size_t begin = 0; begin < order.size(); begin += batches.back().size()) {
    const auto length = static_cast<int64_t>(lengths[order[begin]]);
    const auto most =
        static_cast<size_t>(std::clamp<int64_t>(kUsualLength * batch_size / length, 1, batch_size));
    const size_t end = std::min(order.size(), begin + most);
    batches.emplace_back(order.begin() + static_cast<int64_t>(begin),
                         order.begin() + static_cast<int64_t>(end));
  }
  return batches;
}

TranslatorOptions FromConfig(const TranslationOptions& options) {
  TranslatorOptions from;
  from.search.beam_size = options.beam_size;
  from.search.length_penalty = options.length_penalty;
  if (options.max_length > 0) from.search.max_length = {0, options.max_length};
  from.batch_size = options.batch_size;
  from.max_source_length = options.max_source_length;
  return from;
}

absl::Status CheckEnsemble(const std::vector<const TrainedModel*>& models) {
  for (const TrainedModel* model : models) {
    if (model->tokenizers.target_checksum == models[0]->tokenizers.target_checksum) continue;
    return DataError(
        fmt::format("{} and {} have different target vocabularies: they cannot translate together",
                    models[0]->path.string(), model->path.string()));
  }
  return absl::OkStatus();
}

Translator::Translator(const std::vector<const TrainedModel*>& models,
                       const TranslatorOptions& options)
    : models_(models), options_(options) {
  for (const TrainedModel* model : models) {
    options_.max_source_length = std::min(options_.max_source_length, model->model->max_length());
    longest_target_ = std::min(longest_target_, model->model->max_length() - 1);
    inferences_.push_back(MakeInference(model->model, options.precision));
    ensemble_.push_back(inferences_.back().get());
  }
}

std::vector<Translation> Translator::Translate(const std::vector<std::string>& lines,
                                               const TranslateCall& call) const {
  const Tokenizer& target = models_[0]->tokenizers.target;
  TORCH_CHECK(call.prefixes.empty() || call.prefixes.size() == lines.size(), call.prefixes.size(),
              " prefixes for ", lines.size(), " lines");
  const size_t longest = static_cast<size_t>(options_.max_source_length) - 1;
  std::vector<Translation> translations(lines.size());
  std::vector<SearchInput> inputs(lines.size());
  std::vector<size_t> lengths;
  for (size_t i = 0; i < lines.size(); ++i) {
    const int64_t number = call.first_line + static_cast<int64_t>(i);
    inputs[i].number = static_cast<uint64_t>(number);
    size_t length = 0, cut = 0;
    for (const TrainedModel* model : models_) {
      Ids ids = model->tokenizers.source.Encode(CleanLine(lines[i]));
      length = std::max(length, ids.size());
      cut = std::max(cut, ids.size() > longest ? ids.size() : 0);
      ids.resize(std::min(ids.size(), longest));
      inputs[i].sources.push_back(std::move(ids));
    }
    translations[i].is_ill_formed = !IsValidUtf8(lines[i]);
    translations[i].is_cut = cut > 0;
    if (cut > 0) {
      call.warn(fmt::format(
          "line {}: cut to the first {} of its {} pieces (translation.max_source_length {})",
          number, longest, cut, options_.max_source_length));
    }
    if (!call.prefixes.empty()) {
      inputs[i].prefix = target.Encode(CleanLine(call.prefixes[i]));
      const int64_t limit = std::min(
          longest_target_,
          options_.search.max_length.Of(static_cast<int64_t>(inputs[i].sources[0].size())));
      if (length > 0 && static_cast<int64_t>(inputs[i].prefix.size()) >= limit) {
        call.warn(fmt::format(
            "line {}: its prefix has {} pieces, but the longest translation {}; it is cut there",
            number, inputs[i].prefix.size(), limit));
      }
    }
    translations[i].source_ids = inputs[i].sources[0];
    lengths.push_back(std::min(length, longest));
  }
  const auto batches = BatchesByLength(lengths, options_.batch_size);
  int64_t done = 0;
  std::mutex mutex;
  const auto translate = [&](size_t number) {
    const std::vector<size_t>& batch = batches[number];
    std::vector<SearchInput> some;
    for (const size_t i : batch) some.push_back(inputs[i]);
    auto found = Search(ensemble_, some, options_.search);
    for (size_t row = 0; row < batch.size(); ++row) {
      Translation& translation = translations[batch[row]];
      // The same text can come from different pieces: the better one stands for both.
      for (Hypothesis& hypothesis : found[row]) {
        std::string text = target.Decode(hypothesis.ids);
        auto& texts = translation.texts;
        if (std::find(texts.begin(), texts.end(), text) != texts.end()) continue;
        texts.push_back(std::move(text));
        translation.hypotheses.push_back(std::move(hypothesis));
      }
    }
    const std::lock_guard lock(mutex);
    done += static_cast<int64_t>(batch.size());
    call.progress(done);
  };
  if (models_[0]->model->device().is_cpu()) {
    ShareAmongThreads(batches.size(), translate);
  } else {
    for (size_t number = 0; number < batches.size(); ++number) translate(number);
  }
  return translations;
}

}  // namespace nmt
