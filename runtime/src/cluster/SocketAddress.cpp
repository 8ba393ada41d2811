// Where tasks listen.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SocketAddress.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

namespace mlcrt {

static constexpr char kUnix[] = "unix:";

bool isLocalAddress(const std::string &address) {
  if (absl::StartsWith(address, kUnix))
    return true;
  const std::string host = address.substr(0, address.rfind(':'));
  if (host == "localhost" || host == "[::1]")
    return true;
  // A name may begin with a number, too.
  in_addr number;
  return ::inet_pton(AF_INET, host.c_str(), &number) == 1 && (ntohl(number.s_addr) >> 24) == 127;
}

bool isSameSecret(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() != b.size();
  for (size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
  return difference == 0;
}

absl::StatusOr<std::string> boundAddress(const std::string &address, const TransportSecurity &security) {
  const bool isLocal = isLocalAddress(address);
  if (!isLocal && !security.knowsPeers() && !security.insecure)
    return absl::FailedPreconditionError(
        absl::StrCat("cannot listen on ", address, ": any host could connect, without TLS and without a token"));
  if (absl::StartsWith(address, kUnix))
    ::unlink(address.c_str() + std::strlen(kUnix));
  const size_t colon = address.rfind(':');
  return isLocal || colon == std::string::npos ? address : "[::]" + address.substr(colon);
}

std::string SocketAddress::text() const {
  char host[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in *>(&storage)->sin_addr, host, sizeof(host));
  else if (family() == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6 *>(&storage)->sin6_addr, host, sizeof(host));
  else
    return "a Unix socket";
  return family() == AF_INET ? absl::StrCat(host, ":", port()) : absl::StrCat("[", host, "]:", port());
}

int SocketAddress::port() const {
  return ntohs(family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6 *>(&storage)->sin6_port
                                    : reinterpret_cast<const sockaddr_in *>(&storage)->sin_port);
}

void SocketAddress::setPort(int port) {
  (family() == AF_INET6 ? reinterpret_cast<sockaddr_in6 *>(&storage)->sin6_port
                        : reinterpret_cast<sockaddr_in *>(&storage)->sin_port) = htons(static_cast<uint16_t>(port));
}

static absl::StatusOr<std::vector<SocketAddress>> resolveUnix(const std::string &address) {
  SocketAddress made;
  auto *place = reinterpret_cast<sockaddr_un *>(&made.storage);
  const std::string path = address.substr(std::strlen(kUnix));
  if (path.empty() || path.size() >= sizeof(place->sun_path))
    return absl::InvalidArgumentError(absl::StrCat("the path of ", address, " has ", path.size(),
                                                   " bytes; that of a socket has 1 to ", sizeof(place->sun_path) - 1));
  place->sun_family = AF_UNIX;
  std::memcpy(place->sun_path, path.c_str(), path.size() + 1);
  made.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return std::vector<SocketAddress>{made};
}

/// Loopback of both families: RFC 6761 gives "localhost" this meaning whether or not a resolver (or /etc/hosts, which
/// minimal containers lack) knows the name.
static std::vector<SocketAddress> loopback(int port) {
  SocketAddress v4, v6;
  auto *place4 = reinterpret_cast<sockaddr_in *>(&v4.storage);
  place4->sin_family = AF_INET;
  place4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  v4.size = sizeof(sockaddr_in);
  auto *place6 = reinterpret_cast<sockaddr_in6 *>(&v6.storage);
  place6->sin6_family = AF_INET6;
  place6->sin6_addr = in6addr_loopback;
  v6.size = sizeof(sockaddr_in6);
  v4.setPort(port);
  v6.setPort(port);
  return {v4, v6};
}

absl::StatusOr<std::vector<SocketAddress>> resolve(const std::string &address, bool numericOnly) {
  if (absl::StartsWith(address, kUnix))
    return resolveUnix(address);
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size())
    return absl::InvalidArgumentError(absl::StrCat("'", address, "' is no address: expected host:port or unix:PATH"));
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  // getaddrinfo takes a port of more than 16 bits, and cuts it.
  constexpr int kPorts = 65536;
  int port = 0;
  if (!absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 || port >= kPorts)
    return absl::InvalidArgumentError(
        absl::StrCat("'", address, "' is no address: expected a port from 0 to ", kPorts - 1));
  if (host == "localhost")
    return loopback(port);
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0);
  addrinfo *found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found);
  std::vector<SocketAddress> addresses;
  if (error == EAI_NONAME && numericOnly)
    return addresses;
  if (error != 0)
    return absl::UnavailableError(absl::StrCat(
        "the host ", host, " does not resolve: ", error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error)));
  for (const addrinfo *one = found; one; one = one->ai_next) {
    SocketAddress made;
    std::memcpy(&made.storage, one->ai_addr, one->ai_addrlen);
    made.size = one->ai_addrlen;
    addresses.push_back(made);
  }
  ::freeaddrinfo(found);
  return addresses;
}

} // namespace mlcrt
