#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "nmt/base/file.h"
#include "nmt/text/lines.h"
#include "nmt/text/sentencepiece_wrapper.h"
#include "nmt/text/tokenizer.h"

namespace nmt {
namespace {

using Texts = std::vector<const std::vector<std::string>*>;

constexpr size_t kLargeAlphabet = 1000;  // characters
constexpr double kLargeAlphabetCoverage = 0.9999;
constexpr int64_t kAllCharacters = 1200000;  // more than Unicode has code points

// SentencePiece's trainer uses U+2585 itself and skips every line that has one.
constexpr UChar32 kTrainerMark = 0x2585;

// What the trainer must not see, and what it sees instead: its own mark, and the names of the
// reserved pieces, whose letters it would not count as text.
constexpr std::pair<std::string_view, std::string_view> kStandIns[] = {
    {"\u2585", " "}, {"<pad>", "< pad>"}, {"<unk>", "< unk>"}, {"<s>", "< s>"}, {"</s>", "< /s>"},
};

void ReplaceAll(std::string_view from, std::string_view to, std::string* line) {
  for (size_t i = 0; (i = line->find(from, i)) != std::string::npos; i += to.size()) {
    line->replace(i, from.size(), to);
  }
}

// Whether something of the line is left for the trainer, which ends the program when nothing of the
// whole text is. Stricter than IsBlank: the normalisation also makes blanks of U+2581 and U+FFFD
// and removes what is neither letter, mark, number, punctuation nor symbol.
bool HasText(std::string_view line) {
  constexpr uint32_t kText = U_GC_L_MASK | U_GC_N_MASK | U_GC_P_MASK | U_GC_S_MASK;
  for (size_t i = 0; i < line.size();) {
    UChar32 c;
    U8_NEXT(line.data(), i, line.size(), c);
    if (c >= 0 && c != 0x2581 && c != 0xFFFD && c != kTrainerMark &&
        (U_GET_GC_MASK(c) & kText) != 0) {
      return true;
    }
  }
  return false;
}

bool AnyText(const Texts& texts) {
  return std::any_of(texts.begin(), texts.end(), [](const std::vector<std::string>* lines) {
    return std::any_of(lines->begin(), lines->end(), HasText);
  });
}

size_t AlphabetSize(const Texts& texts) {
  std::unordered_set<UChar32> characters;
  for (const std::vector<std::string>* lines : texts) {
    for (const std::string& line : *lines) {
      for (size_t i = 0; i < line.size();) {
        UChar32 c;
        U8_NEXT(line.data(), i, line.size(), c);
        characters.insert(c);
      }
    }
  }
  return characters.size();
}

// Walks over the lines of the texts, each prepared for the trainer.
class TrainingLines {
 public:
  TrainingLines(const Texts& texts, bool lowercase) : texts_(texts), lowercase_(lowercase) {}

  const std::string* Next() {
    while (text_ < texts_.size() && line_ == texts_[text_]->size()) {
      ++text_;
      line_ = 0;
    }
    if (text_ == texts_.size()) return nullptr;
    const std::string& raw = (*texts_[text_])[line_++];
    current_ = lowercase_ ? LowerCase(raw) : raw;
    for (const auto& [text, stand_in] : kStandIns) ReplaceAll(text, stand_in, &current_);
    return &current_;
  }

 private:
  const Texts& texts_;
  bool lowercase_;
  size_t text_ = 0, line_ = 0;
  std::string current_;
};

// Trains in memory and returns the number of pieces, or 0 and the reason in *error.
int64_t Train(const SubwordTraining& training, const Texts& texts, bool lowercase,
              std::string* serialized, std::string* error) {
  TrainingLines lines(texts, lowercase);
  if (!TrainSubwords(
          training, [&] { return lines.Next(); }, serialized, error))
    return 0;
  const std::unique_ptr<SubwordModel> model = SubwordModel::Parse(*serialized, error);
  return model == nullptr ? 0 : model->size();
}

}  // namespace

absl::StatusOr<TrainedTokenizer> TrainTokenizer(const TokenizerOptions& options, const Texts& texts,
                                                const std::filesystem::path& model) {
  if (!AnyText(texts)) return DataError("there is no text to train the tokenizer on");
  SubwordTraining training;
  training.model_type = EnumName(options.type);
  training.vocab_size = options.vocab_size;
  training.byte_fallback = options.byte_fallback;
  if (AlphabetSize(texts) > kLargeAlphabet) training.character_coverage = kLargeAlphabetCoverage;

  std::string serialized;
  std::string error;
  const int64_t got = Train(training, texts, options.lowercase, &serialized, &error);
  if (got == 0) {
    // A model of single characters has all that must be there and nothing else.
    training.model_type = "char";
    training.vocab_size = kAllCharacters;
    std::string ignored;
    const int64_t smallest = Train(training, texts, options.lowercase, &serialized, &ignored);
    if (options.vocab_size < smallest) {
      return UsageError(fmt::format(
          "tokenizer.vocab_size: {} is too small for the characters of the text, expected at least "
          "{}",
          options.vocab_size, smallest));
    }
    return DataError(fmt::format("the tokenizer cannot be trained: {}", error));
  }
  NMT_RETURN_IF_ERROR(WriteFileAtomically(model, serialized));
  return TrainedTokenizer{options.vocab_size, got};
}

}  // namespace nmt
