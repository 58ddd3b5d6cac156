// Random segmentations of a line into subwords (subword regularisation), a pure function of the
// seed. SentencePiece samples too, but from a generator that its threads hide.
//
//   SubwordSampler sampler(pieces, TokenizerType::kUnigram);
//   std::vector<int64_t> ids = sampler.Sample("\u2581a\u2581line", /*sampling=*/0.2, /*seed=*/7);
#ifndef NMT_TEXT_SUBWORD_SAMPLER_H_
#define NMT_TEXT_SUBWORD_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nmt/config/options.h"
#include "nmt/text/splitmix64.h"

namespace nmt {

struct ScoredPiece {
  int64_t id;
  double score;  // unigram: log-probability; BPE: higher is merged earlier
};

class SubwordSampler {
 public:
  // `pieces` by their normalised text. A character without a piece becomes its bytes, where their 256
  // pieces are given, else `unknown_id`.
  SubwordSampler(std::unordered_map<std::string, ScoredPiece> pieces, int64_t unknown_id,
                 TokenizerType type, std::vector<int64_t> byte_ids = {});

  // Unigram (Kudo 2018, section 3.2, l = infinity): a segmentation x of `normalized` drawn with
  // P(x) proportional to p(x)^sampling; towards 0 all are alike, at 1 as the model has them.
  // BPE (Provilkov et al. 2020, algorithm 1): at each step every possible merge is dropped with
  // probability `sampling`, and the first of those left is done; at 1 only characters are left.
  // A run of unknown characters is one piece, as in SentencePiece.
  std::vector<int64_t> Sample(std::string_view normalized, double sampling, uint64_t seed) const;

 private:
  // Both give a character i without a piece as -1 - i.
  std::vector<int64_t> SampleUnigram(std::string_view text, const std::vector<size_t>& starts,
                                     double alpha, SplitMix64* random) const;
  std::vector<int64_t> SampleBpe(std::string_view text, const std::vector<size_t>& starts,
                                 double dropout, SplitMix64* random) const;
  const ScoredPiece* Find(std::string_view text) const;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, ScoredPiece, Hash, std::equal_to<>> pieces_;
  int64_t unknown_id_;
  TokenizerType type_;
  std::vector<int64_t> byte_ids_;
  size_t longest_piece_ = 0;  // bytes
  double unknown_score_ = 0;  // log-probability
};

}  // namespace nmt

#endif  // NMT_TEXT_SUBWORD_SAMPLER_H_
