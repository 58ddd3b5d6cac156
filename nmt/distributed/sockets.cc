#include "nmt/distributed/sockets.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace nmt {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The addresses that a name has. IPv4 comes first, as in "localhost".
absl::StatusOr<Addresses> Resolve(const std::string& address, int64_t port, int type) {
  for (const int family : {AF_INET, AF_INET6}) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_family = family;
    hints.ai_socktype = type;
    if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) == 0)
      return Addresses(found, &freeaddrinfo);
  }
  return DataError(fmt::format("{}: is no address and no host that this machine knows", address));
}

int64_t PortOf(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

absl::StatusOr<BoundSocket> BindSocket(const std::string& address, int64_t port) {
  NMT_ASSIGN_OR_RETURN(const Addresses found, Resolve(address, port, SOCK_STREAM));
  BoundSocket bound{.fd = socket(found->ai_family, SOCK_STREAM, 0)};
  const int on = 1;  // the port of a run that has just ended may be taken again
  if (bound.fd >= 0) setsockopt(bound.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bound.fd < 0 || bind(bound.fd, found->ai_addr, found->ai_addrlen) != 0 ||
      listen(bound.fd, SOMAXCONN) != 0) {
    const int reason = errno;
    if (bound.fd >= 0) close(bound.fd);
    const std::string place = fmt::format("{}:{}", address, port);
    if (reason == EADDRINUSE) {
      return DataError(
          fmt::format("{}: the port is in use; give the workers another MASTER_PORT", place));
    }
    return DataError(
        fmt::format("{}: worker 0 cannot listen there: {}", place, std::strerror(reason)));
  }
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  getsockname(bound.fd, reinterpret_cast<sockaddr*>(&own), &size);
  bound.port = PortOf(own);
  return bound;
}

absl::StatusOr<std::string> OwnAddressTowards(const std::string& address, int64_t port) {
  NMT_ASSIGN_OR_RETURN(const Addresses found, Resolve(address, port, SOCK_DGRAM));
  const int fd = socket(found->ai_family, SOCK_DGRAM, 0);
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  char text[NI_MAXHOST] = "";
  const bool is_known = fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0 &&
                        getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
                        getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof(text),
                                    nullptr, 0, NI_NUMERICHOST) == 0;
  const int reason = errno;
  if (fd >= 0) close(fd);
  if (is_known) return std::string(text);
  return DataError(fmt::format("{}: no way there: {}", address, std::strerror(reason)));
}

}  // namespace nmt
