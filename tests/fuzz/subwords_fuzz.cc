// The file of a subword model.
#include "nmt/text/tokenizer.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const nmt::InputFile file(nmt::TextOf(data, size));
  const auto tokenizer = nmt::Tokenizer::Load(file.path(), /*lowercase=*/false);
  if (!tokenizer.ok()) return 0;
  const auto pieces =
      tokenizer->EncodeWithWords("Zwei Hunde, die \xEF\xBD\x81 \xE2\x96\x81 spielen.");
  for (const int64_t id : pieces.ids)
    nmt::Promise(id >= 0 && id < tokenizer->vocab_size(), "ids are below the size");
  (void)tokenizer->Decode(pieces.ids);
  (void)tokenizer->SampleWithWords("a dog plays", 0.5, 1);
  return 0;
}
