// What the fuzz targets share. A target is one function over bytes, as libFuzzer calls it: it must come back, whatever
// the bytes are, and may abort only where a promise is broken.
//
//   make fuzz TARGET=links SECONDS=1800                 // clang: searches, guided by coverage
//   build/bin/fuzz_links tests/fuzz/seeds/links/*       // any compiler: runs these inputs, as `make test` does
#ifndef NMT_TESTS_FUZZ_INPUT_H_
#define NMT_TESTS_FUZZ_INPUT_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace nmt {

inline std::string_view TextOf(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The bytes as a file, for readers that take a path.
class InputFile {
 public:
  explicit InputFile(std::string_view bytes) : file_(memfd_create("input", MFD_CLOEXEC)) {
    if (file_ < 0 || write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  ~InputFile() { close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

// A promise that holds for every input.
inline void Promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace nmt

#endif  // NMT_TESTS_FUZZ_INPUT_H_
