// Raw text to subword ids and back, by SentencePiece models.
//
//   NMT_ASSIGN_OR_RETURN(TrainedTokenizer size, TrainTokenizer(options, {&source, &target}, path));
//   NMT_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::Load(path, options.lowercase));
//   std::string same = tokenizer.Decode(tokenizer.Encode("Zwei Hunde spielen."));
//
// Before it is cut into pieces, text is normalised by SentencePiece's nmt_nfkc rules: Unicode NFKC
// (full-width letters become ordinary ones, U+2026 three dots, U+00BD "1⁄2", U+FB01 "fi"), no
// control characters, and one blank for each run of white space, zero-width spaces, U+FFFD and
// U+2581 (SentencePiece's own mark of a blank). Translations are in this form. Lower-casing comes
// first, so the few capitals that NFKC itself makes (U+2122 to "TM") stay.
//
// What a user types is always text: "</s>" or "<pad>" in a line never becomes a reserved id.
// Lines are expected as CleanLine gives them.
#ifndef NMT_TEXT_TOKENIZER_H_
#define NMT_TEXT_TOKENIZER_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/config/options.h"

namespace nmt {

inline constexpr int64_t kPadId = 0, kUnknownId = 1, kBeginId = 2, kEndId = 3;

struct EncodedLine {
  std::vector<int64_t> ids;
  // words[i] is the index into WordSpans(line) of the word that piece i belongs to: never falls,
  // always below the number of words. Words that normalise to nothing have no piece.
  std::vector<int64_t> words;
};

struct DecodedLine {
  std::string text;
  // words[i] is the index into WordSpans(text) of the word that ids[i] belongs to; -1 for the
  // padding, begin and end ids, and for every piece when the text has no word.
  std::vector<int64_t> words;
};

// Cheap to copy; its functions may be called from several threads at once.
class Tokenizer {
 public:
  // Reads a model made by TrainTokenizer. Errors name the file: not readable, not a SentencePiece
  // model, or one whose reserved ids are not those above.
  static absl::StatusOr<Tokenizer> Load(const std::filesystem::path& model, bool lowercase);

  int64_t vocab_size() const;

  // The pieces of a line, without begin and end; none for a blank line.
  std::vector<int64_t> Encode(std::string_view line) const;

  // A random segmentation, a pure function of the arguments: unigram smoothing alpha or BPE dropout
  // `sampling` as in subword_sampler.h; sampling 0 gives Encode(line).
  std::vector<int64_t> Sample(std::string_view line, double sampling, uint64_t seed) const;

  EncodedLine EncodeWithWords(std::string_view line) const;

  // As Sample(), with the words. A line whose normal form has other words, as where a character stands
  // for several, is not sampled.
  EncodedLine SampleWithWords(std::string_view line, double sampling, uint64_t seed) const;

  // The text of the pieces as CleanLine gives it, with single blanks between its words and no
  // U+2581; an unknown piece is U+2047. Padding, begin and end give nothing.
  // Throws std::out_of_range when an id is not below vocab_size().
  std::string Decode(const std::vector<int64_t>& ids) const;
  DecodedLine DecodeWithWords(const std::vector<int64_t>& ids) const;

  // The piece as the model writes it: U+2581 for a blank, "</s>" for the end. 0 <= id <
  // vocab_size().
  std::string Piece(int64_t id) const;

 private:
  struct Impl;
  explicit Tokenizer(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

// Pieces that the config asked for, and that the text could fill (got <= asked).
struct TrainedTokenizer {
  int64_t asked, got;
};

// Trains on the lines of `texts`, lower-cased first when the options say so, and writes the model
// atomically; the same lines give the same bytes. Every character of the texts gets a piece; when
// they have over 1,000 different ones (Chinese, or a noisy crawl), those that make up the rarest
// 0.01% become unknown, as each would take a place from the subwords and be seen too seldom to be
// learnt.
// Errors: no text at all; a vocabulary too small for the characters (UsageError naming
// tokenizer.vocab_size and the smallest possible value); the file cannot be written.
absl::StatusOr<TrainedTokenizer> TrainTokenizer(
    const TokenizerOptions& options, const std::vector<const std::vector<std::string>*>& texts,
    const std::filesystem::path& model);

}  // namespace nmt

#endif  // NMT_TEXT_TOKENIZER_H_
