// The most memory that this process has held.
#ifndef NMT_BASE_MEMORY_H_
#define NMT_BASE_MEMORY_H_

#include <cstdint>
#include <optional>

namespace nmt {

// Peak resident memory in bytes since the start, or since ForgetPeakMemory(); nullopt where the system
// does not tell.
std::optional<int64_t> PeakMemory();

// The peak is what is held now. Does nothing where the system does not let it.
void ForgetPeakMemory();

}  // namespace nmt

#endif  // NMT_BASE_MEMORY_H_
