// SentencePiece behind std types. Its header declares names in namespace absl that clash with
// Abseil's, so sentencepiece_wrapper.cc alone includes it, and no Abseil header. Errors are strings
// here; tokenizer.h turns them into absl::Status and is what the rest of the product uses.
//
//   std::string error;
//   std::unique_ptr<SubwordModel> model = SubwordModel::Parse(serialized, &error);
//   for (const SubwordPiece& piece : model->Encode("a line")) ...
#ifndef NMT_TEXT_SENTENCEPIECE_WRAPPER_H_
#define NMT_TEXT_SENTENCEPIECE_WRAPPER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

// A piece of a line: its normalised text, or one byte of it, and where the bytes of the line end that
// it stands for. When a character is normalised to several pieces (U+2026 to three dots), the last has its bytes
// and the others end before it.
struct SubwordPiece {
  std::string text;
  int64_t id;
  size_t end;
};

// Const functions may be called from several threads.
class SubwordModel {
 public:
  ~SubwordModel();

  // Null, and the reason in *error, when the bytes are no SentencePiece model.
  static std::unique_ptr<SubwordModel> Parse(std::string_view serialized, std::string* error);

  int64_t size() const;
  bool is_unigram() const;
  int64_t pad_id() const;
  int64_t unknown_id() const;
  int64_t begin_id() const;
  int64_t end_id() const;

  // 0 <= id < size().
  const std::string& Piece(int64_t id) const;
  double Score(int64_t id) const;
  // Whether text can contain the piece: neither unknown, control, byte nor unused.
  bool IsText(int64_t id) const;
  // The pieces of the 256 bytes; empty where the model has none.
  std::vector<int64_t> ByteIds() const;

  std::vector<SubwordPiece> Encode(std::string_view line) const;

  // The text that each piece adds to the line that all of them make. Throws std::out_of_range when
  // an id is not below size().
  std::vector<std::string> Surfaces(const std::vector<int64_t>& ids) const;

 private:
  struct Impl;
  explicit SubwordModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct SubwordTraining {
  std::string model_type = "unigram";  // or "bpe", "char"
  int64_t vocab_size = 8000;
  double character_coverage = 1;
  bool byte_fallback = false;
};

// Gives the next training line, null at the end.
using NextLine = std::function<const std::string*()>;

// Trains a model; true, and its bytes in *serialized, or false and the reason in *error.
bool TrainSubwords(const SubwordTraining& training, const NextLine& next, std::string* serialized,
                   std::string* error);

}  // namespace nmt

#endif  // NMT_TEXT_SENTENCEPIECE_WRAPPER_H_
