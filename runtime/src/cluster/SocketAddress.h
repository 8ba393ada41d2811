// Where tasks listen, and who may reach them there. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_SOCKETADDRESS_H
#define MLCRT_CLUSTER_SOCKETADDRESS_H

#include "runtime/src/cluster/Refusals.h"

#include "absl/status/statusor.h"

#include <memory>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace mlcrt {

/// A connection whose peer does not confirm for so long what was sent, or that it is there, has broken (both carriers).
inline constexpr int kDeadConnectionSeconds = 10;

/// How a cluster is protected.
struct TransportSecurity {
  /// Files in PEM: with all three both sides show a certificate of this authority (mutual TLS); all empty: no TLS.
  std::string certificate, key, authority;
  /// A secret that all tasks share. Empty: none.
  std::string token;
  /// Whether any host may connect.
  bool insecure = false;
  /// If set, told of those who are not let in.
  std::shared_ptr<Refusals> refusals = nullptr;

  /// Or some of it, which is an error.
  bool hasTls() const { return !certificate.empty() || !key.empty() || !authority.empty(); }
  /// Whether peers show who they are before anything else.
  bool knowsPeers() const { return hasTls() || !token.empty(); }
};

/// Whether an address is one that only this host can reach: a Unix socket or the loopback interface.
bool isLocalAddress(const std::string &address);

/// Whether two secrets are the same, in a time that says nothing of where they differ.
bool isSameSecret(std::string_view a, std::string_view b);

/// What is bound for an address: that of a local one, every interface for another (what other hosts call this one may
/// be a name of a proxy or of another interface). Of a Unix socket the file is free then. kFailedPrecondition if it
/// would be open to others without protection.
absl::StatusOr<std::string> boundAddress(const std::string &address, const TransportSecurity &security);

/// An address of a socket.
struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  int family() const { return storage.ss_family; }
  const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&storage); }
  sockaddr *get() { return reinterpret_cast<sockaddr *>(&storage); }
  /// "127.0.0.1:5000", "[::1]:5000", or "a Unix socket".
  std::string text() const;
  /// Of an address of IP.
  int port() const;
  void setPort(int port);
};

/// The addresses of "host:port" or "unix:PATH". kInvalidArgument if it is neither; kUnavailable if the host does not
/// resolve. With `numericOnly` an empty list for a name: finding it may take seconds.
absl::StatusOr<std::vector<SocketAddress>> resolve(const std::string &address, bool numericOnly);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SOCKETADDRESS_H
