// Messages over sockets. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames (SocketStream.h) of control parts and payloads over TCP or Unix sockets: bytes go from where they lie to where
// they belong with one copy into the kernel and one out of it. Nothing is encrypted: connections that are use gRPC
// (GrpcTransport.h). docs/rationale-dist.md says what that is worth.
#ifndef MLCRT_CLUSTER_SOCKETTRANSPORT_H
#define MLCRT_CLUSTER_SOCKETTRANSPORT_H

#include "runtime/src/cluster/SocketAddress.h"
#include "runtime/src/cluster/Transport.h"

namespace mlcrt {

/// Of `security` the token and `insecure` count; there is no TLS. kInvalidArgument for a token of more than 4,096
/// bytes, kResourceExhausted if the process has no descriptors left. `maxMessageBytes` bounds what is received: larger
/// messages are refused with kResourceExhausted.
absl::StatusOr<std::unique_ptr<Transport>> makeSocketTransport(const TransportSecurity &security,
                                                               int64_t maxMessageBytes);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SOCKETTRANSPORT_H
