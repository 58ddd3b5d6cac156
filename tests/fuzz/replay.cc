// Runs a fuzz target on the files that are named, where no fuzzer does.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/input.h"

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s FILE...\n", arguments[0]);
    return 2;
  }
  for (int i = 1; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", arguments[i]);
      return 1;
    }
    std::fprintf(stderr, "%s\n", arguments[i]);  // the last line is the one that failed
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  return 0;
}
