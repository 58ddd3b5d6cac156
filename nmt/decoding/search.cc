#include "nmt/decoding/search.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nmt/decoding/sampling.h"

namespace nmt {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// A hypothesis that still grows.
struct BeamSlot {
  Ids ids;
  double log_probability = 0;
  std::vector<float> coverage;  // of the coverage penalty: the attention that each source piece had
  int64_t row = 0;              // of the decoder
};

// The search of one sentence.
struct Sentence {
  size_t index = 0;  // in the caller's list
  const SearchInput* input = nullptr;
  int64_t min_length = 0, max_length = 0;  // with </s>
  std::vector<BeamSlot> slots;             // at most beam_size with the finished ones
  std::vector<Hypothesis> finished;
};

// What a slot may become: the hypothesis of slot `parent` with `token` added.
struct Candidate {
  size_t parent = 0;
  int64_t token = SpecialIds::kPad;
  double log_probability = 0;
  double rank = 0;  // the beam takes those that have most
};

// The tokens that would make the last `n` pieces ones that stood before.
Ids RepeatingTokens(const Ids& ids, int64_t n) {
  Ids repeating;
  const auto context = static_cast<size_t>(n - 1);
  if (n == 0 || ids.size() <= context) return repeating;
  const auto last = ids.end() - static_cast<int64_t>(context);
  for (auto begin = ids.begin(); begin + static_cast<int64_t>(context) != ids.end(); ++begin) {
    if (std::equal(last, ids.end(), begin))
      repeating.push_back(*(begin + static_cast<int64_t>(context)));
  }
  return repeating;
}

class Searcher {
 public:
  Searcher(const Ensemble& models, const SearchOptions& options)
      : models_(models), options_(options), beam_(static_cast<size_t>(options.beam_size)) {}

  std::vector<std::vector<Hypothesis>> Run(const std::vector<SearchInput>& inputs);

 private:
  Sentence Begin(size_t index, const SearchInput& input) const;
  // The tokens that `slot` may not be continued by, beside those that never are.
  Ids Banned(const Sentence& sentence, const BeamSlot& slot) const;
  // For each sentence what its slots may become: beam search's best, or the samples.
  std::vector<std::vector<Candidate>> Candidates(const EnsembleDecoder& decoder) const;
  std::vector<Candidate> BestOfSentence(size_t n, const NextTokens& next) const;
  std::vector<Candidate> Forced(size_t n, const Tensor& log_p_RV) const;
  std::vector<Candidate> Sampled(size_t n, const Tensor& log_p_RV) const;
  // Moves finished hypotheses out and fills the slots with the others; the row of a slot is then its
  // parent's. `attention`: undefined where the search does not need it.
  void Advance(Sentence& sentence, const std::vector<Candidate>& candidates,
               const Tensor& attention_RS) const;
  bool IsDone(const Sentence& sentence) const;
  std::vector<Hypothesis> Conclude(Sentence& sentence) const;
  Hypothesis Finish(const BeamSlot& slot, bool with_end) const;

