#include "nmt/decoding/search.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nmt {
namespace {

constexpr double kDead = -std::numeric_limits<double>::infinity();

// The search of one sentence: its beam places, live or dead, and what has finished.
struct Sentence {
  size_t index = 0;                     // in the caller's list
  int64_t max_length = 0;               // with </s>
  std::vector<Ids> ids;                 // one a place
  std::vector<double> log_probability;  // one a place; kDead: nothing lives there
  std::vector<Hypothesis> finished;
};

// What a place becomes: an extension of place `parent` by `token`.
struct Extension {
  int64_t parent = 0;
  int64_t token = SpecialIds::kPad;
  double log_probability = kDead;
};

class BeamSearch {
 public:
  BeamSearch(Seq2Seq& model, const SearchOptions& options) : model_(model), options_(options) {}

  std::vector<std::vector<Hypothesis>> Run(const std::vector<Ids>& sources);

 private:
  Sentence Begin(size_t index, const Ids& source) const;
  // The best beam_size continuations of each sentence: [N beam] scores and flat positions parent *
  // V + token.
  std::pair<Tensor, Tensor> BestContinuations(const Tensor& logits_RV) const;
  // Moves finished hypotheses out and fills the places with the others.
  std::vector<Extension> Advance(Sentence& sentence, const double* scores, const int64_t* positions,
                                 int64_t vocabulary) const;
  bool IsDone(const Sentence& sentence) const;
  std::vector<Hypothesis> Conclude(Sentence& sentence) const;
  Hypothesis Finish(const Ids& ids, double log_probability, bool with_end) const;

  Seq2Seq& model_;
  const SearchOptions options_;
  std::vector<Sentence> active_;
};

Sentence BeamSearch::Begin(size_t index, const Ids& source) const {
  const int64_t pieces = static_cast<int64_t>(source.size());
  const int64_t limit = options_.max_length > 0 ? options_.max_length : 2 * pieces + 10;
  // One position stays free for <s>, so that what was found can also be read back by teacher forcing.
  Sentence sentence{index, std::min(limit, model_.max_length() - 1), {}, {}, {}};
  sentence.ids.resize(static_cast<size_t>(options_.beam_size));
  sentence.log_probability.assign(static_cast<size_t>(options_.beam_size), kDead);
  sentence.log_probability[0] =
      0;  // one empty hypothesis: equal copies would fill the beam with duplicates
  return sentence;
}

std::pair<Tensor, Tensor> BeamSearch::BestContinuations(const Tensor& logits_RV) const {
  const int64_t sentences = static_cast<int64_t>(active_.size()), beam = options_.beam_size;
  const int64_t vocabulary = logits_RV.size(1);
  Tensor log_p_RV = logits_RV.log_softmax(1);
  TORCH_CHECK(!log_p_RV.select(1, SpecialIds::kEnd).isnan().any().item<bool>(),
              "the model gives NaN: its weights are broken");
  log_p_RV.select(1, SpecialIds::kPad).fill_(kDead);
  log_p_RV.select(1, SpecialIds::kBegin).fill_(kDead);
  std::vector<double> so_far;
  for (const Sentence& sentence : active_) {
    so_far.insert(so_far.end(), sentence.log_probability.begin(), sentence.log_probability.end());
  }
  // The best of each row first, then the best of a sentence among these: far fewer numbers to sort
  // in double precision.
  const int64_t per_row = std::min(beam, vocabulary);
  auto [row_RK, token_RK] = log_p_RV.topk(per_row, 1);
  const Tensor total_RK =
      row_RK.to(torch::kCPU, torch::kFloat64) + torch::tensor(so_far, torch::kFloat64).unsqueeze(1);
  const Tensor parent_1B1 = torch::arange(beam).view({1, beam, 1});
  const Tensor position_NBK =
      parent_1B1 * vocabulary + token_RK.to(torch::kCPU).view({sentences, beam, per_row});
  const auto [best_NB, slot_NB] = total_RK.view({sentences, -1}).topk(beam, 1);
  return {best_NB.contiguous(), position_NBK.view({sentences, -1}).gather(1, slot_NB)};
}

Hypothesis BeamSearch::Finish(const Ids& ids, double log_probability, bool with_end) const {
  const int64_t length = static_cast<int64_t>(ids.size()) + (with_end ? 1 : 0);
  return {ids, log_probability, LengthNormalized(log_probability, length, options_.length_penalty),
          with_end};
}

std::vector<Extension> BeamSearch::Advance(Sentence& sentence, const double* scores,
                                           const int64_t* positions, int64_t vocabulary) const {
  const size_t beam = static_cast<size_t>(options_.beam_size);
  const size_t places = beam - sentence.finished.size();
  std::vector<Extension> live;
  for (size_t i = 0; i < places && scores[i] != kDead; ++i) {
    const Extension extension{positions[i] / vocabulary, positions[i] % vocabulary, scores[i]};
    if (extension.token == SpecialIds::kEnd) {
      sentence.finished.push_back(Finish(sentence.ids[static_cast<size_t>(extension.parent)],
                                         scores[i], /*with_end=*/true));
    } else {
      live.push_back(extension);
    }
  }
  live.resize(beam);
  std::vector<Ids> ids(beam);
  for (size_t i = 0; i < beam; ++i) {
    sentence.log_probability[i] = live[i].log_probability;
    if (live[i].log_probability == kDead) continue;
    ids[i] = sentence.ids[static_cast<size_t>(live[i].parent)];
    ids[i].push_back(live[i].token);
  }
  sentence.ids = std::move(ids);
  return live;
}

bool BeamSearch::IsDone(const Sentence& sentence) const {
  const double best_live = sentence.log_probability[0];  // places are sorted, best first
  if (best_live == kDead) return true;
  const int64_t length = static_cast<int64_t>(sentence.ids[0].size());
  // The limit counts </s>: of max_length pieces without it no more can become of this hypothesis.
  if (length >= sentence.max_length) return true;
  const size_t wanted = static_cast<size_t>(options_.n_best);
  if (sentence.finished.size() < wanted) return false;
  // A log-probability only falls, and under a length penalty the longest hypothesis is divided
  // most: a bound for all that a live hypothesis can still become.
  const double bound = LengthNormalized(best_live, sentence.max_length, options_.length_penalty);
  std::vector<double> scores;
  for (const Hypothesis& hypothesis : sentence.finished) scores.push_back(hypothesis.score);
  std::nth_element(scores.begin(), scores.begin() + static_cast<int64_t>(wanted) - 1, scores.end(),
                   std::greater<>());
  return scores[wanted - 1] >= bound;
}

std::vector<Hypothesis> BeamSearch::Conclude(Sentence& sentence) const {
  std::vector<Hypothesis> all = std::move(sentence.finished);
  for (size_t i = 0; i < sentence.ids.size(); ++i) {
    if (sentence.log_probability[i] == kDead) continue;
    all.push_back(Finish(sentence.ids[i], sentence.log_probability[i], /*with_end=*/false));
  }
  std::stable_sort(all.begin(), all.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.finished != b.finished ? a.finished : a.score > b.score;
  });
  // The same ids can stand there twice: finished, and cut at the limit.
  std::vector<Hypothesis> distinct;
  for (Hypothesis& hypothesis : all) {
    const bool seen = std::any_of(distinct.begin(), distinct.end(), [&](const Hypothesis& other) {
      return other.ids == hypothesis.ids;
    });
    if (!seen && distinct.size() < static_cast<size_t>(options_.n_best))
      distinct.push_back(std::move(hypothesis));
  }
  return distinct;
}

