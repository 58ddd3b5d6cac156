// FNV-1a (Fowler, Noll and Vo), 64 bits: finds a file that changed, does not defend against an
// attacker.
//
//   Fnv1a hash;
//   hash.Add(bytes);
//   hash.ToString();      // 16 hexadecimal digits
#ifndef NMT_BASE_FNV1A_H_
#define NMT_BASE_FNV1A_H_

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace nmt {

class Fnv1a {
 public:
  void Add(std::string_view bytes) {
    for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 1099511628211u;
  }
  uint64_t value() const { return value_; }
  std::string ToString() const { return fmt::format("{:016x}", value_); }

 private:
  uint64_t value_ = 14695981039346656037u;
};

}  // namespace nmt

#endif  // NMT_BASE_FNV1A_H_
