// A small random generator whose numbers are the same on every machine and standard library.
//
//   SplitMix64 random(MixSeed({seed, epoch, line}));
//   double share = random.Uniform();          // [0, 1)
//   uint64_t index = random.Below(items.size());
//
// Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators", figure 16 with
// the constants of Vigna's splitmix64.c.
#ifndef NMT_TEXT_SPLITMIX64_H_
#define NMT_TEXT_SPLITMIX64_H_

#include <cstdint>
#include <initializer_list>

namespace nmt {

class SplitMix64 {
 public:
  explicit constexpr SplitMix64(uint64_t seed) : state_(seed) {}

  constexpr uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // In [0, 1), a multiple of 2^-53.
  constexpr double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  // In [0, bound), bound > 0. Biased by at most bound / 2^64.
  constexpr uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(Next()) * bound >> 64);
  }

 private:
  uint64_t state_;
};

// One seed from several numbers; each of them, and their order, changes it.
constexpr uint64_t MixSeed(std::initializer_list<uint64_t> parts) {
  uint64_t seed = 0;
  for (const uint64_t part : parts) seed = SplitMix64(seed ^ SplitMix64(part).Next()).Next();
  return seed;
}

}  // namespace nmt

#endif  // NMT_TEXT_SPLITMIX64_H_
