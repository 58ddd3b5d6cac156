// A file of weights.
#include <torch/torch.h>

#include "nmt/checkpoint/safetensors.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const nmt::InputFile file(nmt::TextOf(data, size));
  const auto tensors = nmt::ReadSafetensors(file.path());
  if (!tensors.ok()) return 0;
  int64_t bytes = 0;
  for (const auto& [name, tensor] : tensors->tensors) bytes += tensor.nbytes();
  nmt::Promise(bytes <= static_cast<int64_t>(size), "no more numbers than the file has");
  return 0;
}
