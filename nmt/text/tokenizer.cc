#include "nmt/text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "nmt/base/file.h"
#include "nmt/text/lines.h"
#include "nmt/text/sentencepiece_wrapper.h"
#include "nmt/text/subword_sampler.h"

namespace nmt {
namespace {

bool IsReserved(int64_t id) { return id == kPadId || id == kBeginId || id == kEndId; }

SubwordSampler MakeSampler(const SubwordModel& model) {
  std::unordered_map<std::string, ScoredPiece> pieces;
  for (int64_t id = 0; id < model.size(); ++id) {
    if (model.IsText(id)) pieces[model.Piece(id)] = {id, model.Score(id)};
  }
  return SubwordSampler(std::move(pieces), kUnknownId,
                        model.is_unigram() ? TokenizerType::kUnigram : TokenizerType::kBpe,
                        model.ByteIds());
}

// The word of a piece that ends before byte `end` of a line with these words (at least one): the
// last that begins at or before `end`. Where the piece begins tells less, as it may cover words
// before its own that normalise to a blank. The byte at `end` counts because a blank alone goes
// with the word that follows, and because of several pieces of one character only the last has its
// bytes; otherwise it is a blank or of the same word.
int64_t WordOf(const std::vector<WordSpan>& words, size_t end) {
  const auto after = std::partition_point(words.begin(), words.end(),
                                          [&](const WordSpan& word) { return word.begin <= end; });
  return std::max<int64_t>(after - words.begin() - 1, 0);
}

}  // namespace

struct Tokenizer::Impl {
  Impl(std::unique_ptr<SubwordModel> subwords, bool lowercase)
      : model(std::move(subwords)), sampler(MakeSampler(*model)), lowercase(lowercase) {}

  // The line that is encoded: as it is, or in lower case in *lowered.
  std::string_view Prepare(std::string_view line, std::string* lowered) const {
    if (!lowercase) return line;
    *lowered = LowerCase(line);
    return *lowered;
  }

  // A line without words has no pieces, also where the normalisation would leave one.
  std::vector<SubwordPiece> Encode(std::string_view prepared) const {
    return IsBlank(prepared) ? std::vector<SubwordPiece>() : model->Encode(prepared);
  }

  std::unique_ptr<const SubwordModel> model;
  SubwordSampler sampler;
  bool lowercase;
};

Tokenizer::Tokenizer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<Tokenizer> Tokenizer::Load(const std::filesystem::path& model, bool lowercase) {
  NMT_ASSIGN_OR_RETURN(const std::string serialized, ReadFile(model));
  std::string error;
  std::unique_ptr<SubwordModel> subwords = SubwordModel::Parse(serialized, &error);
  if (subwords == nullptr) {
    return DataError(fmt::format("{}: is not a SentencePiece model, or damaged", model.string()));
  }
  if (subwords->pad_id() != kPadId || subwords->unknown_id() != kUnknownId ||
      subwords->begin_id() != kBeginId || subwords->end_id() != kEndId) {
    return DataError(fmt::format(
        "{}: has the ids {} {} {} {} for <pad> <unk> <s> </s>, expected {} {} {} {}",
        model.string(), subwords->pad_id(), subwords->unknown_id(), subwords->begin_id(),
        subwords->end_id(), kPadId, kUnknownId, kBeginId, kEndId));
  }
  return Tokenizer(std::make_shared<const Impl>(std::move(subwords), lowercase));
}

int64_t Tokenizer::vocab_size() const { return impl_->model->size(); }

std::vector<int64_t> Tokenizer::Encode(std::string_view line) const {
  std::string lowered;
  std::vector<int64_t> ids;
  for (const SubwordPiece& piece : impl_->Encode(impl_->Prepare(line, &lowered))) {
    ids.push_back(piece.id);
  }
  return ids;
}

std::vector<int64_t> Tokenizer::Sample(std::string_view line, double sampling,
                                       uint64_t seed) const {
  if (sampling == 0) return Encode(line);
  std::string lowered;
  std::string normalized;
  for (const SubwordPiece& piece : impl_->Encode(impl_->Prepare(line, &lowered))) {
    normalized += piece.text;
  }
  return impl_->sampler.Sample(normalized, sampling, seed);
}

EncodedLine Tokenizer::EncodeWithWords(std::string_view line) const {
  std::string lowered;
  const std::string_view prepared = impl_->Prepare(line, &lowered);
  const std::vector<WordSpan> words = WordSpans(prepared);
  EncodedLine encoded;
  for (const SubwordPiece& piece : impl_->Encode(prepared)) {
    encoded.ids.push_back(piece.id);
    encoded.words.push_back(WordOf(words, piece.end));
  }
  return encoded;
}

EncodedLine Tokenizer::SampleWithWords(std::string_view line, double sampling,
                                       uint64_t seed) const {
  if (sampling == 0) return EncodeWithWords(line);
  std::vector<int64_t> ids = Sample(line, sampling, seed);
  DecodedLine decoded = DecodeWithWords(ids);
  if (WordSpans(decoded.text).size() != WordSpans(line).size()) return EncodeWithWords(line);
  return {std::move(ids), std::move(decoded.words)};
}

std::string Tokenizer::Decode(const std::vector<int64_t>& ids) const {
  return DecodeWithWords(ids).text;
}

DecodedLine Tokenizer::DecodeWithWords(const std::vector<int64_t>& ids) const {
  std::vector<int64_t> text_ids;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(text_ids),
               [](int64_t id) { return !IsReserved(id); });
  DecodedLine decoded;
  std::vector<size_t> ends;  // of the pieces, in the text
  for (const std::string& surface : impl_->model->Surfaces(text_ids)) {
    for (const char c : CleanLine(surface)) {
      const bool is_extra_blank = c == ' ' && (decoded.text.empty() || decoded.text.back() == ' ');
      if (!is_extra_blank) decoded.text += c;
    }
    ends.push_back(decoded.text.size());
  }
  if (decoded.text.ends_with(' ')) decoded.text.pop_back();

  const std::vector<WordSpan> words = WordSpans(decoded.text);
  auto end = ends.begin();
  for (const int64_t id : ids) {
    const bool has_word = !IsReserved(id) && !words.empty();
    decoded.words.push_back(has_word ? WordOf(words, *end) : -1);
    if (!IsReserved(id)) ++end;
  }
  return decoded;
}

std::string Tokenizer::Piece(int64_t id) const { return impl_->model->Piece(id); }

}  // namespace nmt