  const Ensemble& models_;
  const SearchOptions& options_;
  const size_t beam_;
  std::vector<Sentence> active_;
};

Sentence Searcher::Begin(size_t index, const SearchInput& input) const {
  Sentence sentence{.index = index, .input = &input};
  const auto pieces = static_cast<int64_t>(input.sources[0].size());
  // One position stays free for <s>, so that what was found can also be read back by teacher forcing.
  sentence.max_length = std::max<int64_t>(1, options_.max_length.Of(pieces));
  for (const Inference* model : models_)
    sentence.max_length = std::min(sentence.max_length, model->max_length() - 1);
  sentence.min_length = std::min(options_.min_length.Of(pieces), sentence.max_length);
  // Beam search begins with one empty hypothesis: equal copies would fill the beam with duplicates.
  sentence.slots.resize(options_.sampling ? beam_ : 1, {.row = static_cast<int64_t>(index)});
  if (options_.coverage_penalty > 0)
    for (BeamSlot& slot : sentence.slots) slot.coverage.resize(input.sources[0].size());
  return sentence;
}

Ids Searcher::Banned(const Sentence& sentence, const BeamSlot& slot) const {
  Ids banned = RepeatingTokens(slot.ids, options_.no_repeat_ngram);
  if (static_cast<int64_t>(slot.ids.size()) + 1 < sentence.min_length)
    banned.push_back(SpecialIds::kEnd);
  return banned;
}

std::vector<Candidate> Searcher::BestOfSentence(size_t n, const NextTokens& next) const {
  const Sentence& sentence = active_[n];
  std::vector<Candidate> found;
  for (size_t i = 0; i < sentence.slots.size(); ++i) {
    const BeamSlot& slot = sentence.slots[i];
    const Ids banned = Banned(sentence, slot);
    const auto first = static_cast<size_t>(slot.row * next.count);
    size_t taken = 0;
    for (size_t j = first; j < first + static_cast<size_t>(next.count) && taken < beam_; ++j) {
      const double log_p = static_cast<double>(next.log_probabilities[j]);
      if (log_p == kImpossible) break;
      if (std::find(banned.begin(), banned.end(), next.tokens[j]) != banned.end()) continue;
      const double sum = slot.log_probability + log_p;
      found.push_back(
          {i, next.tokens[j], sum, sum - options_.diversity * static_cast<double>(taken)});
      ++taken;
    }
  }
  const size_t slots = beam_ - sentence.finished.size();
  // Stable: of equal ones, those of the better slot and then of the lower token.
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
  if (found.size() > slots) found.resize(slots);
  return found;
}

std::vector<Candidate> Searcher::Forced(size_t n, const Tensor& log_p_RV) const {
  const Sentence& sentence = active_[n];
  std::vector<Candidate> found;
  for (size_t i = 0; i < sentence.slots.size(); ++i) {
    const BeamSlot& slot = sentence.slots[i];
    const int64_t token = sentence.input->prefix[slot.ids.size()];
    const double log_p = log_p_RV[slot.row][token].item<double>();
    found.push_back({i, token, slot.log_probability + log_p});
  }
  return found;
}

std::vector<Candidate> Searcher::Sampled(size_t n, const Tensor& log_p_RV) const {
  const Sentence& sentence = active_[n];
  std::vector<Candidate> found;
  for (size_t i = 0; i < sentence.slots.size(); ++i) {
    const BeamSlot& slot = sentence.slots[i];
    Ids banned = Banned(sentence, slot);
    banned.insert(banned.end(), {SpecialIds::kPad, SpecialIds::kBegin});
    const Tensor log_p_V = log_p_RV[slot.row];
    const uint64_t step = slot.ids.size();
    const auto token = SampleToken(log_p_V, banned, *options_.sampling,
                                   {sentence.input->number, static_cast<uint64_t>(i), step});
    if (!token) continue;
    found.push_back({i, *token, slot.log_probability + log_p_V[*token].item<double>()});
  }
  return found;
}

std::vector<std::vector<Candidate>> Searcher::Candidates(const EnsembleDecoder& decoder) const {
  const auto is_forced = [](const Sentence& sentence) {
    return sentence.slots[0].ids.size() < sentence.input->prefix.size();
  };
  const bool some_forced = std::any_of(active_.begin(), active_.end(), is_forced);
  Tensor log_p_RV;
  if (options_.sampling || some_forced) {
    log_p_RV = decoder.LogProbabilities().to(torch::kCPU);
    TORCH_CHECK(!log_p_RV.isnan().any().item<bool>(),
                "the model gives NaN: its weights are broken");
  }
  NextTokens next;
  if (!options_.sampling) {
    size_t banned = 0;
    if (options_.no_repeat_ngram > 0 || options_.min_length.factor > 0 ||
        options_.min_length.constant > 0) {
      for (const Sentence& sentence : active_) {
        for (const BeamSlot& slot : sentence.slots)
          banned = std::max(banned, Banned(sentence, slot).size());
      }
    }
    next = decoder.Best(static_cast<int64_t>(beam_ + banned));
  }
  std::vector<std::vector<Candidate>> found;
  for (size_t n = 0; n < active_.size(); ++n) {
    if (is_forced(active_[n])) {
      found.push_back(Forced(n, log_p_RV));
    } else {
      found.push_back(options_.sampling ? Sampled(n, log_p_RV) : BestOfSentence(n, next));
    }
  }
  return found;
}

Hypothesis Searcher::Finish(const BeamSlot& slot, bool with_end) const {
  const int64_t length = static_cast<int64_t>(slot.ids.size()) + (with_end ? 1 : 0);
  const double score = LengthNormalized(slot.log_probability, length, options_.length_penalty_kind,
                                        options_.length_penalty) +
                       CoverageScore(slot.coverage, options_.coverage_penalty);
  return {slot.ids, slot.log_probability, score, with_end};
}

void Searcher::Advance(Sentence& sentence, const std::vector<Candidate>& candidates,
                       const Tensor& attention_RS) const {
  std::vector<BeamSlot> slots;
  for (const Candidate& candidate : candidates) {
    const BeamSlot& parent = sentence.slots[candidate.parent];
    BeamSlot slot{parent.ids, candidate.log_probability, parent.coverage, parent.row};
    if (attention_RS.defined()) {
      const float* row = attention_RS.const_data_ptr<float>() + parent.row * attention_RS.size(1);
      for (size_t s = 0; s < slot.coverage.size(); ++s) slot.coverage[s] += row[s];
    }
    if (candidate.token == SpecialIds::kEnd) {
      sentence.finished.push_back(Finish(slot, /*with_end=*/true));
      continue;
    }
    slot.ids.push_back(candidate.token);
    slots.push_back(std::move(slot));
  }
  sentence.slots = std::move(slots);
}

bool Searcher::IsDone(const Sentence& sentence) const {
  if (sentence.slots.empty()) return true;
  // The limit counts </s>: of max_length pieces without it no more can become of a hypothesis.
  if (static_cast<int64_t>(sentence.slots[0].ids.size()) >= sentence.max_length) return true;
  const auto wanted = static_cast<size_t>(options_.n_best);
  if (options_.sampling || sentence.finished.size() < wanted) return false;
  // A log-probability only falls, under a length penalty the longest hypothesis is divided most, and
  // the coverage score is never above 0: a bound for all that a live hypothesis can still become.
  double best = kImpossible;
  for (const BeamSlot& slot : sentence.slots) best = std::max(best, slot.log_probability);
  const double bound = LengthNormalized(best, sentence.max_length, options_.length_penalty_kind,
                                        options_.length_penalty);
  std::vector<double> scores;
  for (const Hypothesis& hypothesis : sentence.finished) scores.push_back(hypothesis.score);
  std::nth_element(scores.begin(), scores.begin() + static_cast<int64_t>(wanted) - 1, scores.end(),
                   std::greater<>());
  return scores[wanted - 1] >= bound;
}

std::vector<Hypothesis> Searcher::Conclude(Sentence& sentence) const {
  std::vector<Hypothesis> all = std::move(sentence.finished);
  // What was cut at the limit is no translation: it is given only where there is none.
  if (all.empty()) {
    for (const BeamSlot& slot : sentence.slots) all.push_back(Finish(slot, /*with_end=*/false));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  // The same ids can be sampled twice.
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

std::vector<std::vector<Hypothesis>> Searcher::Run(const std::vector<SearchInput>& inputs) {
  const torch::InferenceMode inference;
  std::vector<std::vector<Hypothesis>> results(inputs.size());
  if (inputs.empty()) return results;
  std::vector<std::vector<Ids>> sources(models_.size());
  StartOptions start{
      .beam_size = options_.beam_size, .max_steps = 0, .attention = options_.coverage_penalty > 0};
  for (size_t i = 0; i < inputs.size(); ++i) {
    TORCH_CHECK(inputs[i].sources.size() == models_.size(), "sentence ", i, " is read by ",
                inputs[i].sources.size(), " models, expected ", models_.size());
    for (size_t m = 0; m < models_.size(); ++m) sources[m].push_back(inputs[i].sources[m]);
    active_.push_back(Begin(i, inputs[i]));
    start.max_steps = std::max(start.max_steps, active_.back().max_length);
  }
  EnsembleDecoder decoder(models_, sources, start);
  Ids tokens(inputs.size(), SpecialIds::kBegin);

  while (true) {
    decoder.Step(tokens);
    const auto candidates = Candidates(decoder);
    const Tensor attention_RS =
        start.attention ? decoder.attention_RS().to(torch::kCPU, torch::kFloat32).contiguous()
                        : Tensor();
    std::vector<Sentence> going_on;
    Ids rows;
    tokens.clear();
    for (size_t n = 0; n < active_.size(); ++n) {
      Sentence& sentence = active_[n];
      const bool dead_end = candidates[n].empty();  // all that could follow is forbidden
      if (!dead_end) Advance(sentence, candidates[n], attention_RS);
      if (dead_end || IsDone(sentence)) {
        results[sentence.index] = Conclude(sentence);
        continue;
      }
      for (BeamSlot& slot : sentence.slots) {
        rows.push_back(slot.row);
        slot.row = static_cast<int64_t>(tokens.size());
        tokens.push_back(slot.ids.back());
      }
      going_on.push_back(std::move(sentence));
    }
    active_ = std::move(going_on);
    if (active_.empty()) return results;
    decoder.Reorder(rows);
  }
}

}  // namespace

double LengthNormalized(double log_probability, int64_t length, LengthPenalty kind, double alpha) {
  if (alpha == 0 || length == 0) return log_probability;
  const auto pieces = static_cast<double>(length);
  return log_probability /
         std::pow(kind == LengthPenalty::kGnmt ? (5 + pieces) / 6 : pieces, alpha);
}

double CoverageScore(const std::vector<float>& coverage, double beta) {
  constexpr double kLeast =
      1e-10;  // so that a piece that nothing looks at costs much, not everything
  double sum = 0;
  for (const float look : coverage)
    sum += std::log(std::clamp(static_cast<double>(look), kLeast, 1.0));
  return beta * sum;
}

std::vector<std::vector<Hypothesis>> Search(const Ensemble& models,
                                            const std::vector<SearchInput>& inputs,
                                            const SearchOptions& options) {
  TORCH_CHECK(options.beam_size >= 1 && options.n_best >= 1 && options.n_best <= options.beam_size,
              "beam_size ", options.beam_size, " and n_best ", options.n_best,
              ": expected 1 <= n_best <= beam_size");
  return Searcher(models, options).Run(inputs);
}

}  // namespace nmt