std::vector<std::vector<Hypothesis>> BeamSearch::Run(const std::vector<Ids>& sources) {
  torch::InferenceMode inference;
  const torch::Device device = model_.device();
  std::vector<std::vector<Hypothesis>> results(sources.size());
  if (sources.empty()) return results;
  const int64_t beam = options_.beam_size;
  DecoderState state = model_.Start(model_.Encode(MakeSourceBatch(sources).To(device)), beam);
  for (size_t i = 0; i < sources.size(); ++i) active_.push_back(Begin(i, sources[i]));
  Ids tokens(sources.size() * static_cast<size_t>(beam), SpecialIds::kBegin);

  while (true) {
    const Tensor logits_RV =
        model_.Step(torch::tensor(tokens, torch::kInt64).to(device), state).logits_RV;
    const auto [scores_NB, positions_NB] = BestContinuations(logits_RV);
    std::vector<Sentence> going_on;
    Ids rows, sentences;
    tokens.clear();
    for (size_t n = 0; n < active_.size(); ++n) {
      const int64_t first = static_cast<int64_t>(n) * beam;
      const auto extensions =
          Advance(active_[n], scores_NB.const_data_ptr<double>() + first,
                  positions_NB.const_data_ptr<int64_t>() + first, logits_RV.size(1));
      if (IsDone(active_[n])) {
        results[active_[n].index] = Conclude(active_[n]);
        continue;
      }
      for (const Extension& extension : extensions) {
        rows.push_back(first + extension.parent);
        tokens.push_back(extension.token);
      }
      sentences.push_back(static_cast<int64_t>(n));
      going_on.push_back(std::move(active_[n]));
    }
    const bool some_left = going_on.size() < active_.size();
    active_ = std::move(going_on);
    if (active_.empty()) return results;
    model_.Reorder(state, torch::tensor(rows, torch::kInt64).to(device),
                   some_left ? torch::tensor(sentences, torch::kInt64).to(device) : Tensor());
  }
}

}  // namespace

double LengthNormalized(double log_probability, int64_t length, double alpha) {
  if (alpha == 0 || length == 0) return log_probability;
  return log_probability / std::pow(static_cast<double>(length), alpha);
}

std::vector<std::vector<Hypothesis>> Search(Seq2Seq& model, const std::vector<Ids>& sources,
                                            const SearchOptions& options) {
  TORCH_CHECK(options.beam_size >= 1 && options.n_best >= 1 && options.n_best <= options.beam_size,
              "beam_size ", options.beam_size, " and n_best ", options.n_best,
              ": expected 1 <= n_best <= beam_size");
  return BeamSearch(model, options).Run(sources);
}

}  // namespace nmt
