#include "nmt/base/memory.h"

#include <fstream>
#include <string>

namespace nmt {

// proc(5): "VmHWM:     123456 kB".
std::optional<int64_t> PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    int64_t kilobytes = 0;
    if (key == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
    status.clear();
    std::getline(status, key);
  }
  return std::nullopt;
}

// proc(5): 5 in clear_refs resets VmHWM.
void ForgetPeakMemory() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace nmt
