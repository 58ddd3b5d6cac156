// A text of any bytes: its lines, words and pieces.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "nmt/text/lines.h"
#include "nmt/text/tokenizer.h"
#include "tests/fuzz/input.h"

namespace {

const nmt::Tokenizer& AnyTokenizer() {
  static const nmt::Tokenizer tokenizer = [] {
    std::string folder = std::filesystem::temp_directory_path() / "nmt_fuzz_XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) std::abort();
    const std::vector<std::string> text(20, "the small dogs see a cat, and cats see dogs; aé中");
    nmt::TokenizerOptions options;
    options.vocab_size = 60;
    const std::filesystem::path model = std::filesystem::path(folder) / "model.spm";
    nmt::Promise(nmt::TrainTokenizer(options, {&text}, model).ok(), "a model is trained");
    auto loaded = nmt::Tokenizer::Load(model, /*lowercase=*/true);
    std::filesystem::remove_all(folder);
    nmt::Promise(loaded.ok(), "and loaded");
    return *loaded;
  }();
  return tokenizer;
}

void TryLine(const std::string& line) {
  const std::string clean = nmt::CleanLine(line);
  nmt::Promise(nmt::IsValidUtf8(clean), "a clean line is UTF-8");
  nmt::Promise(nmt::CleanLine(clean) == clean, "cleaning twice changes nothing");
  nmt::Promise(clean.find_first_of(std::string_view("\0\n\r\t\x1b", 5)) == std::string::npos,
               "no control characters");
  const std::vector<nmt::WordSpan> words = nmt::WordSpans(clean);
  size_t end = 0;
  for (const nmt::WordSpan& word : words) {
    nmt::Promise(end <= word.begin && word.begin < word.end && word.end <= clean.size(),
                 "words follow each other");
    end = word.end;
    (void)nmt::IsPunctuation(clean.substr(word.begin, word.end - word.begin));
  }
  nmt::Promise(nmt::WordSpans(nmt::LowerCase(clean)).size() == words.size(),
               "lower case has as many words");
  nmt::Promise(nmt::IsBlank(clean) || !words.empty(), "a line without words is blank");

  const nmt::Tokenizer& tokenizer = AnyTokenizer();
  for (const double sampling : {0.0, 0.5}) {
    const nmt::EncodedLine pieces = sampling > 0 ? tokenizer.SampleWithWords(clean, sampling, 1)
                                                 : tokenizer.EncodeWithWords(clean);
    nmt::Promise(pieces.ids.size() == pieces.words.size(), "each piece has a word");
    int64_t last = 0;
    for (const int64_t word : pieces.words) {
      nmt::Promise(last <= word && word < static_cast<int64_t>(words.size()), "words never fall");
      last = word;
    }
    for (const int64_t id : pieces.ids) {
      nmt::Promise(id != nmt::kPadId && id != nmt::kBeginId && id != nmt::kEndId,
                   "what is typed is text");
    }
    nmt::Promise(nmt::IsValidUtf8(tokenizer.Decode(pieces.ids)), "pieces are UTF-8");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = nmt::TextOf(data, size);
  const std::vector<std::string> lines = nmt::SplitLines(input);
  const auto ends = static_cast<size_t>(std::count(input.begin(), input.end(), '\n'));
  const bool open = !input.empty() && input.back() != '\n';
  nmt::Promise(lines.size() == ends + (open ? 1 : 0), "a line for each LF, and one without");
  for (const std::string& line : lines) TryLine(line);
  return 0;
}
