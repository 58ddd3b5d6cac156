// The two things that a group of workers asks of the network itself.
#ifndef NMT_DISTRIBUTED_SOCKETS_H_
#define NMT_DISTRIBUTED_SOCKETS_H_

#include <cstdint>
#include <string>

#include "nmt/base/status.h"

namespace nmt {

struct BoundSocket {
  int fd = -1;  // inherited by child processes; the owner closes it
  int64_t port = 0;
};

// A TCP socket that listens at that address alone; port 0: any that is free. Errors: the port is in
// use; the address is none of this machine's.
absl::StatusOr<BoundSocket> BindSocket(const std::string& address, int64_t port);

// The numeric address by which this machine reaches `address`: 127.0.0.1 for itself. No packet is
// sent.
absl::StatusOr<std::string> OwnAddressTowards(const std::string& address, int64_t port);

}  // namespace nmt

#endif  // NMT_DISTRIBUTED_SOCKETS_H_
