#include "nmt/text/sentencepiece_wrapper.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace nmt {
namespace {

class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const NextLine& next) : next_(next), line_(next_()) {}
  bool done() const override { return line_ == nullptr; }
  void Next() override { line_ = next_(); }
  const std::string& value() const override { return *line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const NextLine& next_;
  const std::string* line_;
};

}  // namespace

struct SubwordModel::Impl {
  sentencepiece::SentencePieceProcessor processor;
  bool is_unigram = false;
};

SubwordModel::SubwordModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SubwordModel::~SubwordModel() = default;

std::unique_ptr<SubwordModel> SubwordModel::Parse(std::string_view serialized, std::string* error) {
  auto impl = std::make_unique<Impl>();
  const auto status = impl->processor.LoadFromSerializedProto(serialized);
  if (!status.ok()) {
    *error = status.error_message();
    return nullptr;
  }
  // The public interface has no name for the type, but this only works "in model_type=unigram".
  float entropy = 0;
  impl->is_unigram = impl->processor.CalculateEntropy("a", /*alpha=*/1, &entropy).ok();
  return std::unique_ptr<SubwordModel>(new SubwordModel(std::move(impl)));
}

int64_t SubwordModel::size() const { return impl_->processor.GetPieceSize(); }
bool SubwordModel::is_unigram() const { return impl_->is_unigram; }
int64_t SubwordModel::pad_id() const { return impl_->processor.pad_id(); }
int64_t SubwordModel::unknown_id() const { return impl_->processor.unk_id(); }
int64_t SubwordModel::begin_id() const { return impl_->processor.bos_id(); }
int64_t SubwordModel::end_id() const { return impl_->processor.eos_id(); }

const std::string& SubwordModel::Piece(int64_t id) const {
  return impl_->processor.IdToPiece(static_cast<int>(id));
}

double SubwordModel::Score(int64_t id) const {
  return impl_->processor.GetScore(static_cast<int>(id));
}

bool SubwordModel::IsText(int64_t id) const {
  const auto& processor = impl_->processor;
  const int i = static_cast<int>(id);
  return !processor.IsUnknown(i) && !processor.IsControl(i) && !processor.IsByte(i) &&
         !processor.IsUnused(i);
}

std::vector<int64_t> SubwordModel::ByteIds() const {
  std::vector<int64_t> ids;
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
    const int id = impl_->processor.PieceToId(name);
    if (impl_->processor.IsByte(id)) ids.push_back(id);
  }
  if (ids.size() != 256) ids.clear();
  return ids;
}

std::vector<SubwordPiece> SubwordModel::Encode(std::string_view line) const {
  const auto encoded = impl_->processor.EncodeAsImmutableProto(line);
  std::vector<SubwordPiece> pieces;
  pieces.reserve(encoded.pieces_size());
  for (const auto& piece : encoded.pieces()) {
    std::string text = piece.piece();
    if (impl_->processor.IsByte(static_cast<int>(piece.id())))  // "<0xE7>"
      text = std::string(1, static_cast<char>(std::stoi(text.substr(3, 2), nullptr, 16)));
    pieces.push_back({std::move(text), piece.id(), piece.end()});
  }
  return pieces;
}

std::vector<std::string> SubwordModel::Surfaces(const std::vector<int64_t>& ids) const {
  const auto decoded = impl_->processor.DecodeIdsAsImmutableProto({ids.begin(), ids.end()});
  if (decoded.pieces_size() != ids.size()) throw std::out_of_range("an id beyond the vocabulary");
  std::vector<std::string> surfaces;
  surfaces.reserve(decoded.pieces_size());
  for (const auto& piece : decoded.pieces()) surfaces.push_back(piece.surface());
  return surfaces;
}

bool TrainSubwords(const SubwordTraining& training, const NextLine& next, std::string* serialized,
                   std::string* error) {
  const std::unordered_map<std::string, std::string> options = {
      {"model_type", training.model_type},
      {"vocab_size", std::to_string(training.vocab_size)},
      {"character_coverage", std::to_string(training.character_coverage)},
      {"hard_vocab_limit", "false"},  // a corpus that cannot fill the vocabulary gets a smaller one
      {"pad_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "2"},
      {"eos_id", "3"},
      // The default is U+2047 between two blanks: an unknown character inside a word would make
      // three words of it.
      {"unk_surface", "\u2047"},
      {"normalization_rule_name", "nmt_nfkc"},
      {"remove_extra_whitespaces", "true"},
      {"byte_fallback", training.byte_fallback ? "true" : "false"},
      {"max_sentence_length", "1073741824"},  // bytes; longer lines would be skipped in silence
      {"num_threads", "1"},                   // sums of floats depend on the number of threads
      {"minloglevel", "3"},                   // errors come back as values
  };
  Lines lines(next);
  const auto status = sentencepiece::SentencePieceTrainer::Train(options, &lines, serialized);
  if (!status.ok()) *error = status.error_message();
  return status.ok();
}

}  // namespace nmt
