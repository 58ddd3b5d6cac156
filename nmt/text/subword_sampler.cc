#include "nmt/text/subword_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

namespace nmt {
namespace {

// SentencePiece's: an unknown character costs this much more than the rarest piece.
constexpr double kUnknownPenalty = 10;

// Where each character begins, and the end of the text.
std::vector<size_t> CharacterStarts(std::string_view text) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

}  // namespace

SubwordSampler::SubwordSampler(std::unordered_map<std::string, ScoredPiece> pieces,
                               int64_t unknown_id, TokenizerType type,
                               std::vector<int64_t> byte_ids)
    : pieces_(pieces.begin(), pieces.end()),
      unknown_id_(unknown_id),
      type_(type),
      byte_ids_(std::move(byte_ids)) {
  for (const auto& [text, piece] : pieces_) {
    longest_piece_ = std::max(longest_piece_, text.size());
    unknown_score_ = std::min(unknown_score_, piece.score);
  }
  unknown_score_ -= kUnknownPenalty;
}

const ScoredPiece* SubwordSampler::Find(std::string_view text) const {
  const auto found = pieces_.find(text);
  return found == pieces_.end() ? nullptr : &found->second;
}

std::vector<int64_t> SubwordSampler::Sample(std::string_view normalized, double sampling,
                                            uint64_t seed) const {
  const std::vector<size_t> starts = CharacterStarts(normalized);
  SplitMix64 random(seed);
  const std::vector<int64_t> sampled = type_ == TokenizerType::kUnigram
                                           ? SampleUnigram(normalized, starts, sampling, &random)
                                           : SampleBpe(normalized, starts, sampling, &random);
  std::vector<int64_t> ids;
  for (const int64_t id : sampled) {
    if (id >= 0) {
      ids.push_back(id);
    } else if (!byte_ids_.empty()) {
      const auto character = static_cast<size_t>(-1 - id);
      for (size_t i = starts[character]; i < starts[character + 1]; ++i)
        ids.push_back(byte_ids_[static_cast<unsigned char>(normalized[i])]);
    } else if (ids.empty() || ids.back() != unknown_id_) {
      ids.push_back(unknown_id_);
    }
  }
  return ids;
}

// Forward filtering: forward[j] = log of the sum, over all segmentations of the first j characters,
// of prod p(piece)^alpha. Backward sampling: from the end, the last piece [i, j) is drawn with
// probability exp(forward[i] + alpha log p(piece) - forward[j]).
std::vector<int64_t> SubwordSampler::SampleUnigram(std::string_view text,
                                                   const std::vector<size_t>& starts, double alpha,
                                                   SplitMix64* random) const {
  struct Last {
    size_t begin;  // character
    int64_t id;
    double score;
  };
  const size_t characters = starts.size() - 1;
  std::vector<std::vector<Last>> ending_at(characters + 1);
  for (size_t i = 0; i < characters; ++i) {
    for (size_t j = i + 1; j <= characters && starts[j] - starts[i] <= longest_piece_; ++j) {
      const ScoredPiece* piece = Find(text.substr(starts[i], starts[j] - starts[i]));
      if (piece != nullptr) ending_at[j].push_back({i, piece->id, alpha * piece->score});
    }
    if (Find(text.substr(starts[i], starts[i + 1] - starts[i])) == nullptr) {
      ending_at[i + 1].push_back({i, -1 - static_cast<int64_t>(i), alpha * unknown_score_});
    }
  }

  std::vector<double> forward(characters + 1, 0);
  for (size_t j = 1; j <= characters; ++j) {
    double highest = -std::numeric_limits<double>::infinity();
    for (const Last& last : ending_at[j]) {
      highest = std::max(highest, forward[last.begin] + last.score);
    }
    double sum = 0;
    for (const Last& last : ending_at[j]) {
      sum += std::exp(forward[last.begin] + last.score - highest);
    }
    forward[j] = highest + std::log(sum);
  }

  std::vector<int64_t> ids;
  for (size_t j = characters; j > 0;) {
    double rest = random->Uniform();
    size_t chosen = 0;
    for (; chosen + 1 < ending_at[j].size(); ++chosen) {
      const Last& last = ending_at[j][chosen];
      rest -= std::exp(forward[last.begin] + last.score - forward[j]);
      if (rest < 0) break;
    }
    ids.push_back(ending_at[j][chosen].id);
    j = ending_at[j][chosen].begin;
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

std::vector<int64_t> SubwordSampler::SampleBpe(std::string_view text,
                                               const std::vector<size_t>& starts, double dropout,
                                               SplitMix64* random) const {
  // Symbol i begins at character i; the symbols are a list linked by `previous` and `next`, and a
  // symbol that was merged into its left neighbour has end 0.
  struct Symbol {
    size_t end, previous, next;
  };
  struct Merge {
    double score;
    size_t left, end;  // out of date when the right symbol no longer ends at `end`
    bool operator<(const Merge& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };
  const size_t characters = starts.size() - 1;
  std::vector<Symbol> symbols(characters);
  for (size_t i = 0; i < characters; ++i) symbols[i] = {i + 1, i - 1, i + 1};
  const auto text_of = [&](size_t begin, size_t end) {
    return text.substr(starts[begin], starts[end] - starts[begin]);
  };

  std::priority_queue<Merge> possible;
  const auto consider = [&](size_t left) {
    if (left >= characters || symbols[left].next >= characters) return;
    const size_t end = symbols[symbols[left].next].end;
    const ScoredPiece* piece = Find(text_of(left, end));
    if (piece != nullptr) possible.push({piece->score, left, end});
  };
  for (size_t i = 0; i < characters; ++i) consider(i);

  // Only the merges up to the first that is not dropped need a draw; the dropped ones are possible
  // again in the next step.
  std::vector<Merge> dropped;
  while (!possible.empty()) {
    const Merge merge = possible.top();
    possible.pop();
    Symbol& left = symbols[merge.left];
    if (left.end == 0 || left.next >= characters || symbols[left.next].end != merge.end) continue;
    if (random->Uniform() < dropout) {
      dropped.push_back(merge);
      continue;
    }
    symbols[left.next].end = 0;
    left.end = merge.end;
    left.next = merge.end;
    if (merge.end < characters) symbols[merge.end].previous = merge.left;
    consider(left.previous);
    consider(merge.left);
    for (const Merge& again : dropped) possible.push(again);
    dropped.clear();
  }

  std::vector<int64_t> ids;
  for (size_t i = 0; i < characters; i = symbols[i].next) {
    const ScoredPiece* piece = Find(text_of(i, symbols[i].end));
    ids.push_back(piece != nullptr ? piece->id : -1 - static_cast<int64_t>(i));
  }
  return ids;
}

}  // namespace nmt
